#include "engine/duplicate_detection.h"

#include <bit>
#include <cstring>

#include "storage/bytes.h"

namespace comback {
namespace {

RecordSorter::Options sorter_options(const DuplicateDetection::Options& options, unsigned threads,
                                     std::size_t payload, std::uint64_t share_percent,
                                     const char* name) {
  RecordSorter::Options result;
  result.payload_bytes = payload;
  result.share_bytes = options.memory_bytes * share_percent / 100;
  result.lanes = threads;
  result.readers = threads;
  result.dir = options.dir;
  result.name = name;
  result.io = options.io;
  return result;
}

void store_word(std::byte* to, std::uint64_t word) { std::memcpy(to, &word, 8); }

// Big-endian, so that memcmp orders payloads by origin.
std::uint64_t swap_bytes(std::uint64_t word) { return __builtin_bswap64(word); }

}  // namespace

Result<std::unique_ptr<DuplicateDetection>> DuplicateDetection::open(
    const Model& model, const StateArchive& archive, const DiskStateTable& table, ThreadTeam& team,
    MemoryBudget& budget, const Options& options) {
  std::unique_ptr<DuplicateDetection> detection(
      new DuplicateDetection(model, table, team, budget, options));
  for (unsigned t = 0; t < team.size(); ++t) {
    auto reconstruction = StreamedReconstruction::open(model, archive, options.io);
    if (!reconstruction) return reconstruction.error();
    detection->lanes_.push_back(std::make_unique<Lane>(std::move(*reconstruction)));
  }
  return detection;
}

DuplicateDetection::DuplicateDetection(const Model& model, const DiskStateTable& table,
                                       ThreadTeam& team, MemoryBudget& budget,
                                       const Options& options)
    : width_(model.width()),
      table_(&table),
      team_(&team),
      by_hash_(sorter_options(options, team.size(), width_ + 8, 45, "by-hash"), budget),
      by_id_(sorter_options(options, team.size(), width_ + 8, 20, "by-id"), budget),
      by_origin_(sorter_options(options, team.size(), width_ + 8, 35, "by-origin"), budget) {}

Status DuplicateDetection::add(std::span<LevelCandidates> sets) {
  std::uint64_t candidates = 0;
  for (const LevelCandidates& set : sets) candidates += set.size();
  team_->for_each(
      sets.size(),
      [&](unsigned thread, std::size_t s) {
        Lane& lane = *lanes_[thread];
        if (!lane.status) return;
        LevelCandidates& set = sets[s];
        constexpr std::uint32_t kGroup = 512;
        lane.keys.resize(kGroup);
        lane.rows.resize(kGroup * (width_ + 8));
        for (std::uint32_t from = 0; from < set.size() && lane.status; from += kGroup) {
          const std::uint32_t count = std::min(kGroup, set.size() - from);
          std::byte* row = lane.rows.data();
          for (std::uint32_t i = 0; i < count; ++i, row += width_ + 8) {
            const CandidateRecord& record = set.record(from + i);
            lane.keys[i] = record.hash;
            copy_bytes(row, record.descriptor(), width_);
            store_word(row + width_, swap_bytes(record.origin));
          }
          lane.status = by_hash_.add(thread, {lane.keys.data(), count}, lane.rows.data());
        }
        set.clear(true);
      },
      candidates >= 1024);
  return first_error();
}

Status DuplicateDetection::detect(std::uint64_t level_size, std::uint64_t states) {
  by_id_.expect_keys(0, states);
  by_origin_.expect_keys(0, make_origin(level_size, 0));
  if (Status status = by_hash_.finish(); !status) return status;
  duplicates_.clear();
  duplicates_.resize(by_hash_.slice_count());
  team_->for_each(by_hash_.slice_count(), [&](unsigned thread, std::size_t slice) {
    Lane& lane = *lanes_[thread];
    if (lane.status) lane.status = match(lane, thread, slice);
  });
  if (Status status = first_error(); !status) return status;
  spilled_bytes_ += by_hash_.spilled_bytes();
  by_hash_.clear();

  if (Status status = by_id_.finish(); !status) return status;
  team_->for_each(by_id_.slice_count(), [&](unsigned thread, std::size_t slice) {
    Lane& lane = *lanes_[thread];
    if (lane.status) lane.status = compare(lane, slice);
  });
  spilled_bytes_ += by_id_.spilled_bytes();
  by_id_.clear();
  return first_error();
}

// Candidates of one slice by hash: each descriptor once, with its smallest origin; and which stored
// states have their hash.
Status DuplicateDetection::match(Lane& lane, unsigned thread, std::size_t slice) {
  if (Status status = by_hash_.read_slice(slice, lane.slice); !status) return status;
  const std::size_t stride = width_ + 8;
  const std::byte* const payloads = lane.slice.payloads();
  const std::span<const std::uint64_t> hashes = lane.slice.keys();

  // Equal keys are sorted by payload: equal descriptors are neighbours, the smallest origin first.
  lane.distinct.clear();
  lane.ids.clear();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i > 0 && hashes[i] == hashes[i - 1] &&
        equal_bytes(payloads + i * stride, payloads + (i - 1) * stride, width_)) {
      continue;
    }
    lane.distinct.push_back(i);
    lane.ids.push_back(hashes[i]);
  }
  const std::size_t count = lane.distinct.size();
  lane.candidates += count;
  duplicates_[slice] = std::make_unique<std::atomic<std::uint64_t>[]>((count + 63) / 64);

  const auto put_row = [&](std::size_t to, std::size_t candidate) {
    std::byte* const row = lane.rows.data() + to * stride;
    store_word(row, std::uint64_t{slice} << 32 | candidate);
    copy_bytes(row + 8, payloads + lane.distinct[candidate] * stride, width_);
  };
  lane.keys.resize(count);
  lane.rows.resize(count * stride);
  for (std::size_t i = 0; i < count; ++i) {
    lane.keys[i] = swap_bytes(load_word(payloads + lane.distinct[i] * stride + width_));
    put_row(i, i);
  }
  if (Status status = by_origin_.add(thread, lane.keys, lane.rows.data()); !status) return status;

  // The ids vector holds the hashes here.
  if (Status status = table_->lookup(lane.ids, DiskStateTable::Part::kAll, lane.matches); !status) {
    return status;
  }
  const std::vector<StateMatch>& found = lane.matches.found;
  lane.marks += found.size();
  // In groups: with narrow hashes there are many more matches than candidates.
  constexpr std::size_t kGroup = 4096;
  for (std::size_t from = 0; from < found.size(); from += kGroup) {
    const std::size_t group = std::min(kGroup, found.size() - from);
    lane.keys.resize(group);
    lane.rows.resize(group * stride);
    for (std::size_t i = 0; i < group; ++i) {
      lane.keys[i] = found[from + i].id;
      put_row(i, found[from + i].index);
    }
    if (Status status = by_id_.add(thread, lane.keys, lane.rows.data()); !status) return status;
  }
  return Done{};
}

// Marked states of one slice by id, against their reconstruction.
Status DuplicateDetection::compare(Lane& lane, std::size_t slice) {
  if (Status status = by_id_.read_slice(slice, lane.slice); !status) return status;
  const std::size_t stride = width_ + 8;
  const std::span<const std::uint64_t> keys = lane.slice.keys();
  lane.ids.clear();
  lane.starts.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) continue;
    lane.ids.push_back(keys[i]);
    lane.starts.push_back(static_cast<std::uint32_t>(i));
  }
  lane.starts.push_back(static_cast<std::uint32_t>(keys.size()));
  return lane.reconstruction.run(lane.ids, [&](std::size_t i, const std::byte* state) {
    for (std::uint32_t r = lane.starts[i]; r < lane.starts[i + 1]; ++r) {
      const std::byte* const row = lane.slice.payloads() + r * stride;
      if (!equal_bytes(row + 8, state, width_)) {
        ++lane.conflicts;
        continue;
      }
      const std::uint64_t ordinal = load_word(row);
      const auto place = static_cast<std::uint32_t>(ordinal);
      duplicates_[ordinal >> 32][place / 64].fetch_or(std::uint64_t{1} << (place % 64),
                                                      std::memory_order_relaxed);
    }
  });
}

bool DuplicateDetection::is_duplicate(std::uint64_t ordinal) const {
  const auto place = static_cast<std::uint32_t>(ordinal);
  const std::uint64_t word = duplicates_[ordinal >> 32][place / 64].load(std::memory_order_relaxed);
  return (word >> (place % 64) & 1) != 0;
}

Status DuplicateDetection::take_new(
    const std::function<Status(std::span<const Origin>, const std::byte*)>& on_new) {
  if (Status status = by_origin_.finish(); !status) return status;
  // The threads prepare some slices, which are then handed out in order.
  const std::size_t stride = width_ + 8;
  const std::size_t slices = by_origin_.slice_count();
  for (std::size_t first = 0; first < slices; first += lanes_.size()) {
    const std::size_t group = std::min<std::size_t>(lanes_.size(), slices - first);
    team_->for_each(group, [&](unsigned, std::size_t g) {
      Lane& lane = *lanes_[g];
      lane.keys.clear();
      lane.rows.clear();
      lane.status = by_origin_.read_slice(first + g, lane.slice);
      if (!lane.status) return;
      lane.rows.resize(lane.slice.size() * width_ + 8);
      for (std::size_t i = 0; i < lane.slice.size(); ++i) {
        const std::byte* const row = lane.slice.payloads() + i * stride;
        if (is_duplicate(load_word(row))) continue;
        copy_bytes(lane.rows.data() + lane.keys.size() * width_, row + 8, width_);
        lane.keys.push_back(lane.slice.keys()[i]);
      }
    });
    if (Status status = first_error(); !status) return status;
    for (std::size_t g = 0; g < group; ++g) {
      if (Status status = on_new(lanes_[g]->keys, lanes_[g]->rows.data()); !status) return status;
    }
  }
  spilled_bytes_ += by_origin_.spilled_bytes();
  by_origin_.clear();
  duplicates_.clear();
  // The next level's candidates need the memory first.
  for (const auto& lane : lanes_) {
    lane->slice.release_memory();
    lane->keys = {};
    lane->rows = {};
  }
  return Done{};
}

Status DuplicateDetection::first_error() {
  for (const auto& lane : lanes_) {
    if (!lane->status) return lane->status;
  }
  return Done{};
}

DuplicateDetection::Counters DuplicateDetection::counters() const {
  Counters sum;
  for (const auto& lane : lanes_) {
    sum.candidates += lane->candidates;
    sum.marks += lane->marks;
    sum.conflicts += lane->conflicts;
    sum.events += lane->reconstruction.events();
    sum.blocks_read += lane->reconstruction.blocks_read();
  }
  sum.spilled_bytes = spilled_bytes_;
  return sum;
}

}  // namespace comback
