#include "engine/experiment.h"

#include <fmt/format.h>

#include <utility>

#include "engine/authors_order.h"
#include "engine/experiment_table.h"

namespace comback {
namespace {

std::unique_ptr<ExperimentTable> make_table(ExperimentBench& bench) {
  switch (bench.options().table) {
    case PaperTable::kTable2:
    case PaperTable::kTable6:
      return make_caching_table(bench);
    case PaperTable::kTable5:
      return make_splitting_table(bench);
    default:
      return make_delaying_table(bench);
  }
}

// Whether the instance is known to be too large.
bool too_large(const ExperimentOptions& options, const std::string& name) {
  const auto size = options.published.sizes.find(name);
  return size != options.published.sizes.end() && options.max_states &&
         size->second.states > *options.max_states;
}

Status run_instance(const ExperimentInstance& instance, ExperimentBench& bench,
                    ExperimentTable& table) {
  Result<std::unique_ptr<Model>> model = instance.load();
  if (!model) {
    bench.sink().note(fmt::format("{}: left out, {}", instance.name, model.error().what));
    return Done{};
  }
  SearchOptions full;
  full.memory_bytes = bench.options().memory_bytes;
  full.max_states = bench.options().max_states;
  Result<Summary> summary = explore(**model, full, bench.monitor());
  if (!summary) return summary.error();
  if (summary->verdict != Verdict::kComplete) {
    bench.sink().note(fmt::format("{}: left out, the search of all states did not end ({} states)",
                                  instance.name, summary->states));
    return Done{};
  }
  const Model* const timed = model->get();
  if (bench.options().authors_order && AuthorsOrder::wanted(**model)) {
    *model = std::make_unique<AuthorsOrder>(std::move(*model));
  }
  return table.measure({.name = instance.name,
                        .model = model->get(),
                        .timed = timed,
                        .states = summary->states,
                        .transitions = summary->transitions,
                        .seconds = summary->seconds});
}

}  // namespace

std::optional<PaperTable> parse_paper_table(std::string_view text) {
  constexpr std::pair<std::string_view, PaperTable> kTables[] = {
      {"table2", PaperTable::kTable2}, {"table3", PaperTable::kTable3},
      {"table4", PaperTable::kTable4}, {"table5", PaperTable::kTable5},
      {"table6", PaperTable::kTable6}, {"table7", PaperTable::kTable7}};
  for (const auto& [name, table] : kTables) {
    if (name == text) return table;
  }
  return {};
}

Result<std::optional<Summary>> ExperimentBench::search(const Model& model,
                                                       const ExperimentBaseline& base,
                                                       const ComBackOptions& comback) {
  SearchOptions options;
  options.visited = VisitedMode::kComBack;
  options.hash_bits = options_->hash_bits;
  options.memory_bytes = options_->memory_bytes;
  options.comback = comback;
  Result<Summary> summary = explore(model, options, *monitor_);
  if (!summary) return summary.error();
  if (summary->stop_reason == StopReason::kInterrupted) return std::optional<Summary>();
  if (summary->states != base.states || summary->transitions != base.transitions) {
    return Error{Errc::kCorruption,
                 fmt::format("{}: {} states and {} transitions with the ComBack method, {} and {} "
                             "without: please report this",
                             base.name, summary->states, summary->transitions, base.states,
                             base.transitions)};
  }
  return std::optional<Summary>(std::move(*summary));
}

Status run_experiment(const ExperimentOptions& options, Monitor& monitor, ExperimentSink& sink) {
  std::vector<const ExperimentInstance*> wanted;
  for (const ExperimentInstance& instance : options.instances) {
    if (!too_large(options, instance.name)) wanted.push_back(&instance);
  }
  if (const std::size_t left_out = options.instances.size() - wanted.size(); left_out > 0) {
    sink.note(fmt::format("left out: {} with more than {} states, as published", left_out,
                          *options.max_states));
  }
  ExperimentBench bench(options, monitor, sink);
  const std::unique_ptr<ExperimentTable> table = make_table(bench);
  for (std::size_t i = 0; i < wanted.size() && !monitor.stop_requested(); ++i) {
    sink.note(fmt::format("{}: exploring ({} of {})", wanted[i]->name, i + 1, wanted.size()));
    if (Status status = run_instance(*wanted[i], bench, *table); !status) return status;
  }
  table->conclude();
  return Done{};
}

}  // namespace comback
