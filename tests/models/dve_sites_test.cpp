#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "models/dve/fold.h"
#include "models/dve/parse.h"
#include "models/dve/value_range.h"

// Which places of a model are checked at run time: all that can fail, and few others.

namespace comback::dve {
namespace {

constexpr Op kBinary[] = {Op::kAdd,       Op::kSubtract,  Op::kMultiply,   Op::kDivide,
                          Op::kRemainder, Op::kShiftLeft, Op::kShiftRight, Op::kBitAnd,
                          Op::kBitOr,     Op::kBitXor,    Op::kEqual,      Op::kNotEqual,
                          Op::kLess,      Op::kLessEqual, Op::kGreater,    Op::kGreaterEqual,
                          Op::kAnd,       Op::kOr,        Op::kImply};

TEST(ValueRange, HoldsEveryResult) {
  std::mt19937_64 random(1);
  const auto pick = [&]() -> std::int64_t {
    switch (random() % 5) {
      case 0:
        return static_cast<std::int64_t>(random() % 9) - 4;
      case 1:
        return static_cast<std::int64_t>(random() % 600) - 300;
      case 2:
        return static_cast<std::int64_t>(random() % 140) - 70;
      case 3:
        return static_cast<std::int64_t>(random());
      default:
        return random() % 2 == 0 ? INT64_MIN + static_cast<std::int64_t>(random() % 3)
                                 : INT64_MAX - static_cast<std::int64_t>(random() % 3);
    }
  };
  const auto range = [&] {
    const std::int64_t a = pick();
    const std::int64_t b = random() % 2 == 0 ? pick() : a + (a < INT64_MAX - 9 ? 7 : 0);
    return ValueRange{std::min(a, b), std::max(a, b)};
  };
  // The ends, their neighbours, zero, and values in between.
  const auto values = [&](ValueRange r) {
    std::vector<std::int64_t> out{r.min, r.max};
    for (const std::int64_t x : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}}) {
      if (r.contains(x)) out.push_back(x);
    }
    const std::uint64_t span =
        static_cast<std::uint64_t>(r.max) - static_cast<std::uint64_t>(r.min);
    for (int i = 0; i < 6 && span != 0; ++i) {
      const std::uint64_t step = span == UINT64_MAX ? random() : random() % (span + 1);
      out.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(r.min) + step));
    }
    return out;
  };
  for (int i = 0; i < 20000; ++i) {
    const ValueRange a = range();
    const ValueRange b = range();
    const Op op = kBinary[random() % std::size(kBinary)];
    const ValueRange result = apply(op, a, b);
    for (const std::int64_t x : values(a)) {
      for (const Op unary : {Op::kNegate, Op::kNot, Op::kComplement}) {
        ASSERT_TRUE(apply(unary, a).contains(apply(unary, x)))
            << static_cast<int>(unary) << " " << x;
      }
      for (const std::int64_t y : values(b)) {
        if (y == 0 && (op == Op::kDivide || op == Op::kRemainder)) continue;
        ASSERT_TRUE(result.contains(apply(op, x, y)))
            << "operator " << static_cast<int>(op) << " of " << x << " in [" << a.min << ", "
            << a.max << "] and " << y << " in [" << b.min << ", " << b.max << "]";
      }
    }
  }
}

TEST(ValueRange, IsExactForWhatModelsDo) {
  const ValueRange byte{0, 255};
  EXPECT_EQ(apply(Op::kRemainder, apply(Op::kAdd, byte, {1, 1}), {5, 5}), (ValueRange{0, 4}));
  EXPECT_EQ(apply(Op::kDivide, {-7, 9}, {2, 2}), (ValueRange{-3, 4}));
  EXPECT_EQ(apply(Op::kBitAnd, byte, {-100, -1}), (ValueRange{0, 255}));
  EXPECT_EQ(apply(Op::kBitOr, byte, {0, 3}), (ValueRange{0, 255}));
  EXPECT_EQ(apply(Op::kBitXor, byte, {1, 1}), (ValueRange{0, 255}));
  EXPECT_EQ(apply(Op::kShiftRight, byte, {1, 1}), (ValueRange{0, 127}));
  EXPECT_EQ(apply(Op::kShiftLeft, {1, 1}, {0, 7}), (ValueRange{1, 128}));
  EXPECT_EQ(apply(Op::kMultiply, {0, 1}, byte), (ValueRange{0, 255}));
}

Program parse(const std::string& text) {
  auto result = parse_program("m.dve", text, true);
  if (const auto* errors = std::get_if<Diagnostics>(&result)) {
    ADD_FAILURE() << to_string(*errors) << text;
    return {};
  }
  return std::get<Program>(std::move(result));
}

// The texts of the places that are checked in one transition of P.
std::vector<std::string> sites(const std::string& transition) {
  const Program program = parse(
      "byte a, b, v[5]; int i, w[300]; const int K[3] = {1, 2, 4};\n"
      "channel c; channel {byte} d[0]; channel {byte} e[2];\n"
      "process P { byte x, y; state s; init s; trans s -> s { " +
      transition +
      " }; }\n"
      "process Q { byte x; int j; state s; init s; trans s -> s { sync c!j; }, s -> s { sync "
      "c!300; },\n"
      "  s -> s { sync c?j; }, s -> s { sync d?x; }; }\n"
      "system async;");
  std::vector<std::string> out;
  for (const Site& site : program.sites) out.emplace_back(program.text(site.where));
  std::sort(out.begin(), out.end());
  return out;
}

using Texts = std::vector<std::string>;

TEST(Sites, NothingThatCannotFailIsChecked) {
  for (const char* transition :
       {"effect x = a;", "effect i = a;", "effect i = a + 100;", "effect x = (a + 1) % 5;",
        "effect x = a == b;", "effect x = 255;", "effect v[4] = 1;", "effect v[a % 5] = 1;",
        "effect w[a] = 1;", "effect i = K[a % 3];", "guard a / 2 == 1;", "guard a % (b + 1) == 1;",
        "effect x = K[1];", "effect x = a & 15;", "effect x = a >> b;", "effect x = P.s + 1;",
        // What the guard says.
        "guard a < 255; effect a = a + 1;", "guard a > 0; effect a = a - 1;",
        "guard 0 < a; effect a = a - 1;", "guard a != 0; effect a = a - 1;",
        "guard a; effect a = a - 1;", "guard not (a == 0); effect a = a - 1;",
        "guard a == 3 and b <= a; effect v[b] = v[a];", "guard a < 5 && v[a] == 0;",
        "guard a >= 5 || v[a] == 0;", "guard a < 5 imply v[a] == 0;",
        "guard not (a >= 5 or b >= 5); effect v[a] = v[b];",
        "guard i + 3 <= 100; effect i = i + 3;", "guard i - 2 >= -4; effect i = i - 2;",
        "guard 100 - i >= 0; effect i = i + 1;", "guard v[2] < 9; effect v[2] = v[2] + 1;",
        "guard b != 0 and a / b == 1;", "guard a < b; effect a = a + 1;",
        // What was assigned before.
        "effect x = 3, v[x] = 1;", "guard a < 4; effect a = a + 1, v[a] = 1;",
        "guard x < 5; sync d!a; effect v[x] = 1;", "guard a < 5; sync e!1; effect v[a] = 1;",
        "guard a < 5; sync e?b; effect v[a] = b;"}) {
    EXPECT_EQ(sites(transition), Texts{}) << transition;
  }
}

TEST(Sites, WhatCanFailIsChecked) {
  EXPECT_EQ(sites("effect x = i;"), Texts{"x = i"});
  EXPECT_EQ(sites("effect a = a + 1;"), Texts{"a = a + 1"});
  EXPECT_EQ(sites("effect v[a] = 1;"), Texts{"a"});
  EXPECT_EQ(sites("effect i = K[a];"), Texts{"a"});
  EXPECT_EQ(sites("guard v[i % 5] == 1;"), Texts{"i % 5"});
  EXPECT_EQ(sites("guard a / b == 1;"), Texts{"a / b"});
  EXPECT_EQ(sites("guard a / b == 1 and b != 0;"), Texts{"a / b"});
  EXPECT_EQ(sites("guard a < 5 || v[a] == 0;"), Texts{"a"});
  EXPECT_EQ(sites("guard a < 6; effect v[a] = 1;"), Texts{"a"});
  EXPECT_EQ(sites("guard a < 5 or b; effect v[a] = 1;"), Texts{"a"});
  EXPECT_EQ(sites("guard a < 5 imply b; effect v[a] = 1;"), Texts{"a"});
  EXPECT_EQ(sites("guard a < 5; effect a = b, v[a] = 1;"), Texts{"a"});
  EXPECT_EQ(sites("guard v[1] < 5; effect v[b % 5] = 9, v[v[1]] = 1;"), Texts{"v[1]"});
  EXPECT_EQ(sites("guard v[b] < 5; effect v[v[b]] = 1;"), (Texts{"b", "b", "v[b]"}));
  // The received value and what the other side changed before.
  EXPECT_EQ(sites("sync c?x;"), Texts{"x"});
  EXPECT_EQ(sites("guard x < 5; sync e?x; effect v[x] = 1;"), Texts{}) << "nobody sends on e";
  EXPECT_EQ(sites("guard a < 5; sync d!x; effect v[a] = 1;"), Texts{"a"});
  EXPECT_EQ(sites("sync d!i;"), Texts{"i"});
  EXPECT_EQ(sites("sync e!(i);"), Texts{"(i)"});
}

TEST(Sites, OfAReceiveDependOnAllThatIsSent) {
  const auto program = [](const std::string& sent) {
    return parse(
        "channel c; process P { byte x, v[3]; state s; init s;\n"
        "  trans s -> s { sync c?x; effect v[x] = 1; }; }\n"
        "process Q { byte y; state s; init s; trans s -> s { sync c!1; }, -> s { " +
        sent + " }; } system async;");
  };
  EXPECT_EQ(program("").sites.size(), 0u);
  EXPECT_EQ(program("sync c!2;").sites.size(), 0u);
  EXPECT_EQ(program("sync c!y;").sites.size(), 1u);
  EXPECT_EQ(program("guard y < 3; sync c!y;").sites.size(), 0u);
  EXPECT_EQ(program("sync c!-y;").sites.size(), 2u);
}

TEST(Sites, InASynchronousSystemOthersMayHaveChangedTheGlobals) {
  const auto program = [](const std::string& composition) {
    return parse(
        "byte g, v[5]; process P { state s; init s; trans s -> s { effect g = 9; }; }\n"
        "process Q { state s; init s; trans s -> s { guard g < 5; effect v[g] = 1; }; }\nsystem " +
        composition + ";");
  };
  EXPECT_EQ(program("async").sites.size(), 0u);
  EXPECT_EQ(program("sync").sites.size(), 1u);
}

// --- random models, carried out on random states: whatever fails has a site --------------------

class Machine {
 public:
  // What does not fit is stored modulo the type's size where `wrap`, and fails otherwise.
  Machine(const Program& program, bool wrap, std::mt19937_64& random)
      : program_(program), wrap_(wrap) {
    for (const Variable& v : program.variables) {
      values_.emplace_back(std::max<std::size_t>(1, v.length));
      const TypeRange range = range_of(v.type);
      for (std::size_t i = 0; i < values_.back().size(); ++i) {
        const std::int64_t small = static_cast<std::int64_t>(random() % 9);
        const auto span = static_cast<std::uint64_t>(range.max - range.min + 1);
        values_.back()[i] = random() % 3 != 0
                                ? std::min(small, range.max)
                                : range.min + static_cast<std::int64_t>(random() % span);
        if (v.constant) values_.back()[i] = v.initial[i];
      }
    }
  }

  // Nothing where it fails. `unchecked` tells whether something without a site did.
  std::optional<std::int64_t> evaluate(const Expr& e) {
    switch (e.op) {
      case Op::kConstant:
        return e.value;
      case Op::kVariable:
        return values_[e.variable][0];
      case Op::kElement: {
        const auto index = evaluate(e.args[0]);
        if (!index) return index;
        if (!in_range(e.variable, *index)) return fail(e.site);
        return values_[e.variable][static_cast<std::size_t>(*index)];
      }
      case Op::kAt:
        return 1;
      default:
        break;
    }
    const auto a = evaluate(e.args[0]);
    if (!a) return a;
    if (e.args.size() == 1) return apply(e.op, *a);
    if (e.op == Op::kAnd && *a == 0) return 0;
    if (e.op == Op::kOr && *a != 0) return 1;
    if (e.op == Op::kImply && *a == 0) return 1;
    const auto b = evaluate(e.args[1]);
    if (!b) return b;
    if (*b == 0 && (e.op == Op::kDivide || e.op == Op::kRemainder)) return fail(e.site);
    return apply(e.op, *a, *b);
  }

  bool store(const Lvalue& target, std::optional<std::int64_t> index, std::int64_t value) {
    const Type type = program_.variables[target.variable].type;
    if (value < range_of(type).min || value > range_of(type).max) {
      fail(target.store_site);
      if (!wrap_) return false;
      value = type == Type::kByte ? std::int64_t{static_cast<std::uint8_t>(value)}
                                  : std::int64_t{static_cast<std::int16_t>(value)};
    }
    values_[target.variable][static_cast<std::size_t>(index.value_or(0))] = value;
    return true;
  }

  // The value of the target's index; false where it fails.
  bool index(const Lvalue& target, std::optional<std::int64_t>& out) {
    if (!target.index) return true;
    out = evaluate(*target.index);
    if (!out) return false;
    if (in_range(target.variable, *out)) return true;
    return fail(target.index_site).has_value();
  }

  bool effects(const Transition& t) {
    for (const Assignment& a : t.effects) {
      std::optional<std::int64_t> at;
      if (!index(a.target, at)) return false;
      const auto value = evaluate(a.value);
      if (!value || !store(a.target, at, *value)) return false;
    }
    return true;
  }

  bool enabled(const Transition& t) {
    if (!t.guard) return true;
    const auto value = evaluate(*t.guard);
    return value && *value != 0;
  }

  // As models/dve/executor.h says. True where it did not fail.
  bool run(const Transition& t, const Transition* sender) {
    if (!enabled(t) || (sender != nullptr && !enabled(*sender))) return false;
    if (sender == nullptr) return effects(t);
    std::vector<std::int64_t> values;
    for (const Expr& sent : sender->sent) {
      const auto value = evaluate(sent);
      if (!value) return false;
      values.push_back(*value);
    }
    std::vector<std::optional<std::int64_t>> indices(t.received.size());
    for (std::size_t i = 0; i < t.received.size(); ++i) {
      if (!index(t.received[i], indices[i])) return false;
    }
    for (std::size_t i = 0; i < t.received.size(); ++i) {
      if (!store(t.received[i], indices[i], values[i])) return false;
    }
    return effects(t) && effects(*sender);
  }

  bool unchecked = false;
  bool failed = false;

 private:
  bool in_range(std::uint32_t variable, std::int64_t index) const {
    return index >= 0 && index < program_.variables[variable].length;
  }
  std::optional<std::int64_t> fail(std::uint32_t site) {
    failed = true;
    if (site >= program_.sites.size()) unchecked = true;
    return std::nullopt;
  }

  const Program& program_;
  bool wrap_;
  std::vector<std::vector<std::int64_t>> values_;
};

// Transitions over few variables with guards that say something about them.
class ModelWriter {
 public:
  explicit ModelWriter(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    return fmt::format(
        "byte a, b, v[4]; int i; const int K[3] = {{-1, 2, 4}}; channel c;\n"
        "process P {{ byte x; int j; state s; init s; trans s -> s {{ {} {} }},\n"
        "  s -> s {{ {} sync c?{}; {} }}; }}\n"
        "process Q {{ byte x; int j; state s; init s; trans s -> s {{ {} sync c!{}; {} }}; }}\n"
        "system async;\n",
        guard(), effects(), guard(), target(), effects(), guard(), expression(2), effects());
  }

 private:
  std::string pick(std::initializer_list<const char*> list) {
    return *(list.begin() + random_() % list.size());
  }
  std::string number() { return std::to_string(static_cast<int>(random_() % 8)); }
  std::string target() {
    return random_() % 3 == 0 ? fmt::format("v[{}]", index(1)) : pick({"a", "b", "i", "x", "j"});
  }
  std::string expression(int depth) {
    switch (depth == 0 ? random_() % 3 : random_() % 9) {
      case 0:
        return number();
      case 1:
      case 2:
        return pick({"a", "b", "i", "x", "j"});
      case 3:
        return fmt::format("v[{}]", index(depth));
      case 4:
        return fmt::format("K[{}]", index(depth));
      case 5:
        return fmt::format("({} {} {})", expression(depth - 1), pick({"/", "%"}),
                           expression(depth - 1));
      case 6:
        return pick({"-", "~"}) + expression(depth - 1);
      default:
        return fmt::format("({} {} {})", expression(depth - 1),
                           pick({"+", "-", "*", "&", "|", "^", "<<", ">>", "+", "-"}),
                           expression(depth - 1));
    }
  }
  // A constant index may be out of range, which is an error of its own.
  std::string index(int depth) {
    return random_() % 3 == 0 ? pick({"0", "1", "2"})
                              : pick({"a", "b", "i", "x", "j"}) +
                                    (random_() % 2 == 0 ? "" : " + " + expression(depth - 1));
  }
  std::string condition(int depth) {
    switch (depth == 0 ? random_() % 2 : random_() % 6) {
      case 0:
        return fmt::format("({} {} {})", expression(1), pick({"<", "<=", ">", ">=", "==", "!="}),
                           expression(1));
      case 1:
        return pick({"(a < 4)", "(b < 4)", "(i >= 0 and i < 3)", "(x < 3)", "(j > 0)", "a", "x"});
      case 2:
        return fmt::format("not {}", condition(depth - 1));
      default:
        return fmt::format("({} {} {})", condition(depth - 1), pick({"and", "or", "imply", "and"}),
                           condition(depth - 1));
    }
  }
  std::string guard() { return fmt::format("guard {};", condition(3)); }
  std::string effects() {
    std::string out = "effect ";
    const int count = 1 + static_cast<int>(random_() % 3);
    for (int k = 0; k < count; ++k) {
      out += fmt::format("{}{} = {}", k == 0 ? "" : ", ", target(), expression(2));
    }
    return out + ";";
  }

  std::mt19937_64 random_;
};

TEST(Sites, EverythingThatFailsInRandomModelsIsChecked) {
  int executed = 0;
  int failed = 0;
  int models = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const std::string text = ModelWriter(seed).text();
    auto result = parse_program("m", text, false);
    // Some have a constant index or divisor that is refused.
    if (std::holds_alternative<Diagnostics>(result)) continue;
    ++models;
    const Program& program = std::get<Program>(result);
    std::mt19937_64 random(seed);
    for (int state = 0; state < 60; ++state) {
      for (const StaticEvent& event : program.events) {
        Machine machine(program, state % 2 == 0, random);
        const Transition* sender =
            event.sender == kGlobal
                ? nullptr
                : &program.processes[event.sender].transitions[event.sender_transition];
        executed +=
            machine.run(program.processes[event.process].transitions[event.transition], sender);
        failed += machine.failed;
        ASSERT_FALSE(machine.unchecked) << text;
      }
    }
  }
  // The test would say nothing if guards were never true or nothing ever failed.
  EXPECT_GT(models, 1500);
  EXPECT_GT(executed, 10000);
  EXPECT_GT(failed, 10000);
}

}  // namespace
}  // namespace comback::dve
