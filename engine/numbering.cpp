#include "engine/numbering.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "storage/bytes.h"
#include "storage/hash.h"

namespace comback {
namespace {

constexpr std::size_t kFewForAll =
    512;  // states: with fewer, one thread is done before others wake

}  // namespace

Numbering::Numbering(const SearchOptions& options, StateArchive& archive, RecentStates& recent,
                     std::span<LevelCandidates> candidates, ThreadTeam& team, MemoryBudget& budget)
    : options_(&options),
      archive_(&archive),
      recent_(&recent),
      candidates_(candidates),
      team_(&team),
      budget_(&budget),
      width_(archive.log().width()),
      order_(team),
      entries_(width_, team) {}

Status Numbering::start(const std::byte* initial) {
  archive_->log().append(initial);
  recent_->insert(hash_bytes(initial, width_), 0);
  archive_->begin_level(0);
  edges_.assign(1, {0, 0});
  digest_.add(0, 0);
  return archive_->append_backedges(edges_, team_->for_tables());
}

Result<bool> Numbering::restore(const Model& model, std::span<const Backedge> edges) {
  DescriptorLog& log = archive_->log();
  const StateId base = archive_->size();
  const StateId end = base + edges.size();
  if (end > DescriptorLog::kMaxSize || !log.reserve(edges.size()) ||
      budget_->left() < (std::uint64_t{1} << 20) + edges.size() * sizeof(Backedge)) {
    return false;
  }
  restored_.resize(edges.size() * width_ + kDescriptorSlack);
  constexpr std::size_t kShare = 1024;
  team_->for_each((edges.size() + kShare - 1) / kShare, [&](unsigned, std::size_t task) {
    const std::size_t to = std::min(edges.size(), (task + 1) * kShare);
    std::vector<std::byte> state(width_ + kDescriptorSlack);
    for (std::size_t i = task * kShare; i < to; ++i) {
      copy_bytes(state.data(), log.get(edges[i].predecessor), width_);
      model.execute(state.data(), edges[i].event);
      copy_bytes(restored_.data() + i * width_, state.data(), width_);
    }
  });
  const auto entries =
      entries_.make(base, end, [&](StateId id) { return restored_.data() + (id - base) * width_; });
  std::array<std::uint64_t, kPartitions> counts{};
  for (const StateEntry& entry : entries) ++counts[partition_of(entry.hash)];
  std::atomic<bool> room{true};
  team_->for_each(kPartitions, [&](unsigned, std::size_t p) {
    if (!recent_->reserve(static_cast<unsigned>(p), counts[p])) room = false;
  });
  if (!room) return false;
  if (Status status = archive_->append_backedges(edges, team_->for_tables()); !status) {
    return status.error();
  }
  for (const Backedge& edge : edges) digest_.add(edge.predecessor, edge.event);
  for (std::size_t i = 0; i < edges.size(); ++i) log.append(restored_.data() + i * width_);
  insert_recent(entries);
  return true;
}

Result<bool> Numbering::number_candidates(std::uint64_t first, std::uint64_t end) {
  auto items = order_.sort(candidates_, first, end);
  const StateId base = archive_->size();
  if (items.size() > room_below_limit()) {
    cut_ = place_of(items[room_below_limit()].origin);
    items = items.first(room_below_limit());
  }
  if (!room_for(items.size())) {
    cut_.reset();
    return false;
  }
  DescriptorLog& log = archive_->log();
  log.append_unwritten(items.size());
  // Backedges are one thread's task, beside the others; descriptors miss the cache and take longer.
  constexpr std::size_t kShare = 256;
  Status appended = Done{};
  team_->for_each(
      1 + (items.size() + kShare - 1) / kShare,
      [&](unsigned, std::size_t task) {
        if (task == 0) {
          edges_.resize(items.size());
          for (std::size_t i = 0; i < items.size(); ++i) {
            edges_[i] = edge_of(items[i].origin);
            digest_.add(edges_[i].predecessor, edges_[i].event);
          }
          appended = archive_->append_backedges(edges_, {});
          return;
        }
        const std::size_t to = std::min(items.size(), task * kShare);
        for (std::size_t i = (task - 1) * kShare; i < to; ++i) {
          copy_bytes(log.slot(base + i), items[i].record->descriptor(), width_);
          items[i].record->origin = base + i;
        }
      },
      items.size() >= kFewForAll);
  if (!appended) return appended.error();
  team_->for_each(
      kPartitions,
      [&](unsigned, std::size_t p) {
        LevelCandidates& set = candidates_[p];
        for (std::uint32_t i = 0; !cut_ && i < set.size(); ++i) {
          const CandidateRecord& record = set.record(i);
          if (i + 8 < set.size()) recent_->prefetch(set.record(i + 8).hash);
          recent_->insert(record.hash, record.origin);
        }
        set.clear();
      },
      items.size() >= kFewForAll);
  return true;
}

std::uint64_t Numbering::room_below_limit() const {
  if (!options_->max_states) return ~std::uint64_t{0};
  return *options_->max_states > archive_->size() ? *options_->max_states - archive_->size() : 0;
}

// Whether the candidates, `count` of which are to be stored, fit into memory.
bool Numbering::room_for(std::size_t count) {
  // The index of the states in memory has 32 bits for an id.
  if (archive_->size() + count > DescriptorLog::kMaxSize) return false;
  bool grows = false;
  for (unsigned p = 0; p < kPartitions; ++p) grows |= !recent_->has_room(p, candidates_[p].size());
  std::atomic<bool> room{true};
  if (grows) {
    team_->for_each(
        kPartitions,
        [&](unsigned, std::size_t p) {
          if (!recent_->reserve(static_cast<unsigned>(p), candidates_[p].size())) room = false;
        },
        count >= kFewForAll);
  }
  // Backedges take no more than this at the end; the others say so themselves.
  return room && archive_->log().reserve(count) &&
         budget_->left() >= (std::uint64_t{1} << 20) + count * sizeof(Backedge);
}

Status Numbering::number_on_disk(DiskPart& disk, std::span<const Origin> origins,
                                 const std::byte* rows) {
  if (cut_) return Done{};
  DescriptorLog& log = archive_->log();
  const StateId base = archive_->size();
  if (origins.size() > room_below_limit()) {
    cut_ = place_of(origins[room_below_limit()]);
    origins = origins.first(room_below_limit());
  }
  const auto room = [&] {
    return log.reserve(origins.size()) &&
           budget_->left() >= (std::uint64_t{1} << 20) + origins.size() * sizeof(Backedge);
  };
  for (bool committed = false; !room(); committed = true) {
    if (!committed) {
      if (Status status = disk.commit(); !status) return status;
    } else if (!disk.give_way()) {
      return Error{Errc::kOutOfMemory, "the memory budget is too small for new states"};
    }
    slide_window(disk, origins.size());
  }
  log.append_unwritten(origins.size());
  edges_.resize(origins.size());
  // The digest goes from edge to edge: one thread's task, beside the others.
  TreeDigest digest = digest_;
  constexpr std::size_t kShare = 1024;
  team_->for_each(
      1 + (origins.size() + kShare - 1) / kShare,
      [&](unsigned, std::size_t task) {
        if (task == 0) {
          for (const Origin origin : origins) {
            const Backedge edge = edge_of(origin);
            digest.add(edge.predecessor, edge.event);
          }
          return;
        }
        const std::size_t to = std::min(origins.size(), task * kShare);
        for (std::size_t i = (task - 1) * kShare; i < to; ++i) {
          edges_[i] = edge_of(origins[i]);
          copy_bytes(log.slot(base + i), rows + i * width_, width_);
        }
      },
      origins.size() >= kFewForAll);
  const auto entries = entries_.make(base, base + origins.size(),
                                     [&](StateId id) { return rows + (id - base) * width_; });
  // What is inserted may be committed before it: neither table has these states then.
  if (Status status = disk.insert(entries); !status) return status;
  if (Status status = archive_->append_backedges(edges_, team_->for_tables()); !status) {
    return status;
  }
  digest_ = digest;
  insert_recent(entries);
  slide_window(disk);
  return disk.writer().append(rows, origins.size());
}

void Numbering::insert_recent(std::span<const StateEntry> entries) {
  team_->for_each(
      kPartitions,
      [&](unsigned, std::size_t p) {
        const auto first = std::partition_point(
            entries.begin(), entries.end(),
            [&](const StateEntry& entry) { return partition_of(entry.hash) < p; });
        for (auto at = first; at != entries.end() && partition_of(at->hash) == p; ++at) {
          recent_->insert(at->hash, at->id);
        }
      },
      entries.size() >= kFewForAll);
}

void Numbering::slide_window(const DiskPart& disk, std::size_t more) {
  const std::uint64_t states = archive_->size();
  const std::uint64_t held = disk.window_bytes() / width_;
  const std::uint64_t keep = held > more ? held - more : 0;
  if (states > keep) archive_->log().release_below(states - keep);
}

}  // namespace comback
