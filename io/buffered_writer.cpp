#include "io/buffered_writer.h"

#include <algorithm>
#include <cstring>

namespace comback {

Status BufferedWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    std::byte* const buffer = buffer_.reserve(buffer_bytes_);
    const std::size_t n = std::min(bytes.size(), buffer_bytes_ - used_);
    std::memcpy(buffer + used_, bytes.data(), n);
    used_ += n;
    bytes = bytes.subspan(n);
    if (used_ < buffer_bytes_) break;
    const std::uint64_t at = file_->end();
    if (auto flushed = flush(); !flushed) return flushed;
    file_->start_writeback(at, buffer_bytes_);
  }
  return Done{};
}

Status BufferedWriter::flush() {
  if (used_ == 0) return Done{};
  if (auto written = file_->append({buffer_.data(), used_}); !written) return written;
  used_ = 0;
  return Done{};
}

}  // namespace comback
