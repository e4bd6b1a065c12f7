#include "storage/backedge_block.h"
#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

void run(std::string_view input) {
  const auto first_id = take_number<std::uint64_t>(input);
  BackedgeDecoder decoder;
  BackedgeBlock block;
  if (!decoder.decode(input, first_id, block)) return;
  must(block.size() >= 1 && block.size() <= kMaxBackedges, "a block has ids, and not too many");
  std::vector<Backedge> edges;
  for (std::uint64_t i = 0; i < block.size(); ++i) {
    const std::uint64_t id = first_id + i;
    edges.push_back(block.at(id));
    must(edges[i].predecessor < id || (edges[i].predecessor | id) == 0,
         "a predecessor is smaller than its id");
  }
  BackedgeEncoder encoder;
  BackedgeBlock again;
  must(decoder.decode(std::string(encoder.encode(edges)), first_id, again) &&
           again.predecessors == block.predecessors && again.events == block.events,
       "packing it again gives the same block");
}

std::vector<std::string> seeds() {
  std::vector<std::string> inputs;
  BackedgeEncoder encoder;
  for (const std::uint32_t events : {5u, 200u, 70000u}) {
    for (const bool monotone : {true, false}) {
      for (const std::uint64_t first_id : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
        std::vector<Backedge> edges;
        for (std::uint64_t i = 0; i < 300; ++i) {
          const std::uint64_t id = first_id + i;
          const std::uint64_t before = monotone ? id / 3 * 2 : id * 0x9e3779b97f4a7c15;
          edges.push_back({id == 0 ? 0 : before % id, static_cast<std::uint32_t>(i * 31 % events)});
        }
        std::string input;
        put_number(first_id, input);
        inputs.push_back(input.append(encoder.encode(edges)));
      }
    }
  }
  return inputs;
}

}  // namespace

FuzzTarget backedge_block_target() { return {"backedge_block", run, seeds}; }

}  // namespace comback::test
