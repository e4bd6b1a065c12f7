#include "storage/disk_backedges.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace comback {
namespace {

constexpr std::string_view kName = "backedges";
constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kKeyBytes = 8;

struct Key {
  explicit Key(std::uint64_t id) {
    for (std::size_t i = kKeyBytes; i-- > 0; id >>= 8) bytes[i] = static_cast<char>(id);
  }
  operator std::string_view() const { return {bytes.data(), kKeyBytes}; }
  std::array<char, kKeyBytes> bytes;
};

std::optional<std::uint64_t> id_of(std::string_view key) {
  if (key.size() != kKeyBytes) return std::nullopt;
  std::uint64_t id = 0;
  for (const char c : key) id = id << 8 | static_cast<unsigned char>(c);
  return id;
}

Error no_entry(std::uint64_t id) {
  return {Errc::kCorruption, "backedge table: no entry for state " + std::to_string(id)};
}

std::uint64_t unpacked_bytes(std::size_t ids) {
  return ids * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
}

}  // namespace

DiskBackedges::DiskBackedges(RunDatabase& database, Family& family, const Options& options,
                             MemoryBudget& budget)
    : database_(&database),
      family_(&family),
      budget_(&budget),
      block_ids_(std::clamp<std::size_t>(options.block_ids, 1, kMaxBackedges)),
      cache_blocks_(std::max<std::size_t>(2, options.cache_bytes / unpacked_bytes(block_ids_))) {}

Result<std::unique_ptr<DiskBackedges>> DiskBackedges::open(RunDatabase& database,
                                                           const Options& options,
                                                           MemoryBudget& budget) {
  auto meta = database.meta(kName);
  if (!meta) return meta.error();
  std::array<std::uint64_t, 2> numbers = {kFormat, 0};
  if (*meta) {
    if ((*meta)->size() != sizeof numbers) {
      return Error{Errc::kCorruption, "backedge table: meta data of the wrong size"};
    }
    std::memcpy(numbers.data(), (*meta)->data(), sizeof numbers);
    if (numbers[0] != kFormat) {
      return Error{Errc::kUnsupported, "backedge table: format " + std::to_string(numbers[0])};
    }
  }
  Family* family = database.find_family(kName);
  if (family == nullptr) {
    if (numbers[1] != 0 || database.read_only()) {
      return Error{Errc::kCorruption, "backedge table: its family is missing"};
    }
    auto created = database.create_family(kName);
    if (!created) return created.error();
    family = *created;
  }

  std::unique_ptr<DiskBackedges> table(new DiskBackedges(database, *family, options, budget));
  const std::uint64_t bytes = table->cache_blocks_ * unpacked_bytes(table->block_ids_) +
                              table->block_ids_ * sizeof(Backedge);
  if (!budget.take(bytes)) {
    return Error{Errc::kOutOfMemory, "backedge table: no memory for its cache"};
  }
  table->reserved_bytes_ = bytes;
  table->open_.reserve(table->block_ids_);
  table->committed_ = table->open_first_ = numbers[1];
  if (auto s = table->check_end(); !s) return s.error();
  return table;
}

DiskBackedges::~DiskBackedges() { budget_->give(reserved_bytes_ + pending_bytes_); }

// That the last block ends where the meta data say; the others are checked when they are read.
Status DiskBackedges::check_end() const {
  if (committed_ == 0) return Done{};
  auto last = find(committed_ - 1);
  if (!last) return last.error();
  FamilyCursor cursor(*database_, *family_, {});
  cursor.seek(Key(committed_));
  if (auto s = cursor.status(); !s) return s;
  if (cursor.valid() || cached(committed_ - 1)->contains(committed_)) {
    return Error{Errc::kCorruption, "backedge table: entries beyond its size"};
  }
  return Done{};
}

std::unique_ptr<BackedgeEncoder> DiskBackedges::borrow_encoder() {
  const std::lock_guard lock(encoders_mutex_);
  if (encoders_.empty()) return std::make_unique<BackedgeEncoder>();
  auto encoder = std::move(encoders_.back());
  encoders_.pop_back();
  return encoder;
}

void DiskBackedges::give_back(std::unique_ptr<BackedgeEncoder> encoder) {
  const std::lock_guard lock(encoders_mutex_);
  encoders_.push_back(std::move(encoder));
}

Status DiskBackedges::append(std::span<const Backedge> edges, const ForEachTask& for_each) {
#ifndef NDEBUG
  for (std::size_t i = 0; i < edges.size(); ++i) {
    assert(edges[i].predecessor < size() + i || (edges[i].predecessor == 0 && size() + i == 0));
  }
#endif
  const std::size_t blocks = (open_.size() + edges.size()) / block_ids_;
  if (blocks == 0) {
    open_.insert(open_.end(), edges.begin(), edges.end());
    return Done{};
  }
  // The first block begins in `open_`; the others lie in `edges`.
  const std::size_t old = open_.size();
  const std::size_t head = block_ids_ - old;
  open_.insert(open_.end(), edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(head));
  std::vector<Pending> packed(blocks);
  for_each(blocks, [&](std::size_t block) {
    auto encoder = borrow_encoder();
    const std::span<const Backedge> part =
        block == 0 ? std::span<const Backedge>(open_)
                   : edges.subspan(head + (block - 1) * block_ids_, block_ids_);
    packed[block] = {open_first_ + block * block_ids_, std::string(encoder->encode(part))};
    give_back(std::move(encoder));
  });
  std::uint64_t bytes = 0;
  for (const Pending& p : packed) bytes += p.packed.capacity() + sizeof(Pending);
  if (!budget_->take(bytes)) {
    open_.resize(old);
    return Error{Errc::kOutOfMemory, "backedge table: no memory for packed blocks"};
  }
  pending_bytes_ += bytes;
  pending_.insert(pending_.end(), std::make_move_iterator(packed.begin()),
                  std::make_move_iterator(packed.end()));
  open_first_ += blocks * block_ids_;
  const auto tail = static_cast<std::ptrdiff_t>(head + (blocks - 1) * block_ids_);
  open_.assign(edges.begin() + tail, edges.end());
  return Done{};
}

Status DiskBackedges::stage(Commit& commit) {
  SortedWriter writer(commit, *family_);
  for (const Pending& block : pending_) {
    if (auto s = writer.put(Key(block.first_id), block.packed); !s) return s;
  }
  if (!open_.empty()) {
    auto encoder = borrow_encoder();
    if (auto s = writer.put(Key(open_first_), encoder->encode(open_)); !s) return s;
    give_back(std::move(encoder));
  }
  if (auto s = writer.finish(); !s) return s;
  const std::array<std::uint64_t, 2> numbers = {kFormat, size()};
  commit.put_meta(kName, {reinterpret_cast<const char*>(numbers.data()), sizeof numbers});
  commit.when_finished([this] {
    committed_ = open_first_ = size();
    open_.clear();
    pending_.clear();
    budget_->give(pending_bytes_);
    pending_bytes_ = 0;
  });
  return Done{};
}

DiskBackedges::BlockPointer DiskBackedges::cached(std::uint64_t id) const {
  const std::lock_guard lock(cache_mutex_);
  auto it = cache_.upper_bound(id);
  if (it == cache_.begin()) return nullptr;
  --it;
  if (!it->second.block->contains(id)) return nullptr;
  it->second.last_use = ++cache_uses_;
  return it->second.block;
}

void DiskBackedges::cache(const BlockPointer& block) const {
  const std::lock_guard lock(cache_mutex_);
  cache_.insert_or_assign(block->first_id, Cached{block, ++cache_uses_});
  if (cache_.size() <= cache_blocks_) return;
  cache_.erase(std::min_element(cache_.begin(), cache_.end(), [](const auto& a, const auto& b) {
    return a.second.last_use < b.second.last_use;
  }));
}

Result<DiskBackedges::BlockPointer> DiskBackedges::load(std::uint64_t id,
                                                        std::optional<FamilyCursor>& cursor,
                                                        BackedgeDecoder& decoder) const {
  assert(id < open_first_);
  if (BlockPointer block = cached(id)) return block;
  auto block = std::make_shared<BackedgeBlock>();
  std::uint64_t first_id = 0;
  std::string_view packed;
  if (id >= committed_) {
    auto it = std::upper_bound(pending_.begin(), pending_.end(), id,
                               [](std::uint64_t i, const Pending& p) { return i < p.first_id; });
    assert(it != pending_.begin());
    --it;
    first_id = it->first_id;
    packed = it->packed;
  } else {
    if (!cursor) cursor.emplace(*database_, *family_, FamilyCursor::Options{});
    cursor->seek_for_previous(Key(id));
    if (auto s = cursor->status(); !s) return s.error();
    const auto first = cursor->valid() ? id_of(cursor->key()) : std::nullopt;
    if (!first) return no_entry(id);
    first_id = *first;
    packed = cursor->value();
  }
  if (auto s = decoder.decode(packed, first_id, *block); !s) {
    return Error{s.error().code, s.error().what + ", of state " + std::to_string(first_id)};
  }
  if (!block->contains(id)) return no_entry(id);
  cache(block);
  return BlockPointer(std::move(block));
}

Result<Backedge> DiskBackedges::find(std::uint64_t id) const {
  assert(id < size());
  if (id >= open_first_) return open_[id - open_first_];
  if (const BlockPointer block = cached(id)) return block->at(id);
  return Reader(*this).find(id);
}

std::uint64_t DiskBackedges::file_bytes() const { return database_->file_bytes(*family_); }

}  // namespace comback
