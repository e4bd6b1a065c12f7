#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/published_tables.h"
#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// The experiments of [evangelista09], on whatever models there are:
//   kTable6  caching strategies on four sizes of cache; kTable2 is its averages
//   kTable7  delayed detection; kTable3 is an excerpt, kTable4 the average and distribution
//   kTable5  splits of a budget of descriptors
enum class PaperTable { kTable2, kTable3, kTable4, kTable5, kTable6, kTable7 };
std::optional<PaperTable> parse_paper_table(std::string_view text);  // "table2", ...

struct ExperimentInstance {
  std::string name;  // "peterson.4"
  std::function<Result<std::unique_ptr<Model>>()> load;
};

struct ExperimentOptions {
  PaperTable table = PaperTable::kTable7;
  std::vector<ExperimentInstance> instances;
  PublishedTables published;
  std::optional<std::uint64_t> max_states;  // larger instances are left out
  std::uint64_t memory_bytes = 1ull << 30;
  unsigned seeds = 5;  // runs of a random cache, which are averaged
  unsigned hash_bits = 64;
  // Event executions in the order of events of AuthorsOrder; times always in our own.
  bool authors_order = true;
};

// One figure beside the published one.
struct ExperimentRow {
  std::string instance{};       // "average" where it is one
  std::string configuration{};  // "F, DDD(0.1)", "10^-2 F20-H80"
  std::string quantity{};       // "E-up", "T-up", "events/R"
  std::optional<double> measured{};
  std::optional<double> published{};
  // measured / published. Where the published figure is a ratio to the random strategy R: of the
  // event executions for F, of the ratios to F for all others, as neither depends on dice.
  std::optional<double> agreement{};
  // More than the figure's precision, or what the method leaves open, allows. Times never differ:
  // the machine is another one.
  bool differs = false;
};

class ExperimentSink {
 public:
  virtual ~ExperimentSink() = default;
  virtual void row(const ExperimentRow& row) = 0;
  // What is going on, and why an instance is left out.
  virtual void note(const std::string& text) = 0;
};

// Runs the experiment and hands over its rows, those of an instance as soon as they are there.
// Stops early, without an error, where `monitor` asks for it.
Status run_experiment(const ExperimentOptions& options, Monitor& monitor, ExperimentSink& sink);

}  // namespace comback
