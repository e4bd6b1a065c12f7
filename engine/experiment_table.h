#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/experiment.h"
#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// One instance, explored by the classical search that all others are measured against.
struct ExperimentBaseline {
  std::string name{};
  const Model* model = nullptr;  // whose event executions are counted
  const Model* timed = nullptr;  // the same, or in our order of events where that takes less time
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  double seconds = 0;
};

// What the tables have in common: the options, where rows go, and searches that are checked.
class ExperimentBench {
 public:
  // REQUIRES: all outlive it.
  ExperimentBench(const ExperimentOptions& options, Monitor& monitor, ExperimentSink& sink)
      : options_(&options), monitor_(&monitor), sink_(&sink) {}

  const ExperimentOptions& options() const { return *options_; }
  const PublishedTables& published() const { return options_->published; }
  Monitor& monitor() { return *monitor_; }
  ExperimentSink& sink() { return *sink_; }

  // One search of `model` with the ComBack method; empty where it was asked to stop. An error where
  // it does not find what the classical search found.
  Result<std::optional<Summary>> search(const Model& model, const ExperimentBaseline& base,
                                        const ComBackOptions& comback);

 private:
  const ExperimentOptions* options_;
  Monitor* monitor_;
  ExperimentSink* sink_;
};

// The measurements of one table of [evangelista09] and the averages over its instances.
class ExperimentTable {
 public:
  virtual ~ExperimentTable() = default;
  // Measures an instance; stops early, without an error, where it is asked to.
  virtual Status measure(const ExperimentBaseline& base) = 0;
  // All instances have been measured.
  virtual void conclude() = 0;
};

// REQUIRES: `bench` outlives the table.
std::unique_ptr<ExperimentTable> make_caching_table(ExperimentBench& bench);    // Tables 6 and 2
std::unique_ptr<ExperimentTable> make_delaying_table(ExperimentBench& bench);   // Tables 7, 3, 4
std::unique_ptr<ExperimentTable> make_splitting_table(ExperimentBench& bench);  // Table 5

}  // namespace comback
