#include "engine/keep_levels_choice.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "storage/bytes.h"
#include "storage/level_block.h"

namespace comback {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// The shortest of some runs: what else the machine does only adds.
template <class F>
double shortest(F&& run) {
  double best = run();
  for (int i = 0; i < 4; ++i) best = std::min(best, run());
  return best;
}

// Marked states are spread over blocks: of those in a block that has to be decoded, about so many
// share one mark. Measured on the BEEM models of docs/performance.md, where it is 4 to 60.
constexpr double kStatesDecodedPerMark = 16;

}  // namespace

ReconstructionCosts measure_reconstruction(const Model& model, const std::byte* rows,
                                           std::size_t count) {
  const std::size_t width = model.width();
  struct Step {
    std::size_t row;
    Event event;
  };
  std::vector<Step> steps;
  SuccessorBuffer successors(width, model.max_successors());
  for (std::size_t i = 0; i < count; ++i) {
    model.successors(rows + i * width, successors);
    if (successors.size() > 0) steps.push_back({i, successors.event(i % successors.size())});
  }
  ReconstructionCosts costs;
  std::vector<std::byte> state(width + kDescriptorSlack);
  costs.event_ns = shortest([&] {
    const Clock::time_point start = Clock::now();
    for (const Step& step : steps) {
      copy_bytes(state.data(), rows + step.row * width, width);
      model.execute(state.data(), step.event);
    }
    return nanoseconds_since(start) / static_cast<double>(std::max<std::size_t>(steps.size(), 1));
  });

  const std::size_t block = std::min(count, level_block_states(width));
  LevelBlockEncoder encoder;
  LevelBlockDecoder decoder;
  const auto encoded = encoder.encode(rows, block, width);
  std::vector<std::byte> decoded(block * width + kDescriptorSlack);
  costs.decode_ns = shortest([&] {
    const Clock::time_point start = Clock::now();
    [[maybe_unused]] const Status status = decoder.decode(encoded, block, width, decoded.data());
    return nanoseconds_since(start) / static_cast<double>(block);
  });
  return costs;
}

KeepLevels choose_keep_levels(const ReconstructionCosts& costs) {
  KeepLevels keep{KeepLevels::Kind::kEvery, 4};
  const double read_ns = costs.decode_ns * kStatesDecodedPerMark;
  while (keep.count > 1 && (keep.count - 1) / 2.0 * costs.event_ns > read_ns / 2) keep.count /= 2;
  return keep;
}

}  // namespace comback
