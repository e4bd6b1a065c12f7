#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/file.h"
#include "io/raw_buffer.h"
#include "io/result.h"

namespace comback {

// Appends to a file in large pieces, and has the system write each to disk as the next one fills,
// so that a sync at the end finds little left to do.
//
// Threads: one at a time; the file may be read beside it, up to flushed().
class BufferedWriter {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;  // unless told otherwise

  // REQUIRES: until the writer is gone, nobody else appends to `file`, which stays where it is.
  explicit BufferedWriter(File& file, std::size_t buffer_bytes = kBufferBytes)
      : file_(&file), buffer_bytes_(buffer_bytes) {}
  BufferedWriter(BufferedWriter&&) = default;

  // After an error the writer is of no more use.
  Status append(std::span<const std::byte> bytes);
  Status flush();

  // Where the next byte goes, and up to where the file has them.
  std::uint64_t end() const { return file_->end() + used_; }
  std::uint64_t flushed() const { return file_->end(); }
  std::size_t memory_bytes() const { return buffer_.capacity(); }

 private:
  File* file_;
  std::size_t buffer_bytes_;
  RawBuffer buffer_;
  std::size_t used_ = 0;
};

}  // namespace comback
