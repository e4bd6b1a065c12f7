#include "engine/authors_order.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/support/dve_models.h"
#include "tests/support/oracle.h"
#include "tests/support/paths.h"

namespace comback {
namespace {

using test::Oracle;

std::unique_ptr<Model> sample(const std::string& name) {
  return test::loaded(dve::load_file(test::samples_dir() / (name + ".dve"),
                                     {.backend = dve::Backend::kInterpreted}));
}

// The same graph, found in another order, under the contract of a model.
TEST(AuthorsOrder, IsTheSameModelWithOtherNumbers) {
  int compared = 0;
  for (const char* name : {"alternating_bit", "mailbox", "leader_ring", "msi_bus"}) {
    SCOPED_TRACE(name);
    std::unique_ptr<Model> model = sample(name);
    ASSERT_NE(model, nullptr);
    if (!AuthorsOrder::wanted(*model)) continue;
    ++compared;
    const Oracle ours(*model);
    const AuthorsOrder authors(std::move(model));
    const Oracle theirs(authors);
    EXPECT_EQ(theirs.level_sizes, ours.level_sizes);
    EXPECT_EQ(theirs.transitions, ours.transitions);
    EXPECT_EQ(theirs.deadlocks, ours.deadlocks);
    for (const std::string& state : ours.states) EXPECT_EQ(theirs.ids.count(state), 1u);

    SuccessorBuffer buffer(authors.width(), authors.max_successors());
    for (std::uint64_t id = 0; id < theirs.states.size(); ++id) {
      authors.successors(theirs.bytes(id), buffer);
      for (std::uint32_t i = 0; i < buffer.size(); ++i) {
        if (i > 0) {
          ASSERT_GT(buffer.event(i), buffer.event(i - 1));
        }
        std::vector<std::byte> state(authors.width() + 64);
        std::memcpy(state.data(), theirs.bytes(id), authors.width());
        authors.execute(state.data(), buffer.event(i));
        ASSERT_EQ(std::memcmp(state.data(), buffer.descriptor(i), authors.width()), 0);
      }
    }
  }
  EXPECT_GE(compared, 1);
}

TEST(AuthorsOrder, PutsRendezvousLastAndBySender) {
  std::unique_ptr<Model> model = test::dve_model(R"(
channel c;
process R { state a, b; init a; trans a -> b { sync c?; }, b -> b {}; }
process P { state a; init a; trans a -> a {}; }
process S { state a; init a; trans a -> a { sync c!; }; }
process T { state a; init a; trans a -> a { sync c!; }; }
system async;
)");
  ASSERT_NE(model, nullptr);
  ASSERT_TRUE(AuthorsOrder::wanted(*model));
  SuccessorBuffer buffer(model->width(), model->max_successors());
  std::vector<std::byte> state(model->width() + 64);
  model->initial(state.data());
  model->successors(state.data(), buffer);
  ASSERT_EQ(buffer.size(), 3u);
  const auto text = [&](const Model& m, std::uint32_t i) {
    return m.describe_event(state.data(), buffer.event(i));
  };
  const std::string first_rendezvous = text(*model, 0);
  const std::string second_rendezvous = text(*model, 1);
  const std::string plain = text(*model, 2);

  const AuthorsOrder authors(std::move(model));
  authors.successors(state.data(), buffer);
  ASSERT_EQ(buffer.size(), 3u);
  EXPECT_EQ(text(authors, 0), plain);
  EXPECT_EQ(text(authors, 1), first_rendezvous);
  EXPECT_EQ(text(authors, 2), second_rendezvous);
}

}  // namespace
}  // namespace comback
