#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace comback::test {

// A parser of bytes that come from a run directory, and what must hold whatever they are. run()
// ends the process where something does not, so that a fuzzer sees it.
struct FuzzTarget {
  std::string_view name;
  void (*run)(std::string_view input);
  // Inputs that the parser accepts, to start mutating from.
  std::vector<std::string> (*seeds)();
};

std::span<const FuzzTarget> fuzz_targets();

// The targets, one file each.
FuzzTarget hash_page_target();
FuzzTarget backedge_block_target();
FuzzTarget block_codec_target();
FuzzTarget level_block_target();
FuzzTarget level_store_target();
FuzzTarget run_file_target();
FuzzTarget run_header_target();
FuzzTarget run_record_target();

// --- for the targets ---

// Ends the process, naming what does not hold.
void must(bool holds, const char* what);

// Takes an unsigned number off the front of an input; zeros follow its end.
template <class T>
T take_number(std::string_view& input) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value && !input.empty(); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<unsigned char>(input[0])) << (8 * i));
    input.remove_prefix(1);
  }
  return value;
}
template <class T>
void put_number(T value, std::string& to) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    to.push_back(static_cast<char>(value >> (8 * i)));
  }
}

std::span<const std::byte> as_bytes(std::string_view text);
std::string as_text(std::span<const std::byte> bytes);

// Writes the checksum that a block of io/block_codec.h with these bytes would have, so that a
// fuzzer gets past it. Leaves what is too short for one alone.
void fix_block_checksum(std::string& block);

}  // namespace comback::test
