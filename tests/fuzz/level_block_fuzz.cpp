#include <cstring>

#include "storage/level_block.h"
#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

// Columns as they are, and as the payload of a block with the right checksum.
void run(std::string_view input) {
  const std::size_t count = take_number<std::uint16_t>(input) % 600 + 1;
  const std::size_t width = take_number<std::uint8_t>(input) % 90 + 1;
  std::vector<std::byte> rows(count * width);
  for (const RowOrder order : {RowOrder::kRelated, RowOrder::kRandom}) {
    ColumnDecoder columns(order);
    if (!columns.decode(as_bytes(input), count, width, rows.data())) continue;
    ColumnEncoder encoder(order);
    const std::span<const std::byte> encoded = encoder.encode(rows.data(), count, width);
    std::vector<std::byte> again(rows.size());
    must(columns.decode(encoded, count, width, again.data()) && again == rows,
         "encoding the rows again gives the same rows");
  }
  std::string block(input);
  fix_block_checksum(block);
  LevelBlockDecoder decoder;
  [[maybe_unused]] const Status decoded =
      decoder.decode(as_bytes(block), count, width, rows.data());
}

std::vector<std::string> seeds() {
  std::vector<std::string> inputs;
  for (const std::size_t count : {1u, 64u, 333u}) {
    for (const std::size_t width : {1u, 12u, 70u}) {
      std::string rows(count * width, '\0');
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = static_cast<char>(i % width < 3 ? i * i / 7 : i / width / 50);
      }
      std::string shape;
      put_number(static_cast<std::uint16_t>(count - 1), shape);
      put_number(static_cast<std::uint8_t>(width - 1), shape);
      const std::byte* const first = as_bytes(rows).data();
      ColumnEncoder columns(RowOrder::kRelated);
      inputs.push_back(shape + as_text(columns.encode(first, count, width)));
      LevelBlockEncoder blocks;
      inputs.push_back(shape + as_text(blocks.encode(first, count, width)));
    }
  }
  return inputs;
}

}  // namespace

FuzzTarget level_block_target() { return {"level_block", run, seeds}; }

}  // namespace comback::test
