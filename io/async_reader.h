#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "io/file.h"
#include "io/result.h"

namespace comback {

enum class IoKind {
  kAuto,   // a ring where one can be made, else threads
  kUring,  // io_uring, or the reason why not
  kPread,  // two threads that call pread
};

struct ReadRequest {
  const File* file = nullptr;
  std::uint64_t offset = 0;
  std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;  // the caller's; need not be unique
};

// Reads of many places at once, finished in any order.
//
// The file and the buffer of a request belong to the reader until wait() has returned its tag or
// its error, or the reader is destroyed.
//
// Threads: one at a time; several readers may exist.
class AsyncReader {
 public:
  // At most `depth` reads are with the system at a time. REQUIRES: 1 <= depth <= 4096.
  static Result<std::unique_ptr<AsyncReader>> open(IoKind kind, unsigned depth);

  AsyncReader() = default;
  AsyncReader(const AsyncReader&) = delete;
  AsyncReader& operator=(const AsyncReader&) = delete;
  // Waits for all that the system is working on: until then it may write into the buffers.
  virtual ~AsyncReader() = default;

  // Starts all of `requests`; those beyond the depth follow as others finish. After an error none,
  // some or all of them are in flight.
  virtual Status submit(std::span<const ReadRequest> requests) = 0;

  // The tag of one finished read, whose buffer is full. A failed read, or a file that ends before
  // the request does (Errc::kCorruption), is an error that names file and offset, and is no longer
  // in flight. REQUIRES: in_flight() > 0.
  virtual Result<std::uint64_t> wait() = 0;

  virtual std::size_t in_flight() const = 0;
  virtual std::string_view name() const = 0;  // "uring", "pread"
};

}  // namespace comback
