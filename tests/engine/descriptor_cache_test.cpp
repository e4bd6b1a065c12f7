#include "engine/descriptor_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "storage/backedge_table.h"

namespace comback {
namespace {

constexpr std::size_t kWidth = 8;

// What the ranking caches keep, by the words of docs/papers.md and with scans of everything.
class ScanningCache {
 public:
  ScanningCache(const CacheSpec& spec, std::size_t capacity, const BackedgeTable& backedges)
      : spec_(spec),
        fifo_capacity_(capacity * spec.fifo_percent / 100),
        ranked_capacity_(capacity - fifo_capacity_),
        backedges_(&backedges) {}

  void add(StateId id, std::uint64_t depth) {
    levels_.resize(std::max<std::size_t>(levels_.size(), depth + 1));
    ++levels_[depth];
    if (fifo_capacity_ == 0) return;
    if (fifo_.size() == fifo_capacity_) {
      const Entry oldest = fifo_.front();
      fifo_.pop_front();
      if (spec_.handed_down && oldest.expanded) offer(oldest);
    }
    fifo_.push_back({id, depth, 0, false});
  }
  void expanded(StateId id, std::uint64_t depth, std::uint64_t children) {
    const Entry state{id, depth, children, true};
    for (Entry& entry : fifo_) {
      if (entry.id != id) continue;
      entry = state;
      if (spec_.handed_down) return;
    }
    offer(state);
  }
  bool contains(StateId id) const {
    const auto is_id = [&](const Entry& entry) { return entry.id == id; };
    return std::any_of(fifo_.begin(), fifo_.end(), is_id) || in_ranked(id);
  }

 private:
  struct Entry {
    StateId id;
    std::uint64_t depth;
    std::uint64_t children;
    bool expanded;
    double h = 0;
  };

  bool in_ranked(StateId id) const {
    return std::any_of(ranked_.begin(), ranked_.end(),
                       [&](const Entry& entry) { return entry.id == id; });
  }
  void offer(Entry state) {
    state.h = static_cast<double>(state.depth * state.children) /
              std::sqrt(static_cast<double>(levels_[state.depth]));
    if (ranked_.size() < ranked_capacity_) return ranked_.push_back(state);
    const auto least =
        std::min_element(ranked_.begin(), ranked_.end(), [](const Entry& a, const Entry& b) {
          const auto tie = [](StateId id) { return static_cast<std::uint32_t>(id) * 2654435761u; };
          return a.h != b.h ? a.h < b.h : tie(a.id) < tie(b.id);
        });
    if (least == ranked_.end() || !(least->h < state.h)) return;
    if (spec_.strategy == CacheSpec::Strategy::kDistance) {
      StateId ancestor = state.id;
      for (unsigned degree = 1; degree < spec_.distance && ancestor != 0; ++degree) {
        ancestor = backedges_->find(ancestor).predecessor;
        if (in_ranked(ancestor)) return;
      }
    }
    *least = state;
  }

  CacheSpec spec_;
  std::size_t fifo_capacity_;
  std::size_t ranked_capacity_;
  const BackedgeTable* backedges_;
  std::deque<Entry> fifo_;
  std::vector<Entry> ranked_;
  std::vector<std::uint64_t> levels_;
};

class DescriptorCacheProperty : public ::testing::TestWithParam<unsigned> {};

// A tree grows as in a breadth-first search; after every step both caches hold the same states.
TEST_P(DescriptorCacheProperty, KeepsWhatAScanOfAllStatesWouldKeep) {
  for (const char* text :
       {"H", "D:5", "D:2", "F20-H80", "F50-D50", "F20/H80", "F80/D20", "F50/D50:3"}) {
    SCOPED_TRACE(text);
    const CacheSpec spec = *parse_cache_spec(text);
    std::mt19937 random(GetParam());
    const std::size_t capacity = random() % 40;
    MemoryBudget budget(64 << 20);
    BackedgeTable backedges(budget);
    DescriptorCache cache(spec, capacity, kWidth, backedges, 1, budget);
    ASSERT_TRUE(cache.open());
    ScanningCache oracle(spec, capacity, backedges);

    std::vector<std::uint64_t> depths;
    const auto add = [&](StateId predecessor, std::uint64_t depth) {
      const StateId id = depths.size();
      ASSERT_TRUE(backedges.append(predecessor, 0));
      depths.push_back(depth);
      cache.add(id, reinterpret_cast<const std::byte*>(&id), depth);
      oracle.add(id, depth);
    };
    add(0, 0);
    for (StateId head = 0; head < depths.size() && depths.size() < 600; ++head) {
      const std::uint64_t children = head < 3 ? 2 : random() % 4;
      for (std::uint64_t i = 0; i < children; ++i) add(head, depths[head] + 1);
      const bool would_take = cache.would_take(head, depths[head], children);
      const bool was_there = cache.find(head) != nullptr;
      cache.expanded(head, reinterpret_cast<const std::byte*>(&head), depths[head], children);
      oracle.expanded(head, depths[head], children);
      ASSERT_TRUE(would_take || (cache.find(head) != nullptr) == was_there);
      for (StateId id = 0; id < depths.size(); ++id) {
        const std::byte* const found = cache.find(id);
        ASSERT_EQ(found != nullptr, oracle.contains(id)) << "state " << id << " after " << head;
        if (found == nullptr) continue;
        ASSERT_EQ(std::memcmp(found, &id, kWidth), 0) << "the descriptor of another state";
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, DescriptorCacheProperty, ::testing::Range(0u, 30u));

// The two ways to read a mix do differ.
TEST(DescriptorCache, HandsDownOnlyWhatLeavesTheFirstPart) {
  MemoryBudget budget(64 << 20);
  BackedgeTable backedges(budget);
  for (StateId id = 0; id < 10; ++id) ASSERT_TRUE(backedges.append(id == 0 ? 0 : id - 1, 0));
  for (const bool handed_down : {false, true}) {
    DescriptorCache cache(*parse_cache_spec(handed_down ? "F50/H50" : "F50-H50"), 4, kWidth,
                          backedges, 1, budget);
    ASSERT_TRUE(cache.open());
    const auto kept = [&] {
      std::string ids;
      for (StateId id = 0; id < 10; ++id) ids += cache.find(id) ? std::to_string(id) : "";
      return ids;
    };
    const auto add = [&](StateId id) {
      cache.add(id, reinterpret_cast<const std::byte*>(&id), id);
    };
    const auto expand = [&](StateId id) {
      cache.expanded(id, reinterpret_cast<const std::byte*>(&id), id, 1);
    };
    add(0);
    add(1);
    expand(0);
    expand(1);
    EXPECT_EQ(kept(), "01");
    add(2);
    EXPECT_EQ(kept(), "012") << "0 was taken at once, or when it left the ring";
    add(3);
    EXPECT_EQ(kept(), "0123");
    add(4);  // 2 leaves the ring before it is expanded
    EXPECT_EQ(kept(), "0134");
    expand(2);  // in place of 0, whose rank is lower
    EXPECT_EQ(kept(), "1234");
    expand(3);  // in place of 1 at once; not while it is in the ring
    EXPECT_EQ(kept(), handed_down ? "1234" : "234");
    add(5);
    EXPECT_EQ(kept(), "2345");
  }
}

}  // namespace
}  // namespace comback
