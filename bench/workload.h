#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/search.h"
#include "models/dve/executor.h"
#include "models/model.h"

namespace comback::bench {

// Descriptors of one width, one after the other.
struct Descriptors {
  std::size_t width = 0;
  std::size_t count = 0;
  std::vector<std::byte> bytes;  // with slack at the end, so that whole words can be read

  const std::byte* operator[](std::size_t i) const { return bytes.data() + i * width; }
};

// One model with what the benchmarks need of it. The states and successors come from the model
// itself, because how fast hashing and looking up are depends on what states look like and on how
// often a successor is known.
struct Workload {
  std::string name;
  std::unique_ptr<Model> native;
  std::unique_ptr<Model> interpreted;
  // Native code without any check for range errors: what the checks cost is the difference.
  std::unique_ptr<const dve::Executor> unchecked;
  Summary summary;         // of the breadth-first search
  Descriptors states;      // all of them, by id
  Descriptors sample;      // every so many-th
  Descriptors successors;  // of the sample
};

// The models to measure: at.3, peterson.4, lamport.5 and iprotocol.3 of BEEM, which the published
// figures of other checkers are about, where those are there ($COMBACK_BEEM_DIR or ../shared/beem);
// else samples of ours.
std::vector<std::filesystem::path> benchmark_models();

// Explores the model and keeps what the benchmarks need. Ends the program with a message where that
// fails.
std::unique_ptr<Workload> prepare(const std::filesystem::path& file);

}  // namespace comback::bench
