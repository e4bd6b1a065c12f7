#include "models/nondeterministic.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "engine/search.h"
#include "tests/support/oracle.h"

namespace comback {
namespace {

using test::Oracle;

// A lossy counter: an increment by one may also be lost or counted twice, and a reset goes to any
// of three values.
class LossyCounters : public NondeterministicRelation {
 public:
  explicit LossyCounters(std::uint32_t limit) : limit_(limit) {}
  const std::string& name() const override { return name_; }
  std::size_t width() const override { return 8; }
  std::uint32_t max_results() const override { return 3; }
  std::uint32_t max_events() const override { return 3; }
  void initial(std::byte* out) const override { write(out, 0, 0); }
  void enabled(const std::byte* state, std::vector<std::uint32_t>& out) const override {
    out.clear();
    const auto [a, b] = read(state);
    if (a + 2 < limit_) out.push_back(0);
    if (b + 2 < limit_) out.push_back(4);
    if (a == b && a != 0) out.push_back(9);
  }
  void execute(const std::byte* state, std::uint32_t event, Results& out) const override {
    const auto [a, b] = read(state);
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (event == 0) add(out, a + k, b);
      if (event == 4) add(out, a, b + k);
      if (event == 9 && k * 3 < limit_) add(out, k * 3, 0);
    }
  }
  std::string describe_event(std::uint32_t event) const override { return std::to_string(event); }

 private:
  static std::pair<std::uint32_t, std::uint32_t> read(const std::byte* state) {
    std::pair<std::uint32_t, std::uint32_t> values;
    std::memcpy(&values.first, state, 4);
    std::memcpy(&values.second, state + 4, 4);
    return values;
  }
  static void write(std::byte* out, std::uint32_t a, std::uint32_t b) {
    std::memcpy(out, &a, 4);
    std::memcpy(out + 4, &b, 4);
  }
  static void add(Results& out, std::uint32_t a, std::uint32_t b) {
    out.descriptors.resize(out.descriptors.size() + 8);
    write(out.descriptors.data() + out.count * 8, a, b);
    ++out.count;
  }
  std::string name_ = "lossy counters";
  std::uint32_t limit_;
};

TEST(Nondeterministic, EventsSayWhichResultTheyHave) {
  const LossyCounters relation(20);
  const NondeterministicModel model(relation);
  const Oracle oracle(model);
  SuccessorBuffer buffer(model.width(), model.max_successors());
  for (std::uint64_t id = 0; id < oracle.states.size(); ++id) {
    model.successors(oracle.bytes(id), buffer);
    std::set<Event> seen;
    for (std::uint32_t i = 0; i < buffer.size(); ++i) {
      EXPECT_TRUE(seen.insert(buffer.event(i)).second) << "an event has two results";
      if (i > 0) {
        EXPECT_GT(buffer.event(i), buffer.event(i - 1));
      }
      std::byte state[72];
      std::memcpy(state, oracle.bytes(id), model.width());
      model.execute(state, buffer.event(i));
      EXPECT_EQ(std::memcmp(state, buffer.descriptor(i), model.width()), 0);
    }
  }
}

TEST(Nondeterministic, TheComBackMethodIsExact) {
  const LossyCounters relation(40);
  const NondeterministicModel model(relation);
  const Oracle oracle(model);
  ASSERT_GT(oracle.states.size(), 1000u);
  for (const auto detection :
       {ComBackOptions::Detection::kImmediate, ComBackOptions::Detection::kDelayed}) {
    for (const SearchOrder order : {SearchOrder::kBreadthFirst, SearchOrder::kDepthFirst}) {
      for (const unsigned bits : {10u, 64u}) {
        SearchOptions options;
        options.order = order;
        options.visited = VisitedMode::kComBack;
        options.memory_bytes = 64 << 20;
        options.hash_bits = bits;
        options.comback.detection = detection;
        options.comback.cache_size = 50;
        Monitor monitor;
        auto summary = explore(model, options, monitor);
        ASSERT_TRUE(summary) << summary.error().what;
        EXPECT_EQ(summary->states, oracle.states.size());
        EXPECT_EQ(summary->transitions, oracle.transitions);
        EXPECT_EQ(summary->deadlocks, oracle.deadlocks);
        if (order == SearchOrder::kBreadthFirst) {
          EXPECT_EQ(summary->level_sizes, oracle.level_sizes);
        }
      }
    }
  }
}

}  // namespace
}  // namespace comback
