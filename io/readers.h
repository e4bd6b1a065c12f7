#pragma once

#include <memory>

#include "io/async_reader.h"

namespace comback {

// The two kinds of AsyncReader. open_uring_reader() fails where no ring can be made.
Result<std::unique_ptr<AsyncReader>> open_uring_reader(unsigned depth);
std::unique_ptr<AsyncReader> open_pread_reader();

}  // namespace comback
