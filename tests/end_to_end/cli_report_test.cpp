#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/end_to_end/stored_run.h"

namespace comback::test {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool has_chromium() { return run_command({"chromium", "--version"}).exit_code == 0; }

// What a browser makes of the page: its document, and what it says while it loads.
CommandResult in_browser(const TempDir& dir, const std::filesystem::path& page) {
  return run_command({"chromium", "--headless", "--no-sandbox", "--disable-gpu",
                      "--user-data-dir=" + (dir / "profile").string(), "--enable-logging=stderr",
                      "--virtual-time-budget=2000", "--dump-dom", "file://" + page.string()});
}

TEST(CliReport, IsOnePageThatNeedsNothingElse) {
  const CommandRun run(sample("bank_transfer_bug"), {}, 1);
  const auto page = run.dir() / "report.html";
  const CommandResult result = run.ask("report", {"-o", page.string()});
  EXPECT_EQ(result.exit_code, 3) << "the run ended at a violation: " << result.err;
  const std::string html = contents(page);
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  expect_contains(html, "default-src 'none'");
  for (const char* external : {"<script", "<link", "<img", "src=", "@import", "url("}) {
    EXPECT_EQ(html.find(external), std::string::npos) << external;
  }
  expect_contains(html, "An assertion fails");
  expect_contains(html, "9 events from the initial state");
  // What the model says is text, whatever is in it.
  expect_contains(html, "idle -&gt; asked");
  EXPECT_EQ(html.find("idle -> asked"), std::string::npos);
  EXPECT_EQ(run.ask("report", {"-o", "-"}).out.substr(0, 15), "<!DOCTYPE html>");
}

TEST(CliReport, SaysWhatTheSearchFound) {
  const CommandRun run(sample("philosophers_deadlock"));
  const auto tree = run.json("export", {"--format", "json"});
  const std::string html = run.ask("report", {"-o", "-"}).out;
  expect_contains(html, "Complete, nothing violated");
  expect_contains(html, "<dt>States</dt><dd>1,743</dd>");
  expect_contains(html, "<dt>Transitions</dt><dd>7,335");
  expect_contains(html, "<dt>Deadlocks</dt><dd>1</dd>");
  // Every level is a row; the deadlock is shown though nobody asked for it to be a violation.
  for (const auto& level : tree["levels"]) {
    expect_contains(html, "<tr><td class=\"n\">" + level["level"].dump() + "</td><td class=\"n\">" +
                              level["first_id"].dump() + "</td>");
  }
  expect_contains(html, "<summary>deadlock <small>state ");
  expect_contains(html, "Every event of the model happens in some state.");
  const std::string unasked = run.ask("report", {"-o", "-", "--no-survey"}).out;
  EXPECT_EQ(unasked.find("Every event of the model happens"), std::string::npos);
}

TEST(CliReport, ShowsWhatMetricsTellOfTheTime) {
  const CommandRun run(sample("dekker"));
  std::ofstream(std::filesystem::path(run.path()) / "metrics.ndjson")
      << R"({"t":0,"phase":"exploring","states":1,"transitions":0,"memory":1048576,"disk":0})"
         "\n"
      << R"({"t":4,"phase":"exploring","states":401,"transitions":9,"memory":2097152,"disk":9})"
         "\n"
      << "no metrics\n"
      << R"({"t":8,"phase":"<sorting>","states":401,"transitions":9,"memory":2097152,"disk":9})"
         "\n"
      << R"({"t":9,"phase":"expl)";
  const std::string html = run.ask("report", {"-o", "-"}).out;
  expect_contains(html, "Plot of the throughput");
  expect_contains(html, "Plot of the memory");
  expect_contains(html, "exploring</td><td class=\"n\">4.00 s</td><td class=\"n\">50.0%</td>");
  expect_contains(html, "&lt;sorting&gt;</td><td class=\"n\">4.00 s</td>");
}

TEST(CliReport, ABrowserOpensIt) {
  if (!has_chromium()) GTEST_SKIP() << "chromium is not installed";
  const CommandRun run(sample("philosophers_deadlock"));
  const auto page = run.dir() / "report.html";
  ASSERT_EQ(run.ask("report", {"-o", page.string()}).exit_code, 0);
  const CommandResult shown = in_browser(run.dir(), page);
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  // The browser has repaired nothing: as many elements as were written, each where it was.
  const std::string written = contents(page);
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++n;
    }
    return n;
  };
  for (const char* part : {"<section", "</section>", "<details", "</details>", "<svg", "</svg>",
                           "<tr>", "</table>", "<li value=", "<rect", "<h2"}) {
    EXPECT_GT(count(written, part), 0u) << part;
    EXPECT_EQ(count(shown.out, part), count(written, part)) << part;
  }
  expect_contains(shown.out, "1,743");
  // Nothing on the console, neither an error nor a request that was refused.
  EXPECT_EQ(shown.err.find("CONSOLE"), std::string::npos) << shown.err;
  EXPECT_EQ(shown.err.find("Content Security Policy"), std::string::npos) << shown.err;
}

TEST(CliReport, SaysWhatIsWrongWithTheCommandLine) {
  const CommandRun run(sample("dekker"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "-o FILE is needed"},
      {{"-o", "/no/such/folder/page.html"}, "there is no folder"},
      {{"-o", "-", "--survey", "--no-survey"}, "contradict each other"},
  };
  for (const auto& [arguments, words] : cases) {
    const CommandResult result = run.ask("report", arguments);
    EXPECT_EQ(result.exit_code, 2) << words;
    expect_contains(result.err, words);
  }
}

}  // namespace
}  // namespace comback::test
