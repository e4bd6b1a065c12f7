#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/dve/dve.h"
#include "models/dve/program.h"

// C++ from a checked Program: what native code is compiled from.

namespace comback::dve {

// What a library of native code exports under kCodeSymbol, filled in by the generated text.
//
// Bump kCodeAbi whenever CodeTable, SuccessorBuffer::View or what the functions do changes: old
// libraries in users' caches are then rebuilt.
struct CodeTable {
  std::uint32_t abi;
  std::uint32_t width;
  void (*successors)(const unsigned char* state, SuccessorBuffer::View* out);
  void (*execute)(unsigned char* state, std::uint32_t event);
  int (*failed_assertion)(const unsigned char* state);
};
inline constexpr std::uint32_t kCodeAbi = 1;
inline constexpr std::string_view kCodeSymbol = "comback_dve_code";

// One translation unit, in C++ with GNU extensions, that includes nothing and exports a CodeTable
// as `symbol`. It does exactly what models/dve/executor.h says. The text depends on nothing but the
// arguments, and not on names, comments or layout of the model's source.
std::string generate_source(const Program& program, RangeErrors range_errors,
                            std::string_view symbol = kCodeSymbol);

}  // namespace comback::dve
