#include "io/block_codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

void decode(std::string_view block, std::size_t room) {
  const auto header = read_block_header(as_bytes(block));
  std::vector<std::byte> out(room);
  BlockDecoder decoder;
  const auto bytes = decoder.decode(BlockKind::kLevel, as_bytes(block), out);
  if (!bytes) return;
  must(header && header->block_bytes() == block.size(), "a block that decodes has a header");
  must(*bytes == header->raw_bytes && *bytes <= room, "it has as many bytes as its header says");
}

void run(std::string_view input) {
  const std::size_t room = take_number<std::uint16_t>(input);
  decode(input, room);
  std::string fixed(input);
  fix_block_checksum(fixed);
  decode(fixed, room);
}

std::vector<std::string> seeds() {
  std::vector<std::string> inputs;
  for (const int level : {1, BlockEncoder::kStore}) {
    BlockEncoder encoder(level);
    for (const std::size_t bytes : {0u, 1u, 500u, 5000u}) {
      std::string raw(bytes, 'x');
      for (std::size_t i = 0; i < bytes; i += 7) raw[i] = static_cast<char>(i * i);
      std::string input;
      put_number(static_cast<std::uint16_t>(bytes), input);
      inputs.push_back(input + as_text(encoder.encode(BlockKind::kLevel, as_bytes(raw))));
    }
  }
  return inputs;
}

}  // namespace

FuzzTarget block_codec_target() { return {"block_codec", run, seeds}; }

}  // namespace comback::test
