#pragma once

#include <cstddef>
#include <memory>

namespace comback {

// Scratch memory that grows and is not zeroed. Moving to a larger one loses the contents.
class RawBuffer {
 public:
  // At least `bytes`, from the start. The contents are unspecified.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > capacity_) {
      data_.reset();  // before the new one exists, so that there is never memory for both
      capacity_ = 0;
      data_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      capacity_ = bytes;
    }
    return data_.get();
  }
  std::byte* data() const { return data_.get(); }
  std::size_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t capacity_ = 0;
};

}  // namespace comback
