// Random models that use the whole language: the interpreter does what the reference does.

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "models/dve/dve_model.h"
#include "models/dve/parse.h"
#include "tests/support/dve_models.h"
#include "tests/support/random_dve.h"
#include "tests/support/reference_executor.h"

namespace comback::test {
namespace {

class RandomPrograms : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, AreInterpretedAsTheReferenceDoes) {
  constexpr unsigned kModelsPerCase = 25;
  constexpr std::size_t kStates = 150;
  unsigned accepted = 0;
  for (unsigned i = 0; i < kModelsPerCase; ++i) {
    const unsigned seed = GetParam() * kModelsPerCase + i;
    const std::string text = RandomDve::text(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    for (const dve::RangeErrors mode : kAllRangeErrors) {
      dve::ProgramResult parsed = dve::parse_program("random.dve", text, false);
      // Some divide by a constant zero, and are refused.
      if (std::holds_alternative<Diagnostics>(parsed)) break;
      if (mode == dve::RangeErrors::kStop) ++accepted;
      const dve::DveModel model(std::get<dve::Program>(std::move(parsed)), mode);
      const ReferenceExecutor reference(model.program(), mode);
      SuccessorBuffer buffer(model.width(), model.max_successors());

      std::set<std::string> seen{initial_state(model)};
      std::deque<std::string> queue{initial_state(model)};
      for (; !queue.empty() && seen.size() < kStates; queue.pop_front()) {
        const std::string& state = queue.front();
        const ReferenceExecutor::Result expected = reference.successors(state);
        const std::uint64_t wraps_before = buffer.wraps();
        model.successors(state_of(state), buffer);
        const std::string where = "mode " + std::to_string(static_cast<int>(mode)) + ", state " +
                                  describe_state(model, state_of(state));

        ASSERT_EQ(buffer.size(), expected.successors.size()) << where;
        for (std::uint32_t s = 0; s < buffer.size(); ++s) {
          const auto& [event, after] = expected.successors[s];
          ASSERT_EQ(buffer.event(s), event) << where;
          ASSERT_EQ(bytes_of(buffer.descriptor(s), model.width()), after)
              << where << ", event " << event << ": " << describe_state(model, buffer.descriptor(s))
              << ", expected " << describe_state(model, state_of(after));
          std::string executed = state;
          model.execute(reinterpret_cast<std::byte*>(executed.data()), event);
          ASSERT_EQ(executed, after) << where << ", executing event " << event;
          if (seen.insert(after).second) queue.push_back(after);
        }
        ASSERT_EQ(buffer.faulted(), expected.fault.has_value()) << where;
        if (expected.fault) {
          ASSERT_EQ(buffer.fault().event, expected.fault->event) << where;
          ASSERT_EQ(buffer.fault().site, expected.fault->site) << where;
          ASSERT_EQ(buffer.fault().value, expected.fault->value) << where;
        }
        ASSERT_EQ(buffer.wraps() - wraps_before, expected.wraps) << where;
        ASSERT_EQ(model.failed_assertion(state_of(state)), reference.failed_assertion(state))
            << where;
      }
    }
  }
  EXPECT_GE(accepted, kModelsPerCase / 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPrograms, ::testing::Range(0u, 20u));

}  // namespace
}  // namespace comback::test
