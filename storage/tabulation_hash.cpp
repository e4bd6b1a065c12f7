#include "storage/tabulation_hash.h"

#include <random>

namespace comback {

TabulationHash::TabulationHash(std::size_t width, std::uint64_t seed)
    : width_(width), words_(width * 2 * kValues) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  std::mt19937_64 random(sequence);
  for (HashPair& word : words_) word = {random(), random()};
}

}  // namespace comback
