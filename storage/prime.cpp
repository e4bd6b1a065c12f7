#include "storage/prime.h"

#include <cassert>

namespace comback {
namespace {

bool is_prime(std::uint64_t n) {
  if (n % 2 == 0) return n == 2;
  for (std::uint64_t d = 3; d <= n / d; d += 2) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

}  // namespace

std::uint64_t prime_up_to(std::uint64_t n) {
  assert(n >= 2);
  while (!is_prime(n)) --n;
  return n;
}

}  // namespace comback
