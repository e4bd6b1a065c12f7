#include "tests/fuzz/fuzz_target.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "io/block_codec.h"
#include "storage/hash.h"

namespace comback::test {

std::span<const FuzzTarget> fuzz_targets() {
  static const std::array targets{
      hash_page_target(),   backedge_block_target(), block_codec_target(), level_block_target(),
      level_store_target(), run_file_target(),       run_header_target(),  run_record_target()};
  return targets;
}

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void fix_block_checksum(std::string& block) {
  if (block.size() < kBlockHeaderBytes) return;
  const std::uint64_t sum = hash_bytes(as_bytes(block).data() + 8, block.size() - 8);
  std::memcpy(block.data(), &sum, sizeof sum);
}

}  // namespace comback::test
