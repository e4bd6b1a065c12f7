// What the disk engine promises (docs/performance.md, "The disk engine"), measured through the
// command as a user runs it:
//
//   bytes    on disk per state, in all and by part, --keep-levels auto
//   eup      E-up, events executed per transition, with kept levels and with none
//   tup      T-up, time against --visited full, with memory enough and with little
//   threads  two threads against one
//   growth   time per transition as a model grows and the budget does not
//   hour     states per second over an hour
//
// Every run is a line of a CSV file, under the binary's hash: an interrupted benchmark goes on
// where it was, and a run that several parts need is made once.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "storage/hash.h"
#include "tools/quantity.h"
#include "tools/table.h"

namespace comback::bench {
namespace {

namespace fs = std::filesystem;
using tools::Table;

constexpr double kMiB = 1024.0 * 1024.0;
const std::vector<std::string> kModels = {"anderson.6",  "at.5",      "brp.4",   "bakery.6",
                                          "iprotocol.4", "lamport.6", "phils.6", "train-gate.6"};
const std::vector<std::string> kLong = {"brp.8"};
const std::vector<std::string> kGrowing = {"at.3", "at.4", "at.5"};

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "disk_bench: {}\n", what);
  std::exit(1);
}

// One exploration: the figures that the parts need.
struct Run {
  double states = 0, transitions = 0, events = 0, seconds = 0, peak_bytes = 0;
  double disk_bytes = 0, state_bytes = 0, backedge_bytes = 0, level_bytes = 0;
  std::string keep_levels;

  double e_up() const { return events / transitions; }
  double rate() const { return transitions / seconds; }
};

// The runs made so far, in a file.
class Log {
 public:
  Log(fs::path file, std::string binary) : file_(std::move(file)), binary_(std::move(binary)) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      std::vector<std::string> cells;
      std::istringstream fields(line);
      for (std::string cell; std::getline(fields, cell, ',');) cells.push_back(cell);
      if (cells.size() != kColumns || cells[0] != binary_) continue;
      Run run;
      double* const figures[] = {&run.states,      &run.transitions,    &run.events,
                                 &run.seconds,     &run.peak_bytes,     &run.disk_bytes,
                                 &run.state_bytes, &run.backedge_bytes, &run.level_bytes};
      for (std::size_t i = 0; i < std::size(figures); ++i)
        *figures[i] = std::atof(cells[3 + i].c_str());
      run.keep_levels = cells.back();
      runs_[{cells[1], cells[2]}].push_back(run);
    }
  }

  const std::vector<Run>* find(const std::string& model, const std::string& variant) const {
    const auto at = runs_.find({model, variant});
    return at == runs_.end() ? nullptr : &at->second;
  }

  void add(const std::string& model, const std::string& variant, const Run& run) {
    runs_[{model, variant}].push_back(run);
    const bool fresh = !fs::exists(file_);
    std::ofstream out(file_, std::ios::app);
    if (fresh) {
      out << "binary,model,variant,states,transitions,events,seconds,peak_bytes,disk_bytes,"
             "state_bytes,backedge_bytes,level_bytes,keep_levels\n";
    }
    out << fmt::format(
        "{},{},{},{:.0f},{:.0f},{:.0f},{:.3f},{:.0f},{:.0f},{:.0f},{:.0f},{:.0f},{}\n", binary_,
        model, variant, run.states, run.transitions, run.events, run.seconds, run.peak_bytes,
        run.disk_bytes, run.state_bytes, run.backedge_bytes, run.level_bytes, run.keep_levels);
    if (!out) fail("cannot write " + file_.string());
  }

 private:
  static constexpr std::size_t kColumns = 13;
  fs::path file_;
  std::string binary_;
  std::map<std::pair<std::string, std::string>, std::vector<Run>> runs_;
};

// A command's standard output, line by line.
int read_lines(const std::string& command, const std::function<void(std::string_view)>& on_line) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) fail("cannot start " + command);
  char* line = nullptr;
  std::size_t capacity = 0;
  for (ssize_t n; (n = ::getline(&line, &capacity, pipe)) >= 0;) {
    on_line({line, static_cast<std::size_t>(n)});
  }
  std::free(line);
  return ::pclose(pipe);
}

nlohmann::json read_json(const std::string& command) {
  std::string text;
  const int status = read_lines(command, [&](std::string_view line) { text += line; });
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (status != 0 || json.is_discarded()) fail(fmt::format("'{}' failed ({})", command, status));
  return json;
}

Run to_run(const nlohmann::json& json) {
  Run run;
  run.states = json.at("states");
  run.transitions = json.at("transitions");
  run.events = json.at("events");
  run.seconds = json.at("seconds");
  run.peak_bytes = json.at("peak_memory_bytes");
  run.disk_bytes = json.at("disk_bytes");
  if (json.contains("disk_bytes_by_part")) {
    const auto& parts = json["disk_bytes_by_part"];
    run.state_bytes = parts.at("states");
    run.backedge_bytes = parts.at("backedges");
    run.level_bytes = parts.at("levels");
  }
  run.keep_levels = json.value("keep_levels", "");
  return run;
}

class Bench {
 public:
  Bench(fs::path binary, fs::path models, fs::path scratch, Log log, int repetitions)
      : binary_(std::move(binary)),
        models_(std::move(models)),
        scratch_(std::move(scratch)),
        log_(std::move(log)),
        repetitions_(repetitions) {}

  std::vector<std::string> chosen;  // models; empty: all of a part

  void bytes() {
    Table table({"model", "states", "B/state", "states", "backedges", "levels", "kept", "peak MiB",
                 "allowed"});
    Mean total, backedges;
    for (const std::string& model : models(kModels)) {
      const Run run = small_budget(model, "auto");
      const auto per_state = [&](double part) { return part / run.states; };
      table.add({model, tools::format_count(static_cast<std::uint64_t>(run.states)),
                 total.add(per_state(run.disk_bytes)), fixed(per_state(run.state_bytes)),
                 backedges.add(per_state(run.backedge_bytes)), fixed(per_state(run.level_bytes)),
                 run.keep_levels, fmt::format("{:.0f}", run.peak_bytes / kMiB),
                 fmt::format("{:.0f}", one_percent(model) / kMiB + 64)});
    }
    table.add({"average", "", total.text(), "", backedges.text(), "", "", "", ""});
    print("On disk at the end, bytes per state", table);
  }

  void e_up() {
    Table table({"model", "--memory MiB", "auto", "kept", "none"});
    Mean kept, none;
    for (const std::string& model : models(kModels)) {
      const Run with = small_budget(model, "auto");
      table.add({model, fmt::format("{:.0f}", one_percent(model) / kMiB), kept.add(with.e_up()),
                 with.keep_levels, none.add(small_budget(model, "none").e_up())});
    }
    table.add({"average", "", kept.text(), "", none.text()});
    print("E-up: events executed per transition", table);
  }

  void t_up() {
    Table table({"model", "full, s", "auto, s", "T-up", "disk 256M, s", "T-up"});
    Mean memory, disk;
    for (const std::string& model : models(kModels)) {
      const auto runs = together(model, {"full", "memory-1", "disk-1"});
      table.add({model, fixed(runs[0].seconds), fixed(runs[1].seconds),
                 memory.add(runs[1].seconds / runs[0].seconds), fixed(runs[2].seconds),
                 disk.add(runs[2].seconds / runs[0].seconds)});
    }
    table.add({"average", "", "", memory.text(), "", disk.text()});
    print("T-up: time against --visited full, one thread", table);
  }

  void threads() {
    Table table({"model", "1 thread, s", "2 threads, s", "speed-up", "disk 256M: 1, s", "2, s",
                 "speed-up"});
    Mean memory, disk;
    for (const std::string& model : models(kModels)) {
      const auto runs = together(model, {"memory-1", "memory-2", "disk-1", "disk-2"});
      if (chosen.empty() && runs[0].states < 10e6) continue;
      table.add({model, fixed(runs[0].seconds), fixed(runs[1].seconds),
                 memory.add(runs[0].seconds / runs[1].seconds), fixed(runs[2].seconds),
                 fixed(runs[3].seconds), disk.add(runs[2].seconds / runs[3].seconds)});
    }
    table.add({"average", "", "", memory.text(), "", "", disk.text()});
    print("Two threads against one", table);
  }

  void growth() {
    Table table(
        {"model", "states", "transitions", "seconds", "ns per transition", "against first"});
    std::vector<std::vector<Run>> runs;
    for (const std::string& model : models(kGrowing)) runs.push_back(together(model, {"growth-2"}));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Run& run = runs[i][0];
      table.add({models(kGrowing)[i], tools::format_count(static_cast<std::uint64_t>(run.states)),
                 tools::format_count(static_cast<std::uint64_t>(run.transitions)),
                 fixed(run.seconds), fixed(1e9 / run.rate()),
                 fixed(runs[0][0].rate() / run.rate())});
    }
    print("Growth with --memory 128M, two threads", table);
  }

  void hour() {
    for (const std::string& model : models(kLong)) one_hour(model);
  }

 private:
  class Mean {
   public:
    std::string add(double value) {
      sum_ += value;
      ++count_;
      return fixed(value);
    }
    std::string text() const { return count_ == 0 ? "" : fixed(sum_ / count_); }

   private:
    double sum_ = 0;
    int count_ = 0;
  };

  static std::string fixed(double value) { return fmt::format("{:.2f}", value); }
  static void print(const char* title, const Table& table) {
    fmt::print("\n{}\n{}", title, table.text());
    std::fflush(stdout);
  }
  const std::vector<std::string>& models(const std::vector<std::string>& all) const {
    return chosen.empty() ? all : chosen;
  }
  std::string model_file(const std::string& model) const {
    return (models_ / (model + ".dve")).string();
  }

  // What --memory is in the parts bytes and eup: a hundredth of the descriptors, and 64 MiB.
  double one_percent(const std::string& model) {
    const Run run = together(model, {"full"})[0];
    return 0.01 * run.states * width(model) + 64 * kMiB;
  }
  double width(const std::string& model) const {
    return read_json(fmt::format("{} info {} --json", binary_.string(), model_file(model)))
        .at("descriptor_bytes");
  }

  Run small_budget(const std::string& model, const std::string& keep) {
    return measure(
        model, "one-percent-" + keep,
        fmt::format("--memory {:.0f} --tables disk --threads 2 --keep-levels {} --run {}",
                    one_percent(model), keep, (scratch_ / "run").string()));
  }

  static std::string arguments(const std::string& variant) {
    static const std::map<std::string, std::string> kVariants = {
        {"full", "--visited full --memory 12G"},
        {"memory-1", "--memory 12G --threads 1"},
        {"memory-2", "--memory 12G --threads 2"},
        {"disk-1", "--memory 256M --tables disk --threads 1"},
        {"disk-2", "--memory 256M --tables disk --threads 2"},
        {"growth-2", "--memory 128M --threads 2"}};
    return kVariants.at(variant);
  }

  // The fastest run of each variant. The variants take turns, so that what else the machine does
  // meets all of them.
  std::vector<Run> together(const std::string& model, const std::vector<std::string>& variants) {
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      for (const std::string& variant : variants) {
        const auto* const made = log_.find(model, variant);
        if (made == nullptr || made->size() <= static_cast<std::size_t>(repetition)) {
          explore(model, variant, arguments(variant));
        }
      }
    }
    std::vector<Run> fastest;
    for (const std::string& variant : variants) {
      const auto& made = *log_.find(model, variant);
      fastest.push_back(*std::min_element(made.begin(), made.end(), [](const Run& a, const Run& b) {
        return a.seconds < b.seconds;
      }));
    }
    return fastest;
  }

  Run measure(const std::string& model, const std::string& variant, const std::string& arguments) {
    if (log_.find(model, variant) == nullptr) explore(model, variant, arguments);
    return log_.find(model, variant)->front();
  }

  void explore(const std::string& model, const std::string& variant, const std::string& arguments) {
    fmt::print(stderr, "{} {}\n", model, variant);
    std::error_code ignored;
    fs::remove_all(scratch_ / "run", ignored);
    const auto json =
        read_json(fmt::format("{} explore {} --successors native --progress none --json - {}",
                              binary_.string(), model_file(model), arguments));
    log_.add(model, variant, to_run(json));
    fs::remove_all(scratch_ / "run", ignored);
  }

  void one_hour(const std::string& model) {
    struct Point {
      double seconds;
      double states;
    };
    std::vector<Point> points = {{0, 0}};
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const fs::path summary = scratch_ / "hour.json";
    fs::remove_all(scratch_ / "run");
    const char* const limit = std::getenv("COMBACK_BENCH_HOUR");
    // Progress goes to standard error, which is what is read here.
    read_lines(
        fmt::format("{} explore {} --successors native --memory 4G --threads 2 --time-limit {} "
                    "--run {} --progress plain --progress-interval 10s --json {} 2>&1 >/dev/null",
                    binary_.string(), model_file(model), limit == nullptr ? "1h" : limit,
                    (scratch_ / "run").string(), summary.string()),
        [&](std::string_view line) {
          const std::size_t end = line.find(" states  ");
          if (end == std::string_view::npos) return;
          std::string digits;
          for (std::size_t at = end; at-- > 0 && line[at] != ' ';) {
            if (line[at] != ',') digits.insert(digits.begin(), line[at]);
          }
          points.push_back({elapsed(), std::atof(digits.c_str())});
        });
    std::ifstream in(summary);
    const auto json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) fail("the run of " + model + " left no summary");
    const Run run = to_run(json);
    fmt::print(
        "\n{}: {}, {} states, {} transitions, {:.0f} s, {:.0f} states/s, peak {:.0f} MiB, {:.2f} "
        "bytes per state on disk\n",
        model, json.at("verdict").get<std::string>(),
        tools::format_count(static_cast<std::uint64_t>(run.states)),
        tools::format_count(static_cast<std::uint64_t>(run.transitions)), run.seconds,
        run.states / run.seconds, run.peak_bytes / kMiB, run.disk_bytes / run.states);
    // Sixty bars over the whole time.
    constexpr int kBars = 60;
    constexpr double kRatePerMark = 50e3;
    std::size_t at = 0;
    for (int bar = 1; bar <= kBars; ++bar) {
      const double until = points.back().seconds * bar / kBars;
      const std::size_t from = at;
      while (at + 1 < points.size() && points[at].seconds < until) ++at;
      if (at == from) continue;
      const double rate =
          (points[at].states - points[from].states) / (points[at].seconds - points[from].seconds);
      fmt::print("{:6.0f} s {:>14} states {:>9.0f}/s {}\n", points[at].seconds,
                 tools::format_count(static_cast<std::uint64_t>(points[at].states)), rate,
                 std::string(static_cast<std::size_t>(rate / kRatePerMark), '#'));
    }
    std::ofstream csv(scratch_ / (model + ".rate.csv"));
    csv << "seconds,states\n";
    for (const Point& point : points)
      csv << fmt::format("{:.1f},{:.0f}\n", point.seconds, point.states);
    fs::remove_all(scratch_ / "run");
  }

  fs::path binary_;
  fs::path models_;
  fs::path scratch_;
  Log log_;
  int repetitions_;
};

std::string hash_of_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.empty()) fail("cannot read " + file.string());
  return fmt::format("{:016x}",
                     hash_bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()));
}

int run(int argc, char** argv) {
  const char* const beem = std::getenv("COMBACK_BEEM_DIR");
  const fs::path models =
      beem != nullptr ? fs::path(beem) : fs::path(COMBACK_SOURCE_DIR) / "../shared/beem";
  if (!fs::exists(models / "expected.csv"))
    fail("no BEEM models in " + models.string() + "; set COMBACK_BEEM_DIR");
  const char* const repetitions = std::getenv("COMBACK_BENCH_REPETITIONS");
  const char* const other = std::getenv("COMBACK_BENCH_BINARY");
  const fs::path binary = other != nullptr ? other : COMBACK_BINARY;
  const fs::path scratch = fs::path(COMBACK_BUILD_DIR) / "bench" / "disk";
  fs::create_directories(scratch);
  Bench bench(binary, models, scratch, Log(scratch / "runs.csv", hash_of_file(binary)),
              repetitions == nullptr ? 1 : std::atoi(repetitions));

  const std::vector<std::pair<std::string, void (Bench::*)()>> parts = {
      {"bytes", &Bench::bytes},     {"eup", &Bench::e_up},      {"tup", &Bench::t_up},
      {"threads", &Bench::threads}, {"growth", &Bench::growth}, {"hour", &Bench::hour}};
  std::vector<void (Bench::*)()> wanted;
  for (int i = 1; i < argc; ++i) {
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == argv[i]; });
    if (part != parts.end()) {
      wanted.push_back(part->second);
    } else {
      const fs::path model = fs::path(argv[i]).filename();
      bench.chosen.push_back(model.extension() == ".dve" ? model.stem() : model);
    }
  }
  if (wanted.empty()) {
    for (const auto& part : parts) {
      if (part.first != "hour") wanted.push_back(part.second);
    }
  }
  for (const auto& part : wanted) (bench.*part)();
  return 0;
}

}  // namespace
}  // namespace comback::bench

int main(int argc, char** argv) { return comback::bench::run(argc, argv); }
