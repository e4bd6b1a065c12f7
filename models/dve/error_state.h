#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dve/dve.h"
#include "models/dve/program.h"

namespace comback::dve {

// The state that range errors lead to with RangeErrors::kErrorState and kTerminal: all variables
// zero, all processes at their first location, except that process 0 is at an extra location,
// numbered after its own, without transitions.
class ErrorState {
 public:
  ErrorState(const Program& program, RangeErrors range_errors) {
    const bool faults = range_errors == RangeErrors::kStop || range_errors == RangeErrors::kWrap;
    if (faults || program.processes.empty()) return;
    const Process& process = program.processes[0];
    const std::size_t location = process.locations.size();
    terminal_ = range_errors == RangeErrors::kTerminal;
    offset_ = process.offset;
    wide_ = process.location_bytes == 2;
    descriptor_.resize(program.width);
    descriptor_[offset_] = static_cast<std::byte>(location);
    if (wide_) descriptor_[offset_ + 1] = static_cast<std::byte>(location >> 8);
  }

  // Null where range errors are faults.
  const std::byte* descriptor() const { return descriptor_.empty() ? nullptr : descriptor_.data(); }

  // Whether `state` is the error state and has no successors for that reason.
  bool ends(const std::byte* state) const {
    return terminal_ && state[offset_] == descriptor_[offset_] &&
           (!wide_ || state[offset_ + 1] == descriptor_[offset_ + 1]);
  }

 private:
  std::vector<std::byte> descriptor_;
  bool terminal_ = false;
  std::size_t offset_ = 0;  // of the location of process 0
  bool wide_ = false;
};

}  // namespace comback::dve
