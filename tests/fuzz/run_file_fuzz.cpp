#include "storage/run_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

void run(std::string_view input) {
  RunFile::Block block;
  block.count = take_number<std::uint16_t>(input) % 600 + 1;
  block.first_key = take_number<std::uint64_t>(input);
  const std::size_t record_bytes = take_number<std::uint8_t>(input) % 60 + 8;
  std::string stored(input);
  fix_block_checksum(stored);
  RunBlockDecoder decoder;
  const auto rows = decoder.decode(block, as_bytes(stored), record_bytes);
  if (!rows) return;
  // All of it can be read.
  const std::vector<std::byte> records(*rows, *rows + block.count * record_bytes);
}

std::vector<std::string> seeds() {
  std::vector<std::string> inputs;
  for (const int level : {1, BlockEncoder::kStore}) {
    for (const std::size_t count : {1u, 100u}) {
      const std::size_t record_bytes = 24;
      std::string records(count * record_bytes, '\0');
      for (std::size_t i = 0; i < records.size(); ++i) {
        records[i] = static_cast<char>(i % record_bytes < 2 ? i * 37 : i % 5);
      }
      std::string input;
      put_number(static_cast<std::uint16_t>(count - 1), input);
      put_number(std::uint64_t{1} << 50, input);
      put_number(static_cast<std::uint8_t>(record_bytes - 8), input);
      ColumnEncoder columns(RowOrder::kRandom);
      BlockEncoder blocks(level);
      inputs.push_back(input + as_text(blocks.encode(
                                   BlockKind::kSortedRun,
                                   columns.encode(as_bytes(records).data(), count, record_bytes))));
    }
  }
  return inputs;
}

}  // namespace

FuzzTarget run_file_target() { return {"run_file", run, seeds}; }

}  // namespace comback::test
