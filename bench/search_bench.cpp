// What a transition costs: generating it, hashing it, looking it up; and whole searches. Times are
// per transition (an item is a transition) and for one thread. See docs/performance.md.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bench/ratios.h"
#include "bench/workload.h"
#include "engine/search.h"
#include "storage/descriptor_table.h"
#include "storage/hash.h"

namespace comback::bench {
namespace {

void count_transitions(benchmark::State& run, std::uint64_t per_iteration) {
  run.SetItemsProcessed(static_cast<std::int64_t>(run.iterations() * per_iteration));
}

// Generate the successors of the sample, as a search would.
template <class Successors>
void generate(benchmark::State& run, const Workload& workload, const Successors& successors) {
  SuccessorBuffer buffer(workload.states.width, workload.native->max_successors());
  std::uint64_t count = 0;
  for (auto _ : run) {
    count = 0;
    for (std::size_t i = 0; i < workload.sample.count; ++i) {
      successors(workload.sample[i], buffer);
      count += buffer.size();
    }
    benchmark::DoNotOptimize(buffer.view.descriptors);
  }
  if (count != workload.successors.count) return run.SkipWithError("other successors");
  count_transitions(run, count);
}

// Carry out one event alone, on a copy of the state: what reconstruction lives on.
void execute(benchmark::State& run, const Workload& workload) {
  const Model& model = *workload.native;
  SuccessorBuffer buffer(workload.states.width, model.max_successors());
  std::vector<Event> events;  // the first of each state
  std::vector<std::size_t> states;
  for (std::size_t i = 0; i < workload.sample.count; ++i) {
    model.successors(workload.sample[i], buffer);
    if (buffer.size() == 0) continue;
    events.push_back(buffer.event(i % buffer.size()));
    states.push_back(i);
  }
  std::vector<std::byte> state(workload.states.width + 64);
  for (auto _ : run) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      std::copy_n(workload.sample[states[i]], workload.states.width, state.data());
      model.execute(state.data(), events[i]);
      benchmark::DoNotOptimize(state.data());
    }
  }
  count_transitions(run, states.size());
}

void hash(benchmark::State& run, const Workload& workload) {
  const Descriptors& successors = workload.successors;
  for (auto _ : run) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < successors.count; ++i) {
      all ^= hash_bytes(successors[i], successors.width);
    }
    benchmark::DoNotOptimize(all);
  }
  count_transitions(run, successors.count);
}

// The full visited set with all states in it.
struct FilledTable {
  explicit FilledTable(const Descriptors& states)
      : log(states.width, budget), table(log, budget), open(table.open()) {
    for (std::size_t i = 0; open && i < states.count; ++i) {
      open = log.reserve(1);
      table.insert(table.hash_of(states[i]), states[i]);
    }
  }
  MemoryBudget budget;
  DescriptorLog log;
  DescriptorTable table;
  bool open;
};

// Look up the sample's successors, all of them known, in batches as the searches do. With hashes at
// hand: hashing has a benchmark of its own.
void look_up(benchmark::State& run, const Workload& workload) {
  constexpr std::size_t kBatch = 96;
  const Descriptors& successors = workload.successors;
  const FilledTable filled(workload.states);
  if (!filled.open) return run.SkipWithError("no memory");
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < successors.count; ++i) {
    hashes.push_back(filled.table.hash_of(successors[i]));
  }
  std::uint64_t found = 0;
  for (auto _ : run) {
    found = 0;
    for (std::size_t start = 0; start < successors.count; start += kBatch) {
      const std::size_t end = std::min(start + kBatch, successors.count);
      for (std::size_t i = start; i < end; ++i) filled.table.prefetch(hashes[i]);
      for (std::size_t i = start; i < end; ++i) filled.table.prefetch_match(hashes[i]);
      for (std::size_t i = start; i < end; ++i) {
        found += filled.table.contains(hashes[i], successors[i]) ? 1 : 0;
      }
    }
  }
  if (found != successors.count) return run.SkipWithError("a state is missing");
  count_transitions(run, successors.count);
}

// Insert all states into an empty set, growing on the way. An item is a state here.
void insert(benchmark::State& run, const Workload& workload) {
  for (auto _ : run) {
    const FilledTable filled(workload.states);
    if (filled.log.size() != workload.states.count) return run.SkipWithError("states are missing");
  }
  count_transitions(run, workload.states.count);
}

void search(benchmark::State& run, const Workload& workload, const Model& model,
            SearchOrder order) {
  SearchOptions options;
  options.order = order;
  options.memory_bytes = 8ull << 30;
  for (auto _ : run) {
    Monitor monitor;
    const auto summary = explore(model, options, monitor);
    if (!summary || summary->states != workload.summary.states) {
      return run.SkipWithError("the search failed");
    }
  }
  count_transitions(run, workload.summary.transitions);
}

// What one would write in an afternoon: native successors, and a set and a queue of strings.
void plain_search(benchmark::State& run, const Workload& workload) {
  const Model& model = *workload.native;
  const std::size_t width = model.width();
  for (auto _ : run) {
    std::unordered_set<std::string> visited;
    std::vector<const std::string*> queue;
    SuccessorBuffer buffer(width, model.max_successors());
    const auto add = [&](const std::byte* descriptor) {
      const auto [entry, added] = visited.emplace(reinterpret_cast<const char*>(descriptor), width);
      if (added) queue.push_back(&*entry);
    };
    std::vector<std::byte> initial(width);
    model.initial(initial.data());
    add(initial.data());
    for (std::size_t head = 0; head < queue.size(); ++head) {
      model.successors(reinterpret_cast<const std::byte*>(queue[head]->data()), buffer);
      for (std::uint32_t i = 0; i < buffer.size(); ++i) add(buffer.descriptor(i));
    }
    if (visited.size() != workload.summary.states) return run.SkipWithError("other states");
  }
  count_transitions(run, workload.summary.transitions);
}

void register_all(const Workload& workload) {
  const auto add = [&](const std::string& name, auto function) {
    benchmark::RegisterBenchmark((workload.name + "/" + name).c_str(), function)
        ->Unit(benchmark::kMillisecond);
  };
  const Workload* w = &workload;
  const auto with_model = [](const Model& model) {
    return [&model](const std::byte* state, SuccessorBuffer& out) { model.successors(state, out); };
  };
  add("generate_native", [=](benchmark::State& run) { generate(run, *w, with_model(*w->native)); });
  add("generate_interpreted",
      [=](benchmark::State& run) { generate(run, *w, with_model(*w->interpreted)); });
  add("generate_unchecked", [=](benchmark::State& run) {
    generate(run, *w, [w](const std::byte* state, SuccessorBuffer& out) {
      w->unchecked->successors(state, out.view);
    });
  });
  add("execute_native", [=](benchmark::State& run) { execute(run, *w); });
  add("hash", [=](benchmark::State& run) { hash(run, *w); });
  add("look_up", [=](benchmark::State& run) { look_up(run, *w); });
  add("insert", [=](benchmark::State& run) { insert(run, *w); });
  add("search_bfs_native",
      [=](benchmark::State& run) { search(run, *w, *w->native, SearchOrder::kBreadthFirst); });
  add("search_dfs_native",
      [=](benchmark::State& run) { search(run, *w, *w->native, SearchOrder::kDepthFirst); });
  add("search_bfs_interpreted",
      [=](benchmark::State& run) { search(run, *w, *w->interpreted, SearchOrder::kBreadthFirst); });
  add("search_unordered_set", [=](benchmark::State& run) { plain_search(run, *w); });
}

void print_summary(const Workload& workload, const FastestReporter& reporter) {
  const auto time = [&](const char* name) {
    return reporter.nanoseconds(workload.name + "/" + name);
  };
  const auto ratio = [&](const char* what, const char* of, const char* to) {
    if (time(of) == 0 || time(to) == 0) return;
    fmt::print("  {:<44}  {:6.2f}\n", what, time(of) / time(to));
  };
  const auto speed = [&](const char* what, const char* name) {
    if (time(name) == 0) return;
    fmt::print("  {:<44}  {:6.2f} M transitions/s, {:.0f} ns each\n", what, 1e3 / time(name),
               time(name));
  };
  fmt::print("{}\n", workload.name);
  speed("bfs, native", "search_bfs_native");
  speed("dfs, native", "search_dfs_native");
  speed("bfs, interpreted", "search_bfs_interpreted");
  if (time("search_bfs_native") != 0) {
    fmt::print("  {:<44}  {:.0f} + {:.0f} + {:.0f} ns; inserting a new state {:.0f} ns\n",
               "of bfs, native: generate + hash + look up", time("generate_native"), time("hash"),
               time("look_up"), time("insert"));
  }
  ratio("generating: interpreted / native", "generate_interpreted", "generate_native");
  ratio("generating: with range checks / without", "generate_native", "generate_unchecked");
  ratio("bfs: interpreted / native", "search_bfs_interpreted", "search_bfs_native");
  ratio("bfs: std::unordered_set<std::string> / ours", "search_unordered_set", "search_bfs_native");
  fmt::print("  signature {} states={} transitions={} depth={}\n", workload.name,
             workload.summary.states, workload.summary.transitions,
             workload.summary.level_sizes.size() - 1);
}

}  // namespace
}  // namespace comback::bench

int main(int argc, char** argv) {
  using namespace comback::bench;
  benchmark::Initialize(&argc, argv);
  std::vector<std::unique_ptr<Workload>> workloads;
  if (argc > 1) {
    for (int i = 1; i < argc; ++i) workloads.push_back(prepare(argv[i]));
  } else {
    for (const auto& file : benchmark_models()) workloads.push_back(prepare(file));
  }
  for (const auto& workload : workloads) register_all(*workload);
  FastestReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  fmt::print("\nFastest repetitions:\n");
  for (const auto& workload : workloads) print_summary(*workload, reporter);
  return 0;
}
