// Every way to be wrong gets a message that says what to do, and the right exit code.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/cli.h"

namespace comback::test {
namespace {

// Nothing was started: exit code 2, nothing on standard output, `message` on standard error.
void expect_refused(const CommandResult& result, const std::string& message) {
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  expect_contains(result.err, message);
}

TEST(CliErrors, UnknownOptionsAndCommandsSuggestOthers) {
  expect_refused(comback({"explore", "--memry", "1G", sample("dekker")}),
                 "unknown option --memry; did you mean --memory?");
  expect_refused(comback({"explore", "--memry=1G", sample("dekker")}),
                 "unknown option --memry; did you mean --memory?");
  expect_refused(comback({"explroe", sample("dekker")}),
                 "unknown command 'explroe'; did you mean explore?");
  expect_refused(comback({"--verison"}), "unknown option --verison; did you mean --version?");
  expect_refused(comback({"info", sample("dekker"), "--event"}), "did you mean --events?");
  expect_refused(comback({"explore", sample("dekker"), "again.dve"}),
                 "unexpected argument 'again.dve'");
  expect_refused(comback({}), "Usage: comback COMMAND");
}

TEST(CliErrors, ValuesSayWhatWasGivenAndWhatIsAccepted) {
  const auto with = [](const std::string& option, const std::string& value) {
    return comback({"explore", sample("dekker"), option, value});
  };
  expect_refused(with("--memory", "lots"), "--memory: 'lots' is not a size; write a number with K");
  expect_refused(with("--time-limit", "soon"), "'soon' is not a duration; write such as 60s");
  expect_refused(with("--max-states", "-1"), "'-1' is not a count");
  expect_refused(with("--hash-bits", "65"), "'65' is not a whole number from 8 to 64");
  expect_refused(with("--threads", "0"), "'0' is not a whole number from 1");
  expect_refused(with("--search", "bsf"), "'bsf' is none of bfs, dfs; did you mean bfs?");
  expect_refused(with("--visited", "comapct"), "did you mean compact?");
  expect_refused(with("--cache", "Q:3"), "--cache: ");
  expect_refused(with("--descriptors", "9"), "'9': expected a number of at least 10, or auto");
  expect_refused(with("--split", "60/20/30"), "that add up to 100, such as 60/20/20");
  expect_refused(with("--range-errors", "ignore"),
                 "'ignore' is none of stop, wrap, error-state, terminal");
  expect_refused(comback({"explore", sample("dekker"), "--memory"}), "--memory needs a value");
  expect_refused(comback({"explore", sample("dekker"), "--memory", "1G", "--memory", "2G"}),
                 "--memory is given more than once");
}

TEST(CliErrors, OptionsThatWouldDoNothingAreRefused) {
  const auto with = [](std::vector<std::string> arguments) {
    return explore(sample("dekker"), std::move(arguments));
  };
  expect_refused(with({"--visited", "full", "--hash-bits", "32"}),
                 "--hash-bits does nothing without --visited comback, compact or compact-cache");
  expect_refused(with({"--visited", "compact", "--table-size", "1000"}),
                 "--table-size does nothing without --visited compact --compaction improved");
  expect_refused(with({"--probes", "3"}), "--probes does nothing without --visited compact-cache");
  expect_refused(with({"--visited", "compact-cache", "--search", "bfs"}),
                 "--visited compact-cache is depth first");
  expect_refused(with({"--visited", "compact-cache", "--probes", "9", "--table-size", "7"}),
                 "--table-size 7: must be at least --probes, 9");
  expect_refused(with({"--compaction", "improved"}),
                 "--compaction does nothing without --visited compact");
  expect_refused(with({"--visited", "full", "--cache", "F"}), "--cache does nothing without");
  expect_refused(with({"--detection", "immediate", "--descriptors", "100"}),
                 "--descriptors does nothing without --visited comback --detection delayed");
  expect_refused(with({"--split", "60/20/20"}), "--split does nothing without --descriptors");
  expect_refused(with({"--descriptors", "100", "--cache-size", "10"}),
                 "--cache-size is set by --descriptors");
  expect_refused(with({"--detection", "immediate", "--candidates", "10"}),
                 "--candidates does nothing without --visited comback --detection delayed");
  expect_refused(with({"--detection", "immediate", "--tables", "disk"}),
                 "--tables does nothing without --detection level");
  expect_refused(with({"--detection", "level", "--search", "dfs"}),
                 "--detection level is breadth first");
  // A bound on threads holds for searches that use one, too.
  EXPECT_EQ(with({"--visited", "full", "--threads", "4"}).exit_code, 0);
}

TEST(CliErrors, ARunDirectoryThatHoldsSomethingIsRefused) {
  const TempDir dir;
  dir.write("run/file", "x");
  expect_refused(explore(sample("dekker"), {"--run", (dir / "run").string()}), "is not empty");
  EXPECT_EQ(read_file(dir / "run/file"), "x");
}

TEST(CliErrors, FilesThatAreNoModels) {
  const TempDir dir;
  dir.write("ring.dve", "");
  for (const char* command : {"explore", "info"}) {
    SCOPED_TRACE(command);
    expect_refused(comback({command}), "a MODEL is needed");
    expect_refused(comback({command, (dir / "rign.dve").string()}), "there is no such file");
    expect_refused(comback({command, (dir / "rign.dve").string()}),
                   "did you mean " + (dir / "ring.dve").string());
    expect_refused(comback({command, dir.path().string()}), "is a directory");
    expect_refused(comback({command, (dir / "ring.dve").string()}), "the file is empty");
    expect_refused(comback({command, dir.write("model.pml", "x").string()}),
                   "models of kind '.pml' are not known");
    expect_refused(comback({command, dir.write("model", "x").string()}),
                   "comback reads models in the DVE language");
  }
}

TEST(CliErrors, BrokenModelsShowTheLineWithACaret) {
  const TempDir dir;
  const std::string model =
      dir.write("bad.dve",
                "byte x;\nprocess P { state a; init a; trans a -> b { }; }\nsystem async;\n")
          .string();
  for (const char* command : {"explore", "info"}) {
    const CommandResult result = comback({command, model});
    expect_refused(result, "bad.dve:2:");
    expect_contains(result.err, "process P { state a; init a; trans a -> b { }; }");
    expect_contains(result.err, "^");
  }
}

TEST(CliErrors, InvariantsThatDoNotParseAreAllShown) {
  const CommandResult result =
      explore(sample("dekker"), {"--invariant", "P_0.cs &&", "--invariant", "nowhere == 2"});
  expect_refused(result, "<invariant>:1:10: error:");
  expect_contains(result.err, "nowhere");
}

TEST(CliErrors, APropertyProcessAsksForItsOption) {
  expect_refused(explore(sample("lock_property")), "--ignore-property");
  EXPECT_EQ(explore(sample("lock_property"), {"--ignore-property"}).exit_code, 0);
  EXPECT_EQ(comback({"info", sample("lock_property")}).exit_code, 0);
}

TEST(CliErrors, TooLittleMemorySaysHowMuchIsNeeded) {
  const CommandResult result = explore(sample("dekker"), {"--memory", "10K"});
  expect_refused(result, "needs at least");
  expect_refused(result, "10240 bytes is too small");
}

TEST(CliErrors, TheJsonTargetIsCheckedBeforeExploring) {
  const TempDir dir;
  expect_refused(explore(sample("dekker"), {"--json", (dir / "no/such.json").string()}),
                 "there is no folder");
  expect_refused(explore(sample("dekker"), {"--json", dir.path().string()}), "is a directory");
  expect_refused(explore(sample("dekker"), {"--json", ""}), "a file name is needed");
}

TEST(CliErrors, AJsonTargetThatFailsLaterIsExitCode4) {
  const CommandResult result = explore(sample("dekker"), {"--json", "/dev/full"});
  EXPECT_EQ(result.exit_code, 4);
  expect_contains(result.err, "cannot write /dev/full: No space left on device");
  expect_contains(result.out, "complete, nothing violated");
}

// Runs a shell command line in which "$0" is the command.
CommandResult shell(const std::string& line) {
  return run_command({"/bin/sh", "-c", line, binary().string()});
}

TEST(CliErrors, AFullDiskOrAClosedPipeIsNeverSuccess) {
  const std::string model = sample("dekker");
  const std::string run = "\"$0\" explore " + model + " --progress none --successors interpreted ";
  CommandResult result = shell(run + "> /dev/full");
  EXPECT_EQ(result.exit_code, 4);
  expect_contains(result.err, "cannot write to standard output: No space left on device");
  EXPECT_EQ(shell(run + "--json - > /dev/full").exit_code, 4);
  EXPECT_EQ(shell(run + ">&-").exit_code, 4);
  EXPECT_EQ(shell("\"$0\" --help > /dev/full").exit_code, 4);
  EXPECT_EQ(shell("\"$0\" info " + model + " > /dev/full").exit_code, 4);
  // The reader is gone before the summary comes.
  result = shell("{ sleep 0.3; \"$0\" info " + model + "; echo $? >&2; } | true");
  expect_contains(result.err, "Broken pipe");
  expect_contains(result.err, "\n4\n");
}

TEST(CliErrors, AFileSizeLimitIsAFailureThatIsTold) {
  const TempDir dir;
  const CommandResult result =
      shell("ulimit -f 0; \"$0\" explore " + sample("dekker") +
            " --successors interpreted --progress none --json " + (dir / "x.json").string());
  EXPECT_EQ(result.exit_code, 4);
  expect_contains(result.err, "File too large");
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(CliErrors, ClosedStandardErrorDoesNotMatter) {
  EXPECT_EQ(shell("\"$0\" explore " + sample("dekker") + " 2>&-").exit_code, 0);
}

TEST(CliErrors, ConfigFilesAreCheckedLikeTheCommandLine) {
  const TempDir dir;
  expect_refused(explore(sample("dekker"), {"--config", (dir / "none.toml").string()}),
                 "cannot read");
  expect_refused(
      explore(sample("dekker"), {"--config", dir.write("a.toml", "memry = \"1G\"\n").string()}),
      "unknown option 'memry'; did you mean memory?");
  expect_refused(
      explore(sample("dekker"), {"--config", dir.write("b.toml", "memory = \"x\"\n").string()}),
      "--memory: 'x' is not a size");
}

}  // namespace
}  // namespace comback::test
