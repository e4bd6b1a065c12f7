#include "engine/run_record.h"
#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

void run(std::string_view input) {
  const auto record = RunRecord::decode(input);
  if (!record) return;
  // What a reader of the run relies on.
  const std::vector<StateId> first = record->first_ids();
  must(first.size() >= 2 && first[0] == 0 && first[1] == 1, "there is an initial state");
  must(first.back() == record->summary.states, "the levels have all states");
  for (std::size_t i = 0; i + 1 < first.size(); ++i) must(first[i] < first[i + 1], "levels rise");
  must(record->expanded <= record->summary.states, "no state is expanded that is not there");
  for (const Violation& violation : record->summary.violations) {
    must(violation.state < record->summary.states, "a violation is in a state");
  }
  for (const LevelStore::FileName& file : record->levels.files) {
    must(!file.name.empty() && file.name[0] != '.' && file.name.find('/') == std::string::npos,
         "a file is in its folder");
  }
  const auto again = RunRecord::decode(record->encode());
  must(bool(again), "a record that was read can be written and read again");
  must(again->summary.states == record->summary.states && again->expanded == record->expanded &&
           again->level == record->level && again->finished == record->finished,
       "it is the same record");
}

std::vector<std::string> seeds() {
  RunRecord record;
  record.written = 1794996000;
  Summary& summary = record.summary;
  summary.states = 15;
  summary.level_sizes = {1, 4, 10};
  summary.transitions = 22;
  summary.deadlocks = 1;
  summary.tree_digest = 0x123456789abcdef;
  summary.keep_levels = "every:4";
  summary.io = "uring";
  summary.seconds = 1.5;
  summary.violations.push_back({.kind = Verdict::kError,
                                .what = "a fault",
                                .state = 3,
                                .depth = 1,
                                .event = 7,
                                .trace = {}});
  record.first_deadlock = 2;
  record.level = 1;
  record.expanded = 3;
  record.counts.transitions = 12;
  const std::string in_memory = record.encode();
  record.on_disk = true;
  record.levels.first_ids = {0, 1, 5, 15};
  record.levels.files = {{"segment-000000", 4711}, {"level-000003", 99}};
  std::string on_disk = record.encode();
  record.finished = true;
  record.level = 3;
  record.expanded = 15;
  summary.verdict = Verdict::kError;
  return {in_memory, on_disk, record.encode()};
}

}  // namespace

FuzzTarget run_record_target() { return {"run_record", run, seeds}; }

}  // namespace comback::test
