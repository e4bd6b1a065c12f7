#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "models/dve/parse.h"

// What a text means: every part of the language, as the program that comes out of it.

namespace comback::dve {
namespace {

Program parse(std::string text, bool ignore_property = false) {
  auto result = parse_program("m.dve", std::move(text), ignore_property);
  if (const auto* errors = std::get_if<Diagnostics>(&result)) {
    ADD_FAILURE() << to_string(*errors);
    return {};
  }
  return std::get<Program>(std::move(result));
}

std::string show(const Program& program, const Expr& e) {
  static constexpr const char* kNames[] = {
      "",   "",  "",  "",  "neg", "not", "~", "+",  "-", "*",  "/",   "%",  "<<",
      ">>", "&", "|", "^", "==",  "!=",  "<", "<=", ">", ">=", "and", "or", "imply"};
  switch (e.op) {
    case Op::kConstant:
      return std::to_string(e.value);
    case Op::kVariable:
      return program.variables[e.variable].name;
    case Op::kElement:
      return fmt::format("{}[{}]", program.variables[e.variable].name, show(program, e.args[0]));
    case Op::kAt:
      return fmt::format("{}.{}", program.processes[e.process].name,
                         program.processes[e.process].locations[e.location].name);
    default: {
      std::string out = fmt::format("({}", kNames[static_cast<std::size_t>(e.op)]);
      for (const Expr& arg : e.args) out += " " + show(program, arg);
      return out + ")";
    }
  }
}

// The guard `text` over a, b, c, d and the array v, with the constants ONE and TWO.
std::string guard(const std::string& text) {
  const Program program = parse(
      "const int ONE = 1, TWO = ONE + 1, K[3] = {5, 6, 7}; int a, b, c, d; byte v[4];\n"
      "process P { state s, t; init s; trans s -> t { guard " +
      text + "; }; }\nprocess Q { state u; init u; } system async;");
  if (program.processes.empty()) return "refused";
  const Expr& e = *program.processes[0].transitions[0].guard;
  EXPECT_EQ(program.text(e.where), text);
  return show(program, e);
}

TEST(DveLanguage, OperatorsBindAsInDivine) {
  EXPECT_EQ(guard("a imply b or c"), "(imply a (or b c))");
  EXPECT_EQ(guard("a imply b imply c"), "(imply (imply a b) c)");
  // One level: from left to right.
  EXPECT_EQ(guard("a or b and c"), "(and (or a b) c)");
  EXPECT_EQ(guard("a and b or c"), "(or (and a b) c)");
  EXPECT_EQ(guard("a && b || c"), "(or (and a b) c)");
  EXPECT_EQ(guard("a or b | c"), "(or a (| b c))");
  EXPECT_EQ(guard("a | b & c ^ d"), "(^ (& (| a b) c) d)");
  EXPECT_EQ(guard("a & b == c"), "(& a (== b c))");
  EXPECT_EQ(guard("a == b < c"), "(== a (< b c))");
  EXPECT_EQ(guard("a != b >= c"), "(!= a (>= b c))");
  EXPECT_EQ(guard("a < b << c"), "(< a (<< b c))");
  EXPECT_EQ(guard("a >> b + c"), "(>> a (+ b c))");
  EXPECT_EQ(guard("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(guard("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(guard("a / b % c * d"), "(* (% (/ a b) c) d)");
  EXPECT_EQ(guard("not a == b"), "(== (not a) b)");
  EXPECT_EQ(guard("-a * ~b"), "(* (neg a) (~ b))");
  EXPECT_EQ(guard("not not -a"), "(not (not (neg a)))");
  EXPECT_EQ(guard("a <= -1"), "(<= a -1)");
  EXPECT_EQ(guard("(a + b) * c"), "(* (+ a b) c)");
  EXPECT_EQ(guard("((a))"), "a");
  EXPECT_EQ(guard("(a) - (b)"), "(- a b)");
  EXPECT_EQ(guard("v[a + 1] > v[2]"), "(> v[(+ a 1)] v[2])");
  EXPECT_EQ(guard("P.s && Q.u"), "(and P.s Q.u)");
}

TEST(DveLanguage, ConstantsAreFolded) {
  EXPECT_EQ(guard("true"), "1");
  EXPECT_EQ(guard("false"), "0");
  EXPECT_EQ(guard("TWO * 3 - 1"), "5");
  EXPECT_EQ(guard("a + TWO * 2"), "(+ a 4)");
  EXPECT_EQ(guard("K[TWO]"), "7");
  EXPECT_EQ(guard("K[a]"), "K[a]");
  EXPECT_EQ(guard("v[ONE]"), "v[1]");
  EXPECT_EQ(guard("-7 / 2"), "-3");
  EXPECT_EQ(guard("-7 % 2"), "-1");
  EXPECT_EQ(guard("1 << 4 | 1"), "17");
  EXPECT_EQ(guard("~0"), "-1");
  EXPECT_EQ(guard("not 5"), "0");
  EXPECT_EQ(guard("2 imply 0"), "0");
  // The right side is not evaluated where the left decides.
  EXPECT_EQ(guard("false and v[a]"), "0");
  EXPECT_EQ(guard("true or v[a]"), "1");
  EXPECT_EQ(guard("false imply v[a]"), "1");
  EXPECT_EQ(guard("true and a"), "(and 1 a)");
}

TEST(DveLanguage, LexisOfNamesCommentsAndLines) {
  const Program program = parse(
      "byte x$1#, _y; // a comment\n"
      "/* another\n * with stars **/ int \\\n z; /**/\r\n"
      "process P#$ { state s; init s; trans s->s{guard x$1#==1&&_y<-1;}; }\n"
      "system\tasync ;");
  ASSERT_EQ(program.variables.size(), 3u);
  EXPECT_EQ(program.variables[0].name, "x$1#");
  EXPECT_EQ(program.variables[2].name, "z");
  EXPECT_EQ(program.processes[0].name, "P#$");
  EXPECT_EQ(show(program, *program.processes[0].transitions[0].guard),
            "(and (== x$1# 1) (< _y -1))");
  EXPECT_EQ(program.processes[0].transitions[0].line, 5u);
}

TEST(DveLanguage, InitialValues) {
  const Program program = parse(
      "const byte N = 3, BIG = 1000; byte a = N + 1, b = a * 2; int c = -N;\n"
      "const int K[3] = {1, N, BIG};\n"
      "byte longer[2] = {1, 2, 3, 4}; byte shorter[4] = {1, b}; byte none[2];\n"
      "byte e = K[1] + shorter[1];\n"
      "process P { const byte N = 7; byte a = N, b = a; state s; init s; }\n"
      "process Q { byte a = a + 1; state s; init s; }\n"
      "system async;");
  const auto initial = [&](std::size_t v) { return program.variables[v].initial; };
  using Values = std::vector<std::int64_t>;
  EXPECT_EQ(initial(0), Values{4});
  EXPECT_EQ(initial(1), Values{8});
  EXPECT_EQ(initial(2), Values{-3});
  EXPECT_EQ(initial(3), (Values{1, 3, 1000}));
  EXPECT_TRUE(program.variables[3].constant);
  EXPECT_EQ(initial(4), (Values{1, 2}));
  EXPECT_EQ(initial(5), (Values{1, 8, 0, 0}));
  EXPECT_EQ(initial(6), (Values{0, 0}));
  EXPECT_EQ(initial(7), Values{11});
  EXPECT_EQ(initial(8), Values{7});
  EXPECT_EQ(initial(9), Values{7});
  EXPECT_EQ(initial(10), Values{5}) << "a variable hides a global one only after its declaration";
  ASSERT_EQ(program.constants.size(), 3u);
  EXPECT_EQ(program.constants[1].value, 1000) << "a constant may be outside its type";
  EXPECT_EQ(program.constants[2].process, 0u);
}

TEST(DveLanguage, LayoutIsPackedInTheOrderOfTheText) {
  const Program program = parse(
      "byte a; int b; const byte K[9] = {1}; channel r; channel {byte, int} box[3]; byte c[3];\n"
      "process P { int x; byte y[2]; state s; init s; }\n"
      "byte late;\n"
      "process Q { byte x; state s; init s; }\n"
      "system async;");
  const auto offset = [&](std::uint32_t process, std::string_view name) {
    for (const Variable& v : program.variables) {
      if (v.process == process && v.name == name) return v.offset;
    }
    return std::size_t{9999};
  };
  EXPECT_EQ(offset(kGlobal, "a"), 0u);
  EXPECT_EQ(offset(kGlobal, "b"), 1u);
  EXPECT_EQ(program.channels[1].offset, 3u);
  EXPECT_EQ(program.channels[1].message_bytes, 3u);
  EXPECT_EQ(offset(kGlobal, "c"), 3 + 1 + 9u);
  EXPECT_EQ(offset(kGlobal, "late"), 16u);
  EXPECT_EQ(program.processes[0].offset, 17u);
  EXPECT_EQ(offset(0, "x"), 18u);
  EXPECT_EQ(offset(0, "y"), 20u);
  EXPECT_EQ(program.processes[1].offset, 22u);
  EXPECT_EQ(offset(1, "x"), 23u);
  EXPECT_EQ(program.width, 24u);
}

TEST(DveLanguage, LocationsTakeTwoBytesWhereOneHasNoSpareValue) {
  const auto model = [](int locations) {
    std::string text = "process P { state s0";
    for (int i = 1; i < locations; ++i) text += fmt::format(", s{}", i);
    return text + "; init s1; } system async;";
  };
  EXPECT_EQ(parse(model(255)).processes[0].location_bytes, 1u);
  EXPECT_EQ(parse(model(255)).width, 1u);
  EXPECT_EQ(parse(model(256)).processes[0].location_bytes, 2u);
  EXPECT_EQ(parse(model(256)).width, 2u);
  EXPECT_EQ(parse(model(256)).processes[0].initial, 1u);
}

TEST(DveLanguage, SectionsOfAProcess) {
  const Program program = parse(
      "byte x;\n"
      "process P { state a, b, c;\n"
      "  accept b, c; assert a: x == 0, b: x; commit c; init b; commit a; assert c: 1;\n"
      "  trans ; }\n"
      "process Q { state a; init a; }\n"
      "system async;");
  const Process& p = program.processes[0];
  EXPECT_EQ(p.initial, 1u);
  EXPECT_TRUE(p.locations[0].committed);
  EXPECT_FALSE(p.locations[1].committed);
  EXPECT_TRUE(p.locations[2].committed);
  EXPECT_FALSE(p.locations[0].accepting);
  EXPECT_TRUE(p.locations[1].accepting);
  EXPECT_TRUE(p.transitions.empty());
  EXPECT_TRUE(program.has_committed);
  ASSERT_EQ(program.assertions.size(), 3u);
  EXPECT_EQ(program.assertions[1].location, 1u);
  EXPECT_EQ(program.text(program.assertions[0].where), "a: x == 0");
  EXPECT_EQ(program.max_successors, 0u);
}

TEST(DveLanguage, Transitions) {
  const Program program = parse(
      "byte x, v[3]; channel c; channel {byte, int} d[0]; channel {int} e[2];\n"
      "process P { byte x; state a, b; init a;\n"
      "  trans a -> b { },\n"
      "    -> a { guard x == 1; effect x = x + 1, v[x] = 2; },\n"
      "    b -> a { sync c!; },\n"
      "    -> b { sync d!{1, -x}; },\n"
      "    -> b { sync d?{x, v[1]}; effect x = 0; },\n"
      "    -> b { guard 1; sync e!{5}; }, -> a { sync e?x; }; }\n"
      "process Q { state a; init a; trans a -> a { sync d?{v[2], x}; }; }\n"
      "system async;");
  const auto& t = program.processes[0].transitions;
  ASSERT_EQ(t.size(), 7u);
  EXPECT_EQ(t[1].source, 0u);
  EXPECT_EQ(t[1].target, 0u);
  EXPECT_EQ(t[1].line, 4u);
  EXPECT_EQ(program.text(t[1].where), "-> a { guard x == 1; effect x = x + 1, v[x] = 2; }");
  ASSERT_EQ(t[1].effects.size(), 2u);
  EXPECT_EQ(program.text(t[1].effects[0].where), "x = x + 1");
  EXPECT_EQ(t[1].effects[0].target.variable, 2u) << "the local x, not the global one";
  EXPECT_EQ(program.text(t[1].effects[1].target.where), "v[x]");
  EXPECT_EQ(t[2].sync, SyncKind::kSend);
  EXPECT_TRUE(t[2].sent.empty());
  EXPECT_EQ(t[3].source, 1u);
  EXPECT_EQ(t[3].sent.size(), 2u);
  EXPECT_EQ(t[3].sent_sites.size(), 2u);
  EXPECT_EQ(t[4].sync, SyncKind::kReceive);
  ASSERT_EQ(t[4].received.size(), 2u);
  EXPECT_EQ(program.text(t[4].received[1].where), "v[1]");
  EXPECT_EQ(t[5].sent.size(), 1u);
  EXPECT_EQ(t[6].received.size(), 1u);
  EXPECT_EQ(program.processes[1].transitions[0].received[1].variable, 0u);
}

TEST(DveLanguage, EventsStandAtTheReceiver) {
  const Program program = parse(
      "channel c; channel {byte} b[1];\n"
      "process P { state a, z; init a; trans a -> a { sync c?; }, a -> z { }, a -> a { sync c!; "
      "};}\n"
      "process Q { state a, z; init a; trans a -> a { sync c!; }, z -> a { sync c!; }; }\n"
      "process R { byte x; state a; init a; trans a -> a { sync b!1; }, a -> a { sync b?x; },\n"
      "  a -> a { sync c?; }; }\n"
      "system async;");
  std::vector<std::vector<std::uint32_t>> events;
  for (const StaticEvent& e : program.events) {
    events.push_back({e.process, e.transition, e.sender, e.sender_transition});
  }
  EXPECT_EQ(events, (std::vector<std::vector<std::uint32_t>>{{0, 0, 1, 0},
                                                             {0, 0, 1, 1},
                                                             {0, 1, kGlobal, 0},
                                                             {2, 0, kGlobal, 0},
                                                             {2, 1, kGlobal, 0},
                                                             {2, 2, 0, 2},
                                                             {2, 2, 1, 0},
                                                             {2, 2, 1, 1}}));
  // P at a: itself and one of Q's sends. R: two of its own, and P's or one of Q's sends.
  EXPECT_EQ(program.max_successors, 2u + 4u);
}

TEST(DveLanguage, SynchronousSystems) {
  const Program program = parse(
      "process P { state a, b; init a; trans a -> b { }, -> a { }, b -> a { }; }\n"
      "process Q { state a; init a; trans a -> a { }, -> a { }, -> a { }; }\n"
      "system sync;");
  EXPECT_TRUE(program.synchronous);
  EXPECT_TRUE(program.events.empty());
  EXPECT_EQ(program.max_successors, 6u);
}

TEST(DveLanguage, PropertyProcesses) {
  const Program program = parse(
      "byte g;\n"
      "process Never { const byte K = 1; byte seen, list[2]; state s, t; init s; accept t;\n"
      "  trans s -> t { guard P->x == K && P->y[1] && P.a && Never.s;\n"
      "                 effect seen = P->x, list[g] = 1; }; }\n"
      "process P { byte x, y[2]; state a; init a; trans a -> a { effect g = 1; }; }\n"
      "system async property Never;",
      true);
  ASSERT_EQ(program.processes.size(), 1u);
  EXPECT_EQ(program.processes[0].name, "P");
  ASSERT_TRUE(program.property.has_value());
  EXPECT_EQ(program.property->name, "Never");
  EXPECT_TRUE(program.property->locations[1].accepting);
  ASSERT_EQ(program.variables.size(), 3u);
  ASSERT_EQ(program.property_variables.size(), 2u);
  EXPECT_EQ(program.property->transitions[0].effects[0].target.variable, 3u);
  EXPECT_EQ(program.property->transitions[0].effects[1].target.variable, 4u);
  EXPECT_EQ(program.property->transitions[0].effects[0].value.variable, 1u);
  EXPECT_EQ(program.width, 1u + 1 + 1 + 2) << "the property process is not in the state";
  EXPECT_EQ(program.events.size(), 1u);
}

TEST(DveLanguage, LinesAndColumns) {
  Program program;
  program.source = "ab\n\ncd";
  using Place = std::array<std::uint32_t, 2>;
  EXPECT_EQ(program.line_and_column(0), (Place{1, 1}));
  EXPECT_EQ(program.line_and_column(2), (Place{1, 3}));
  EXPECT_EQ(program.line_and_column(3), (Place{2, 1}));
  EXPECT_EQ(program.line_and_column(5), (Place{3, 2}));
}

TEST(DveLanguage, Predicates) {
  const Program program = parse(
      "const byte LIMIT = 3; byte g, v[2];\n"
      "process P { const byte ROUNDS = 2; byte x, both, w[4]; state a, both; init a; }\n"
      "process Never { state s; init s; } system async property Never;",
      true);
  const auto predicate = [&](std::string_view text) {
    const auto result = parse_predicate(program, text);
    if (const auto* errors = std::get_if<Diagnostics>(&result)) return to_string(*errors);
    const auto& checked = std::get<CheckedPredicate>(result);
    EXPECT_EQ(checked.text, text);
    return show(program, checked.condition);
  };
  EXPECT_EQ(predicate("g <= LIMIT"), "(<= g 3)");
  EXPECT_EQ(predicate("P.a"), "P.a");
  EXPECT_EQ(predicate("P->x == P->ROUNDS"), "(== x 2)");
  EXPECT_EQ(predicate("P.x == P.ROUNDS"), "(== x 2)");
  EXPECT_EQ(predicate("P.both"), "P.both") << "a state before a variable";
  EXPECT_EQ(predicate("P->both"), "both");
  EXPECT_EQ(predicate("P.w[g] + P->w[1]"), "(+ w[g] w[1])");
  EXPECT_EQ(predicate(""),
            "<predicate>:1:1: error: expected an expression, found the end of the text\n"
            " 1 | \n"
            "   | ^\n");
  EXPECT_EQ(predicate("g == 1 g"),
            "<predicate>:1:8: error: expected an operator or the end, found 'g'\n"
            " 1 | g == 1 g\n"
            "   |        ^\n");
  EXPECT_EQ(predicate("g = 1"),
            "<predicate>:1:3: error: expected an operator or the end, found '='\n"
            " 1 | g = 1\n"
            "   |   ^\n"
            "  hint: '==' compares\n");
  EXPECT_EQ(predicate("x == 1"),
            "<predicate>:1:1: error: there is no variable or constant 'x'\n"
            " 1 | x == 1\n"
            "   | ^\n"
            "  hint: write P->x\n");
  EXPECT_EQ(predicate("P.y"),
            "<predicate>:1:3: error: process 'P' has no state and no variable 'y'\n"
            " 1 | P.y\n"
            "   |   ^\n");
  EXPECT_EQ(predicate("P->a"),
            "<predicate>:1:4: error: process 'P' has no variable 'a'\n"
            " 1 | P->a\n"
            "   |    ^\n"
            "  hint: 'a' is a state of 'P': write P.a\n");
  EXPECT_EQ(predicate("P->g"),
            "<predicate>:1:4: error: process 'P' has no variable 'g'\n"
            " 1 | P->g\n"
            "   |    ^\n"
            "  hint: 'g' is global: write g\n");
  EXPECT_EQ(predicate("Never.s"),
            "<predicate>:1:1: error: 'Never' is the property process and not part of the system\n"
            " 1 | Never.s\n"
            "   | ^\n");
  EXPECT_EQ(predicate("v[LIMIT]"),
            "<predicate>:1:3: error: index 3 is outside 'v', whose elements are 0 to 1\n"
            " 1 | v[LIMIT]\n"
            "   |   ^\n");

  const auto checked = std::get<CheckedPredicate>(parse_predicate(program, "v[g] / g"));
  ASSERT_EQ(checked.sites.size(), 2u);
  EXPECT_EQ(checked.condition.site, 1u);
  EXPECT_EQ(checked.condition.args[0].site, 0u);
  EXPECT_EQ(checked.sites[0].kind, Site::Kind::kIndex);
  EXPECT_EQ(checked.sites[1].kind, Site::Kind::kDivision);
}

}  // namespace
}  // namespace comback::dve
