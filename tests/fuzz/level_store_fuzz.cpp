#include <cstring>

#include "io/little_endian.h"
#include "storage/hash.h"
#include "storage/level_block.h"
#include "storage/level_store.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

constexpr std::size_t kWidth = 5;
constexpr std::size_t kTrailerBytes = 32;
constexpr char kName[] = "segment-000000";
const LevelStore::Options kReadOnly{.read_only = true};

// Three levels of 1, 4 and 60 states.
std::vector<std::uint64_t> first_ids() { return {0, 1, 5, 65}; }

// An index that a fuzzer changed gets the checksums that let it be read.
void fix_footer_checksums(std::string& file) {
  if (file.size() < kTrailerBytes) return;
  std::byte* const trailer =
      reinterpret_cast<std::byte*>(file.data()) + file.size() - kTrailerBytes;
  const auto offset = load_le<std::uint64_t>(trailer + 16);
  const auto bytes = load_le<std::uint32_t>(trailer + 24);
  if (offset <= file.size() - kTrailerBytes && bytes <= file.size() - kTrailerBytes - offset) {
    std::string index = file.substr(offset, bytes);
    fix_block_checksum(index);
    file.replace(offset, bytes, index);
  }
  store_le(reinterpret_cast<std::byte*>(file.data()) + file.size() - kTrailerBytes,
           hash_bytes(as_bytes(file).data() + file.size() - kTrailerBytes + 8, kTrailerBytes - 8));
}

void read_all(const TempDir& dir, std::string_view file) {
  dir.write(kName, file);
  const auto store =
      LevelStore::open(dir.path(), kWidth, kReadOnly, {first_ids(), {{kName, file.size()}}});
  if (!store) return;
  LevelBlockDecoder decoder;
  for (std::uint32_t level = 0; level < store->levels(); ++level) {
    const LevelStore::Blocks all = store->blocks(level);
    for (const LevelStore::Block& block : all.blocks) {
      must(block.offset + block.bytes <= file.size(), "a block lies inside its file");
      must(block.count <= 65, "no more states than the levels have");
      std::vector<std::byte> stored(block.bytes);
      if (!all.file->read_at(block.offset, stored)) continue;
      std::vector<std::byte> rows(block.count * kWidth);
      [[maybe_unused]] const Status decoded =
          decoder.decode(stored, block.count, kWidth, rows.data());
    }
  }
}

void run(std::string_view input) {
  static const TempDir dir;
  read_all(dir, input);
  std::string fixed(input);
  fix_footer_checksums(fixed);
  read_all(dir, fixed);
}

std::vector<std::string> seeds() {
  const TempDir dir;
  auto store = LevelStore::create(dir.path(), kWidth, {});
  must(bool(store), "a store can be made");
  const std::vector<std::uint64_t> first = first_ids();
  LevelBlockEncoder encoder;
  for (std::size_t level = 0; level + 1 < first.size(); ++level) {
    must(bool(store->begin_level(true)), "a level can begin");
    const std::size_t count = first[level + 1] - first[level];
    std::vector<std::byte> rows(count * kWidth);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i * i / 3);
    must(bool(store->append_block(encoder.encode(rows.data(), count, kWidth),
                                  static_cast<std::uint32_t>(count))),
         "a block can be appended");
    must(bool(store->end_level()), "a level can end");
  }
  must(bool(store->checkpoint()), "a store can be checkpointed");
  return {read_file(dir / kName)};
}

}  // namespace

FuzzTarget level_store_target() { return {"level_store", run, seeds}; }

}  // namespace comback::test
