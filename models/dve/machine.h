#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/dve/bytecode.h"
#include "models/model.h"

namespace comback::dve {

// How a piece of code ended.
struct Outcome {
  std::int64_t value = 0;  // the accumulator, or the offending value of a fault
  std::uint32_t fault_site = Fault::kNone;
  bool faulted = false;
  std::uint64_t wraps = 0;
};

// Runs the code at `start` to its kHalt, or to its first fault. Expressions are read from
// `current`; stores go to `successor`, which is the same state or not needed.
Outcome run(const Code& code, std::uint32_t start, const std::byte* current, std::byte* successor);

// Where a process has its location, and its code for each.
struct ProcessCode {
  std::uint32_t offset = 0;
  bool wide = false;          // the location has two bytes
  std::uint32_t entries = 0;  // entries[this + location] is the position of the code
  // Locations beyond, which no state of the model has, are taken for it: the error state's.
  std::uint32_t last_location = 0;
};

struct SuccessorCode {
  const Code& code;
  std::span<const ProcessCode> processes;
  std::span<const std::uint32_t> entries;
  std::size_t width;
  const std::byte* error_state;  // what a fault leads to; null: it is reported, with no successor
};

// Runs the code of every process's location, each to its kNextProcess, and appends what is between
// kBegin and kEnd.
void run_processes(const SuccessorCode& code, const std::byte* state, SuccessorBuffer::View& out);

}  // namespace comback::dve
