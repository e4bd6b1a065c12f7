#include "bench/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include "models/diagnostic.h"
#include "models/dve/dve.h"
#include "models/dve/native.h"
#include "models/dve/parse.h"
#include "storage/descriptor_table.h"

namespace comback::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSample = 100'000;
constexpr std::size_t kSlack = 64;

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

std::unique_ptr<Model> load(const fs::path& file, dve::Backend backend) {
  auto result = dve::load_file(file, {.backend = backend});
  if (const auto* problems = std::get_if<Diagnostics>(&result)) fail(to_string(*problems));
  return std::move(std::get<std::unique_ptr<Model>>(result));
}

void without_sites(dve::Expr& expr) {
  expr.site = dve::kNoSite;
  for (dve::Expr& argument : expr.args) without_sites(argument);
}

void without_sites(dve::Lvalue& target) {
  target.index_site = dve::kNoSite;
  target.store_site = dve::kNoSite;
  if (target.index) without_sites(*target.index);
}

// The program without the places that can fail. REQUIRES: none of them does.
dve::Program without_checks(dve::Program program) {
  for (dve::Process& process : program.processes) {
    for (dve::Transition& transition : process.transitions) {
      if (transition.guard) without_sites(*transition.guard);
      for (dve::Expr& value : transition.sent) without_sites(value);
      std::fill(transition.sent_sites.begin(), transition.sent_sites.end(), dve::kNoSite);
      for (dve::Lvalue& target : transition.received) without_sites(target);
      for (dve::Assignment& effect : transition.effects) {
        without_sites(effect.target);
        without_sites(effect.value);
      }
    }
  }
  for (dve::Assertion& assertion : program.assertions) without_sites(assertion.condition);
  return program;
}

std::unique_ptr<const dve::Executor> load_unchecked(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  auto parsed = dve::parse_program(file.string(), std::move(text), /*ignore_property=*/true);
  if (const auto* problems = std::get_if<Diagnostics>(&parsed)) fail(to_string(*problems));
  auto made = dve::native_executor(without_checks(std::get<dve::Program>(std::move(parsed))), {});
  if (const auto* problems = std::get_if<Diagnostics>(&made)) fail(to_string(*problems));
  return std::move(std::get<0>(made));
}

void append(Descriptors& to, const std::byte* descriptor) {
  to.bytes.insert(to.bytes.end(), descriptor, descriptor + to.width);
  ++to.count;
}

// All states in breadth-first order.
Descriptors collect(const Model& model) {
  MemoryBudget budget;
  DescriptorLog log(model.width(), budget);
  DescriptorTable table(log, budget);
  SuccessorBuffer buffer(model.width(), model.max_successors());
  std::vector<std::byte> initial(model.width() + kSlack);
  model.initial(initial.data());
  if (!table.open() || !log.reserve(1)) fail("no memory");
  table.insert(table.hash_of(initial.data()), initial.data());
  for (std::uint64_t id = 0; id < log.size(); ++id) {
    model.successors(log.get(id), buffer);
    if (!log.reserve(buffer.size())) fail("no memory");
    for (std::uint32_t i = 0; i < buffer.size(); ++i) {
      table.insert(table.hash_of(buffer.descriptor(i)), buffer.descriptor(i));
    }
  }
  Descriptors states{.width = model.width(), .count = 0, .bytes = {}};
  states.bytes.reserve(log.size() * model.width() + kSlack);
  for (std::uint64_t id = 0; id < log.size(); ++id) append(states, log.get(id));
  return states;
}

}  // namespace

std::vector<fs::path> benchmark_models() {
  const char* named = std::getenv("COMBACK_BEEM_DIR");
  const fs::path root = COMBACK_SOURCE_DIR;
  const fs::path beem = named != nullptr ? fs::path(named) : root / "../shared/beem";
  std::vector<fs::path> models;
  for (const char* name : {"at.3", "peterson.4", "lamport.5", "iprotocol.3"}) {
    if (fs::exists(beem / (std::string(name) + ".dve"))) {
      models.push_back((beem / (std::string(name) + ".dve")).lexically_normal());
    }
  }
  if (!models.empty()) return models;
  return {root / "models/samples/philosophers_medium.dve", root / "models/samples/go_back_n.dve"};
}

std::unique_ptr<Workload> prepare(const fs::path& file) {
  auto workload = std::make_unique<Workload>();
  workload->name = file.stem().string();
  workload->native = load(file, dve::Backend::kNative);
  workload->interpreted = load(file, dve::Backend::kInterpreted);
  workload->unchecked = load_unchecked(file);

  const Model& model = *workload->native;
  Monitor monitor;
  SearchOptions options;
  options.memory_bytes = 8ull << 30;
  auto summary = explore(model, options, monitor);
  if (!summary) fail(summary.error().what);
  workload->summary = std::move(*summary);
  workload->states = collect(model);
  if (workload->states.count != workload->summary.states) fail("two searches disagree");

  const Descriptors& states = workload->states;
  const std::size_t step = std::max<std::size_t>(1, states.count / kSample);
  workload->sample.width = workload->successors.width = model.width();
  SuccessorBuffer buffer(model.width(), model.max_successors());
  for (std::size_t i = 0; i < states.count; i += step) {
    append(workload->sample, states[i]);
    model.successors(states[i], buffer);
    for (std::uint32_t s = 0; s < buffer.size(); ++s) {
      append(workload->successors, buffer.descriptor(s));
    }
  }
  for (Descriptors* descriptors : {&workload->states, &workload->sample, &workload->successors}) {
    descriptors->bytes.resize(descriptors->bytes.size() + kSlack);
  }
  return workload;
}

}  // namespace comback::bench
