// How a descriptor should be laid out: byte by byte as models/dve/layout.cpp does, with a 4-byte
// slot for each value, or bit by bit. For each: hashing, comparing, and the size of columns after
// zstd, in blocks of 4096 states as the level store writes them. An item is a descriptor.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bench/ratios.h"
#include "bench/workload.h"
#include "storage/bytes.h"
#include "storage/hash.h"

namespace comback::bench {
namespace {

constexpr std::size_t kBlock = 4096;  // states
constexpr int kZstdLevel = 1;

struct Layout {
  std::string name;
  Descriptors states;
};

// The bits that a variable's values take over all reachable states: the best that bit packing could
// know, and more than it can know before exploring.
std::size_t bits_for(std::int64_t least, std::int64_t most) {
  std::size_t bits = 0;
  for (std::uint64_t range = static_cast<std::uint64_t>(most - least); range != 0; range >>= 1) {
    ++bits;
  }
  return bits;
}

struct Value {
  std::uint32_t variable;
  std::uint32_t element;
  std::int64_t least = 0;
  std::size_t bits = 0;
};

std::vector<Value> values_of(const Workload& workload) {
  std::vector<Value> values;
  const Model& model = *workload.native;
  const auto variables = model.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    for (std::uint32_t e = 0; e < std::max<std::uint32_t>(1, variables[v].length); ++e) {
      Value value{.variable = v, .element = e};
      std::int64_t least = model.value(workload.states[0], v, e);
      std::int64_t most = least;
      for (std::size_t i = 0; i < workload.states.count; ++i) {
        const std::int64_t x = model.value(workload.states[i], v, e);
        least = std::min(least, x);
        most = std::max(most, x);
      }
      value.least = least;
      value.bits = bits_for(least, most);
      values.push_back(value);
    }
  }
  return values;
}

Layout slots_of_4_bytes(const Workload& workload, const std::vector<Value>& values) {
  Layout layout{"4-byte slots", {values.size() * 4, workload.states.count, {}}};
  layout.states.bytes.resize(layout.states.width * layout.states.count + 64);
  std::byte* out = layout.states.bytes.data();
  for (std::size_t i = 0; i < workload.states.count; ++i) {
    for (const Value& value : values) {
      const auto x = static_cast<std::int32_t>(
          workload.native->value(workload.states[i], value.variable, value.element));
      std::memcpy(out, &x, 4);
      out += 4;
    }
  }
  return layout;
}

Layout bit_packed(const Workload& workload, const std::vector<Value>& values) {
  std::size_t bits = 0;
  for (const Value& value : values) bits += value.bits;
  Layout layout{"bit-packed",
                {std::max<std::size_t>(1, (bits + 7) / 8), workload.states.count, {}}};
  layout.states.bytes.resize(layout.states.width * layout.states.count + 64);
  for (std::size_t i = 0; i < workload.states.count; ++i) {
    std::byte* out = layout.states.bytes.data() + i * layout.states.width;
    std::size_t position = 0;
    for (const Value& value : values) {
      const auto x = static_cast<std::uint64_t>(
          workload.native->value(workload.states[i], value.variable, value.element) - value.least);
      for (std::size_t b = 0; b < value.bits; ++b, ++position) {
        if (((x >> b) & 1) != 0) out[position / 8] |= std::byte(1u << (position % 8));
      }
    }
  }
  return layout;
}

void hash(benchmark::State& run, const Descriptors& states) {
  for (auto _ : run) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < states.count; ++i) all ^= hash_bytes(states[i], states.width);
    benchmark::DoNotOptimize(all);
  }
  run.SetItemsProcessed(static_cast<std::int64_t>(run.iterations() * states.count));
}

// Equal descriptors: the comparison that a look-up of a known state makes.
void compare(benchmark::State& run, const Descriptors& states) {
  const std::vector<std::byte> copy = states.bytes;
  for (auto _ : run) {
    std::size_t equal = 0;
    for (std::size_t i = 0; i < states.count; ++i) {
      equal += equal_bytes(states[i], copy.data() + i * states.width, states.width) ? 1 : 0;
    }
    benchmark::DoNotOptimize(equal);
  }
  run.SetItemsProcessed(static_cast<std::int64_t>(run.iterations() * states.count));
}

// Turns blocks of states into columns and compresses them; returns the bytes.
std::size_t compress_columns(const Descriptors& states, ZSTD_CCtx* context) {
  std::vector<std::byte> columns(states.width * kBlock);
  std::vector<std::byte> compressed(ZSTD_compressBound(columns.size()));
  std::size_t total = 0;
  for (std::size_t start = 0; start < states.count; start += kBlock) {
    const std::size_t n = std::min(kBlock, states.count - start);
    for (std::size_t b = 0; b < states.width; ++b) {
      for (std::size_t i = 0; i < n; ++i) columns[b * n + i] = states[start + i][b];
    }
    total += ZSTD_compressCCtx(context, compressed.data(), compressed.size(), columns.data(),
                               states.width * n, kZstdLevel);
  }
  return total;
}

using Context = std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)>;

void compress(benchmark::State& run, const Descriptors& states) {
  const Context context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  for (auto _ : run) benchmark::DoNotOptimize(compress_columns(states, context.get()));
  run.SetItemsProcessed(static_cast<std::int64_t>(run.iterations() * states.count));
}

}  // namespace
}  // namespace comback::bench

int main(int argc, char** argv) {
  using namespace comback::bench;
  benchmark::Initialize(&argc, argv);
  std::vector<std::pair<std::string, Layout>> layouts;  // with the model's name
  for (const auto& file : benchmark_models()) {
    const std::unique_ptr<Workload> workload = prepare(file);
    const std::vector<Value> values = values_of(*workload);
    layouts.emplace_back(workload->name, Layout{"bytes, as built", workload->states});
    layouts.emplace_back(workload->name, slots_of_4_bytes(*workload, values));
    layouts.emplace_back(workload->name, bit_packed(*workload, values));
  }
  for (const auto& entry : layouts) {
    const auto add = [&entry](const char* what, auto function) {
      const Descriptors* states = &entry.second.states;
      benchmark::RegisterBenchmark((entry.first + "/" + entry.second.name + "/" + what).c_str(),
                                   [=](benchmark::State& run) { function(run, *states); })
          ->Unit(benchmark::kMillisecond);
    };
    add("hash", [](benchmark::State& run, const Descriptors& states) { hash(run, states); });
    add("compare", [](benchmark::State& run, const Descriptors& states) { compare(run, states); });
    add("compress",
        [](benchmark::State& run, const Descriptors& states) { compress(run, states); });
  }
  FastestReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);

  fmt::print("\nFastest repetitions, ns per state; sizes in bytes per state:\n");
  fmt::print("  {:<12} {:<16} {:>6} {:>6} {:>8} {:>9} {:>11}\n", "model", "layout", "width", "hash",
             "compare", "compress", "compressed");
  const Context context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  for (const auto& [model, layout] : layouts) {
    const std::string prefix = model + "/" + layout.name + "/";
    fmt::print("  {:<12} {:<16} {:>6} {:>6.1f} {:>8.1f} {:>9.1f} {:>11.2f}\n", model, layout.name,
               layout.states.width, reporter.nanoseconds(prefix + "hash"),
               reporter.nanoseconds(prefix + "compare"), reporter.nanoseconds(prefix + "compress"),
               static_cast<double>(compress_columns(layout.states, context.get())) /
                   static_cast<double>(layout.states.count));
  }
  return 0;
}
