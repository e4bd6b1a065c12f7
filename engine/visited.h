#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/search.h"
#include "storage/descriptor_log.h"
#include "storage/descriptor_table.h"
#include "storage/hash.h"

// The sets of visited states, with one face for the searches. Each has
//   Key key(descriptor)                what it is looked up by
//   prefetch(key), prefetch_match(key) the two cache misses of a look-up, ahead of it
//   contains(key, descriptor)
//   insert(key, descriptor)            REQUIRES: reserve() made room
//   reserve(count)                     false: no memory, or no more ids
//   size(), bytes()
//   kKeepsDescriptors                  whether log() has every visited state by id

namespace comback {

// --visited full
class FullVisited {
 public:
  using Key = std::uint64_t;
  static constexpr bool kKeepsDescriptors = true;

  FullVisited(std::size_t width, const SearchOptions& /*options*/, MemoryBudget& budget)
      : log_(width, budget), table_(log_, budget) {}
  static std::uint64_t min_bytes(std::size_t width, const SearchOptions& /*options*/) {
    return DescriptorLog::chunk_bytes(width) + DescriptorTable::kMinBytes;
  }
  [[nodiscard]] bool open() { return log_.reserve(1) && table_.open(); }

  Key key(const std::byte* descriptor) const { return table_.hash_of(descriptor); }
  void prefetch(Key key) const { table_.prefetch(key); }
  void prefetch_match(Key key) const { table_.prefetch_match(key); }
  bool contains(Key key, const std::byte* descriptor) const {
    return table_.contains(key, descriptor);
  }
  Insertion insert(Key key, const std::byte* descriptor) { return table_.insert(key, descriptor); }
  [[nodiscard]] bool reserve(std::uint64_t count) { return log_.reserve(count); }

  DescriptorLog& log() { return log_; }
  std::uint64_t size() const { return log_.size(); }
  std::uint64_t bytes() const { return log_.bytes() + table_.bytes(); }
  std::optional<double> omission_probability() const { return {}; }

 private:
  DescriptorLog log_;
  DescriptorTable table_;
};

}  // namespace comback
