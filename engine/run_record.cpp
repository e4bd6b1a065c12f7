#include "engine/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace comback {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kVerdicts = {Verdict::kComplete,  Verdict::kDeadlock, Verdict::kAssertion,
                                  Verdict::kInvariant, Verdict::kError,    Verdict::kIncomplete};
constexpr std::array kStopReasons = {
    StopReason::kNone,   StopReason::kMaxStates, StopReason::kMaxDepth,    StopReason::kTimeLimit,
    StopReason::kMemory, StopReason::kTableFull, StopReason::kInterrupted, StopReason::kDisk};
constexpr std::uint64_t kMostStates = std::uint64_t{1} << 40;

// Reads members; the first that is missing or of another type is remembered.
class Reader {
 public:
  Reader(const Json& json, std::string& wrong) : json_(&json), wrong_(&wrong) {}

  std::uint64_t number(const char* name, std::uint64_t most = ~std::uint64_t{0}) {
    const Json* const value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > most) return fail(name), 0;
    return value->get<std::uint64_t>();
  }
  bool flag(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) return fail(name), false;
    return value->get<bool>();
  }
  double real(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return 0;
    if (!value->is_number()) return fail(name), 0;
    return value->get<double>();
  }
  std::string text(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr) return {};
    if (!value->is_string()) return fail(name), std::string();
    return value->get<std::string>();
  }
  std::optional<std::uint64_t> maybe_number(const char* name) {
    const Json* const value = find(name);
    if (value == nullptr || value->is_null()) return std::nullopt;
    return number(name);
  }
  std::vector<std::uint64_t> numbers(const char* name) {
    std::vector<std::uint64_t> result;
    for (const Json& value : array(name)) {
      if (!value.is_number_unsigned()) return fail(name), result;
      result.push_back(value.get<std::uint64_t>());
    }
    return result;
  }
  const Json& array(const char* name) { return typed(name, Json::value_t::array); }
  const Json& object(const char* name) { return typed(name, Json::value_t::object); }
  // One of the words that to_string gives for `choices`.
  template <class T, std::size_t N>
  T word(const char* name, const std::array<T, N>& choices) {
    const std::string given = text(name);
    for (const T choice : choices) {
      if (given == to_string(choice)) return choice;
    }
    fail(name);
    return choices[0];
  }
  void fail(const char* name) {
    if (wrong_->empty()) *wrong_ = name;
  }

 private:
  const Json* find(const char* name) {
    const auto it = json_->find(name);
    if (it != json_->end()) return &*it;
    fail(name);
    return nullptr;
  }
  const Json& typed(const char* name, Json::value_t type) {
    static const Json kNothing;
    const Json* const value = find(name);
    if (value != nullptr && value->type() == type) return *value;
    fail(name);
    return kNothing;
  }

  const Json* json_;
  std::string* wrong_;
};

Json maybe(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json encode_violations(const std::vector<Violation>& violations) {
  Json json = Json::array();
  for (const Violation& violation : violations) {
    Json one = {{"kind", to_string(violation.kind)},
                {"what", violation.what},
                {"state", violation.state},
                {"depth", violation.depth}};
    if (violation.event) one["event"] = *violation.event;
    json.push_back(std::move(one));
  }
  return json;
}

std::vector<Violation> decode_violations(const Json& json, std::string& wrong) {
  std::vector<Violation> violations;
  for (const Json& one : json) {
    if (!one.is_object()) {
      wrong = "violations";
      break;
    }
    Reader in(one, wrong);
    Violation violation;
    violation.kind = in.word("kind", kVerdicts);
    violation.what = in.text("what");
    violation.state = in.number("state");
    violation.depth = in.number("depth");
    if (one.contains("event")) {
      violation.event = static_cast<Event>(in.number("event", 0xffffffff));
    }
    violations.push_back(std::move(violation));
  }
  return violations;
}

Json encode_counts(const SearchCounts& counts) {
  return {{"transitions", counts.transitions},
          {"deadlocks", counts.deadlocks},
          {"wraps", counts.wraps},
          {"invariant_violations", counts.invariant_violations},
          {"assertion_violations", counts.assertion_violations},
          {"first_deadlock", maybe(counts.first_deadlock)},
          {"violations", encode_violations(counts.violations)}};
}

SearchCounts decode_counts(const Json& json, std::string& wrong) {
  Reader in(json, wrong);
  SearchCounts counts;
  counts.transitions = in.number("transitions");
  counts.deadlocks = in.number("deadlocks");
  counts.wraps = in.number("wraps");
  counts.invariant_violations = in.number("invariant_violations");
  counts.assertion_violations = in.number("assertion_violations");
  counts.first_deadlock = in.maybe_number("first_deadlock");
  counts.violations = decode_violations(in.array("violations"), wrong);
  return counts;
}

Json encode_levels(const LevelStore::Contents& levels) {
  Json files = Json::array();
  for (const LevelStore::FileName& file : levels.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}});
  }
  return {{"first_ids", levels.first_ids}, {"files", std::move(files)}};
}

LevelStore::Contents decode_levels(const Json& json, std::string& wrong) {
  Reader in(json, wrong);
  LevelStore::Contents levels;
  levels.first_ids = in.numbers("first_ids");
  for (const Json& one : in.array("files")) {
    if (!one.is_object()) {
      in.fail("files");
      break;
    }
    Reader file(one, wrong);
    levels.files.push_back({file.text("name"), file.number("bytes")});
    const std::string& name = levels.files.back().name;
    // Names of files in one folder, not ways out of it.
    if (name.empty() || name.find('/') != std::string::npos || name[0] == '.' ||
        name.find('\0') != std::string::npos) {
      in.fail("name");
    }
  }
  return levels;
}

// What the parts say of each other. The names of members that do not fit, or empty.
std::string contradiction(const RunRecord& record) {
  const Summary& summary = record.summary;
  std::uint64_t sum = 0;
  for (const std::uint64_t size : summary.level_sizes) {
    if (size == 0 || size > kMostStates) return "level_sizes";
    sum += size;
    if (sum > kMostStates) return "level_sizes";
  }
  if (sum != summary.states || summary.states == 0 || summary.level_sizes[0] != 1) return "states";
  const std::vector<StateId> first = record.first_ids();
  const std::size_t levels = summary.level_sizes.size();
  // Finished: behind the last level; else in it, or in the one before.
  if (record.level + (record.finished ? 0 : 1) > levels) return "level";
  if (record.level + (record.finished ? 0 : 2) < levels) return "level";
  const StateId begin = record.level < levels ? first[record.level] : summary.states;
  const StateId end = record.level + 1 < levels ? first[record.level + 1] : summary.states;
  if (record.expanded < begin || record.expanded > end) return "expanded";
  for (const auto* violations : {&summary.violations, &record.counts.violations}) {
    for (const Violation& violation : *violations) {
      if (violation.state >= summary.states || violation.kind == Verdict::kComplete ||
          violation.kind == Verdict::kIncomplete) {
        return "violations";
      }
    }
  }
  for (const auto& deadlock : {record.first_deadlock, record.counts.first_deadlock}) {
    if (deadlock && *deadlock >= summary.states) return "first_deadlock";
  }
  return {};
}

}  // namespace

std::string RunRecord::encode() const {
  const Summary& s = summary;
  Json json;
  json["format"] = kFormat;
  json["written"] = written;
  json["finished"] = finished;
  json["verdict"] = to_string(s.verdict);
  json["stop_reason"] = to_string(s.stop_reason);
  json["states"] = s.states;
  json["level_sizes"] = s.level_sizes;
  json["tree_digest"] = fmt::format("{:016x}", s.tree_digest.value_or(0));
  json["found"] = encode_counts({s.transitions, s.deadlocks, s.wraps, s.invariant_violations,
                                 s.assertion_violations, first_deadlock, s.violations});
  json["reconstructions"] = s.reconstructions;
  json["reconstruction_events"] = s.reconstruction_events;
  json["hash_conflicts"] = s.hash_conflicts;
  json["spilled_bytes"] = s.spilled_bytes;
  json["disk_bytes"] = s.disk_bytes;
  json["disk_bytes_by_part"] = {s.disk_parts.states, s.disk_parts.backedges, s.disk_parts.levels};
  json["visited_bytes"] = s.visited_bytes;
  json["io"] = s.io;
  json["keep_levels"] = s.keep_levels;
  json["seconds"] = s.seconds;
  json["level"] = level;
  json["expanded"] = expanded;
  json["counts"] = encode_counts(counts);
  json["transitions_before_level"] = transitions_before_level;
  json["deadlocks_before_level"] = deadlocks_before_level;
  json["on_disk"] = on_disk;
  if (on_disk) json["levels"] = encode_levels(levels);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunRecord> RunRecord::decode(std::string_view text) {
  const auto corrupt = [](const std::string& what) {
    return Error{Errc::kCorruption, "the run's record: " + what};
  };
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return corrupt("is not a JSON object");
  std::string wrong;
  Reader in(json, wrong);
  const std::uint64_t format = in.number("format");
  if (wrong.empty() && format != kFormat) {
    return Error{Errc::kUnsupported, fmt::format("the run's record has format {}; this comback "
                                                 "reads format {}",
                                                 format, kFormat)};
  }
  RunRecord record;
  Summary& s = record.summary;
  record.written = static_cast<std::int64_t>(in.number("written", std::uint64_t{1} << 62));
  record.finished = in.flag("finished");
  s.verdict = in.word("verdict", kVerdicts);
  s.stop_reason = in.word("stop_reason", kStopReasons);
  s.states = in.number("states", kMostStates);
  s.level_sizes = in.numbers("level_sizes");
  const std::string digest = in.text("tree_digest");
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digest.data(), digest.data() + digest.size(), value, 16);
  if (error != std::errc() || end != digest.data() + digest.size()) in.fail("tree_digest");
  s.tree_digest = value;
  SearchCounts found = decode_counts(in.object("found"), wrong);
  s.transitions = found.transitions;
  s.deadlocks = found.deadlocks;
  s.wraps = found.wraps;
  s.invariant_violations = found.invariant_violations;
  s.assertion_violations = found.assertion_violations;
  s.violations = std::move(found.violations);
  record.first_deadlock = found.first_deadlock;
  s.reconstructions = in.number("reconstructions");
  s.reconstruction_events = in.number("reconstruction_events");
  s.events = s.transitions + s.reconstruction_events;
  s.hash_conflicts = in.number("hash_conflicts");
  s.spilled_bytes = in.number("spilled_bytes");
  s.disk_bytes = in.number("disk_bytes");
  const std::vector<std::uint64_t> parts = in.numbers("disk_bytes_by_part");
  if (parts.size() == 3) {
    s.disk_parts = {parts[0], parts[1], parts[2]};
  } else {
    in.fail("disk_bytes_by_part");
  }
  s.visited_bytes = in.number("visited_bytes");
  s.io = in.text("io");
  s.keep_levels = in.text("keep_levels");
  s.seconds = in.real("seconds");
  record.level = static_cast<std::uint32_t>(in.number("level", 0xfffffff0));
  record.expanded = in.number("expanded", kMostStates);
  record.counts = decode_counts(in.object("counts"), wrong);
  record.transitions_before_level = in.number("transitions_before_level");
  record.deadlocks_before_level = in.number("deadlocks_before_level");
  record.on_disk = in.flag("on_disk");
  if (record.on_disk) record.levels = decode_levels(in.object("levels"), wrong);
  if (wrong.empty()) wrong = contradiction(record);
  if (!wrong.empty()) return corrupt(fmt::format("\"{}\" is missing or impossible", wrong));
  return record;
}

std::vector<StateId> RunRecord::first_ids() const {
  std::vector<StateId> first = {0};
  for (const std::uint64_t size : summary.level_sizes) first.push_back(first.back() + size);
  return first;
}

}  // namespace comback
