#include "io/async_reader.h"

#include <cassert>

#include "io/readers.h"

namespace comback {

Result<std::unique_ptr<AsyncReader>> AsyncReader::open(IoKind kind, unsigned depth) {
  assert(depth >= 1 && depth <= 4096);
  if (kind != IoKind::kPread) {
    auto ring = open_uring_reader(depth);
    if (ring || kind == IoKind::kUring) return ring;
  }
  return open_pread_reader();
}

}  // namespace comback
