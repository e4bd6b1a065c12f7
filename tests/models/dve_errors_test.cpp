#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/dve/parse.h"

// What people are told about models that are wrong, and where.

namespace comback::dve {
namespace {

// A text without its marks @, and the offsets of these.
std::pair<std::string, std::vector<std::size_t>> unmark(std::string_view marked) {
  std::pair<std::string, std::vector<std::size_t>> out;
  for (const char c : marked) {
    if (c == '@') {
      out.second.push_back(out.first.size());
    } else {
      out.first += c;
    }
  }
  return out;
}

struct Position {
  std::uint32_t line;
  std::uint32_t column;
  std::string source_line;
};

Position position(const std::string& text, std::size_t offset) {
  Position out{1, 1, {}};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n') {
      ++out.line;
      begin = i + 1;
    }
  }
  out.column = static_cast<std::uint32_t>(offset - begin + 1);
  out.source_line = text.substr(begin, text.find('\n', begin) - begin);
  return out;
}

void expect_at(const Diagnostic& d, const std::string& text, std::size_t offset) {
  const Position expected = position(text, offset);
  EXPECT_EQ(d.line, expected.line) << to_string(d);
  EXPECT_EQ(d.column, expected.column) << to_string(d);
  EXPECT_EQ(d.source_line, expected.source_line);
}

struct Case {
  const char* model;  // @ before the place to blame
  const char* message;
  const char* hint = "";
};

// Models with one error.
void expect_refused(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const auto [text, marks] = unmark(c.model);
    SCOPED_TRACE(text);
    const auto result = parse_program("dir/model.dve", text, false);
    const auto* errors = std::get_if<Diagnostics>(&result);
    if (errors == nullptr) {
      ADD_FAILURE() << "accepted; expected: " << c.message;
      continue;
    }
    EXPECT_EQ(errors->size(), 1u) << to_string(*errors);
    EXPECT_EQ(errors->front().file, "dir/model.dve");
    EXPECT_EQ(errors->front().message, c.message);
    EXPECT_EQ(errors->front().hint, c.hint);
    if (marks.size() != 1) {
      ADD_FAILURE() << "the case needs one mark";
    } else {
      expect_at(errors->front(), text, marks[0]);
    }
  }
}

TEST(DveErrors, Lexis) {
  expect_refused({
      {"byte x; @/* no end\nsystem async;", "this comment does not end", "close it with */"},
      {"byte x = @2147483648;\nprocess P { state a; init a; }\nsystem async;",
       "this number is larger than 2147483647"},
      {"byte x = @99999999999999999999999999999999999;\nprocess P { state a; init a; } system "
       "async;",
       "this number is larger than 2147483647"},
      {"byte x @$ y;\nprocess P { state a; init a; } system async;",
       "'$' is not part of the language"},
      {"byte @\xc3\xa9t\xc3\xa9;\nsystem async;",
       "byte 0xc3 is not part of the language outside comments"},
      {"byte x = 1 @\\ ;\nsystem async;", "'\\' is not part of the language"},
  });
}

TEST(DveErrors, Declarations) {
  expect_refused({
      {"byte@;\nprocess P { state a; init a; } system async;",
       "expected the name of a variable, found ';'"},
      {"byte @state;\nprocess P { state a; init a; } system async;",
       "expected the name of a variable, found 'state'",
       "'state' is a keyword and cannot be a name"},
      {"byte x@\nbyte y;\nprocess P { state a; init a; } system async;",
       "expected ',' or ';' after the declaration, found 'byte'"},
      {"const byte N = 3; byte a[@N];\nprocess P { state a; init a; } system async;",
       "expected the array's size, found 'N'", "the size of an array is written as a number"},
      {"byte a[@0];\nprocess P { state a; init a; } system async;",
       "an array has at least one element"},
      {"byte a[2] = @1;\nprocess P { state a; init a; } system async;",
       "expected '{' before the array's initial values, found '1'"},
      {"byte a[2] = {1, 2@;\nprocess P { state a; init a; } system async;",
       "expected ',' or '}' after the initial value, found ';'"},
      {"const @channel c;\nprocess P { state a; init a; } system async;",
       "expected a type, 'byte' or 'int', found 'channel'"},
      {"channel c@[3];\nprocess P { state a; init a; } system async;",
       "expected ',' or ';' after the channel, found '['",
       "a channel with a capacity needs the types of its items: channel {byte} NAME[N];"},
      {"channel {byte} c@;\nprocess P { state a; init a; } system async;",
       "expected '[' and the capacity of the typed channel, found ';'",
       "'[0]' makes it a rendezvous"},
      {"channel {@c} c[0];\nprocess P { state a; init a; } system async;",
       "expected a type, 'byte' or 'int', found 'c'"},
      {"@bool b;\nprocess P { state a; init a; } system async;",
       "expected a declaration, a process, or 'system', found 'bool'"},
      {"process P { state a; init a; }@\n\n",
       "expected 'system async;' behind the last process, found the end of the text",
       "a model ends with 'system async;' or 'system sync;'"},
      {"@", "expected 'system async;' behind the last process, found the end of the text",
       "a model ends with 'system async;' or 'system sync;'"},
      {"process P { state a; init a; } system @;",
       "expected 'async' or 'sync' after 'system', found ';'"},
      {"process P { state a; init a; } system async@",
       "expected ';' at the end of the model, found the end of the text"},
      {"process P { state a; init a; } system async;\n@byte x;",
       "expected nothing behind the 'system' line, found 'byte'"},
      {"@system async;", "the model has no process"},
  });
}

TEST(DveErrors, Processes) {
  expect_refused({
      {"process @{ state a; init a; } system async;", "expected the name of a process, found '{'"},
      {"process P @state a; init a; } system async;",
       "expected '{' after the process's name, found 'state'"},
      {"process @P { } system async;", "process 'P' has no states", "add 'state NAME, ...;'"},
      {"process @P { state a, b; trans a -> b { }; } system async;",
       "process 'P' has no initial state", "add 'init a;' after its states"},
      {"process P { state a; @byte x; init a; } system async;",
       "variables must come before 'state'"},
      {"process P { state a; trans a -> a { }; @init a; } system async;",
       "'init' must come before 'trans'"},
      {"process P { state a; @state b; init a; } system async;",
       "this process already has a 'state' section"},
      {"process P { state a; init a; @init a; } system async;",
       "this process already has an 'init' section"},
      {"process P { @channel c; state a; init a; } system async;",
       "a channel cannot be declared inside a process", "declare it before the processes"},
      {"process P { state a; init a;@\nsystem async;",
       "expected '}' at the end of process 'P', found 'system'"},
      {"process P { state a; init a; assert a @x; } system async;",
       "expected ':' after the state of the assertion, found 'x'"},
      {"process P { state a@\n  init a;\n}\nsystem async;", "expected ',' or ';', found 'init'"},
      {"process P { state a; init a; @guard; } system async;",
       "expected a section of the process, such as 'state' or 'trans', found 'guard'"},
  });
}

TEST(DveErrors, Transitions) {
  expect_refused({
      {"process P { state a; init a; trans @-> a { }; } system async;",
       "the first transition needs its source state"},
      {"process P { state a; init a; trans a -> a { }, @; } system async;",
       "expected a transition, found ';'"},
      {"process P { state a; init a; trans a @a { }; } system async;",
       "expected '->' after the source state, found 'a'"},
      {"process P { state a; init a; trans a -> @{ }; } system async;",
       "expected the name of the target state, found '{'"},
      {"process P { state a; init a; trans a -> a { } @a -> a { }; } system async;",
       "expected ',' between two transitions, found 'a'"},
      {"process P { state a; init a; trans a -> a { }; @a -> a { }; } system async;",
       "expected '}' at the end of process 'P', found 'a'",
       "transitions are separated by ','; only the last one ends with ';'"},
      {"process P { state a; init a; trans a -> a { } @} system async;",
       "expected ',' or ';' after the transition, found '}'"},
      {"byte x; process P { state a; init a; trans a -> a { guard x @= 1; }; } system async;",
       "expected an operator or ';' after the guard, found '='",
       "'==' compares; '=' assigns, in an effect"},
      {"byte x; process P { state a; init a; trans a -> a { guard (x @= 1); }; } system async;",
       "expected ')', found '='", "'==' compares; '=' assigns"},
      {"byte x; process P { state a; init a; trans a -> a { guard @!x; }; } system async;",
       "expected an expression, found '!'", "'!' only marks a send; negation is 'not'"},
      {"byte x; process P { state a; init a; trans a -> a { guard x + @; }; } system async;",
       "expected an expression, found ';'"},
      {"byte x; process P { state a; init a; trans a -> a { guard x;\n @guard x; }; } system "
       "async;",
       "this transition already has a 'guard'", "join conditions with 'and'"},
      {"byte x; process P { state a; init a; trans a -> a { effect x = 1; @guard x; }; } system "
       "async;",
       "'guard' must come before 'effect'"},
      {"byte x; process P { state a; init a; trans a -> a { effect x @== 1; }; } system async;",
       "expected '=' after the variable, found '=='", "'=' assigns; '==' compares"},
      {"byte x; process P { state a; init a; trans a -> a { effect x = 1; @x = 2; }; } system "
       "async;",
       "expected 'guard', 'sync', 'effect' or '}', found 'x'",
       "the assignments of an effect are separated by ','"},
      {"byte x; process P { state a; init a; trans a -> a { effect x = 1 @}; } system async;",
       "expected an operator, ',' or ';' after the assignment, found '}'"},
      {"byte x; process P { state a; init a; trans a -> a { effect @5 = 1; }; } system async;",
       "expected a variable to assign to, found '5'"},
      {"channel c; process P { state a; init a; trans a -> a { sync c@; }; } system async;",
       "expected '!' to send or '?' to receive after the channel, found ';'"},
      {"channel c; process P { state a; init a; trans a -> a { sync c?@5; }; } system async;",
       "expected a variable to receive into, found '5'"},
      {"byte a[3]; process P { state s; init s; trans s -> s { guard a[1@; }; } system async;",
       "expected ']' after the index, found ';'"},
  });
}

TEST(DveErrors, Names) {
  expect_refused({
      {"byte count; process P { state a; init a; trans a -> a { effect @cuont = 1; }; } system "
       "async;",
       "there is no variable or constant 'cuont'", "did you mean 'count'?"},
      {"process P { state a; init a; trans a -> a { guard @x; }; } system async;",
       "there is no variable or constant 'x'"},
      {"process P { state a; init a; trans a -> a { guard @a; }; } system async;",
       "there is no variable or constant 'a'", "'a' is a state: test it with P.a"},
      {"process P { byte x; state a; init a; }\n"
       "process Q { state a; init a; trans a -> a { guard @x; }; } system async;",
       "there is no variable or constant 'x'",
       "'x' belongs to process 'P'; make it global to share it"},
      {"channel c; process P { state a; init a; trans a -> a { guard @c; }; } system async;",
       "there is no variable or constant 'c'", "'c' is a channel"},
      {"process P { state a; init a; trans a -> a { guard @P; }; } system async;",
       "there is no variable or constant 'P'", "'P' is a process: P.STATE tests where it is"},
      {"process Pump { state a; init a; trans a -> a { guard @Pmup.a; }; } system async;",
       "there is no process 'Pmup'", "did you mean 'Pump'?"},
      {"process P { state idle; init idle; trans idle -> idle { guard P.@Idle; }; } system async;",
       "process 'P' has no state 'Idle'", "did you mean 'idle'?"},
      {"process P { byte x; state a; init a; trans a -> a { guard P.@x; }; } system async;",
       "process 'P' has no state 'x'",
       "'x' is a variable of 'P', which only its own process can read; make it global to share it"},
      {"process P { byte x; state a; init a; }\n"
       "process Q { state a; init a; trans a -> a { guard @P->x == 1; }; } system async;",
       "a variable of another process can be read only by a property process and in predicates",
       "make 'x' global to share it"},
      {"process P { state idle; init @Idle; } system async;", "process 'P' has no state 'Idle'",
       "did you mean 'idle'?"},
      {"process P { state a; init a; commit @b; } system async;", "process 'P' has no state 'b'"},
      {"process P { state a; init a; accept @b; } system async;", "process 'P' has no state 'b'"},
      {"process P { state a; init a; assert @b: 1; } system async;",
       "process 'P' has no state 'b'"},
      {"process P { state a; init a; trans @b -> a { }; } system async;",
       "process 'P' has no state 'b'"},
      {"process P { state a; init a; trans a -> @b { }; } system async;",
       "process 'P' has no state 'b'"},
      {"channel wire; process P { state a; init a; trans a -> a { sync @wier!; }; } system async;",
       "there is no channel 'wier'", "did you mean 'wire'?"},
      {"byte c; process P { state a; init a; trans a -> a { sync @c!; }; } system async;",
       "there is no channel 'c'", "'c' is a variable"},
      {"process P { state a; init a; } system async property @Q;", "there is no process 'Q'"},
      {"byte x;\nint @x;\nprocess P { state a; init a; } system async;",
       "there already is a variable or constant 'x'", "the other one is in line 1"},
      {"const byte N = 1;\nbyte @N;\nprocess P { state a; init a; } system async;",
       "there already is a variable or constant 'N'", "the other one is in line 1"},
      {"channel c,\n@c; process P { state a; init a; } system async;",
       "there already is a channel 'c'", "the other one is in line 1"},
      {"process P { state a; init a; }\nprocess @P { state a; init a; }\nsystem async;",
       "there already is a process 'P'", "the other one is in line 1"},
      {"process P { state a, b, @a; init a; } system async;", "there already is a state 'a'",
       "the other one is in line 1"},
  });
}

TEST(DveErrors, Values) {
  expect_refused({
      {"byte a[3]; process P { state s; init s; trans s -> s { guard @a == 1; }; } system async;",
       "'a' is an array and needs an index", "its elements are a[0] to a[2]"},
      {"byte a[3]; process P { state s; init s; trans s -> s { effect @a = 1; }; } system async;",
       "'a' is an array and needs an index", "its elements are a[0] to a[2]"},
      {"byte x; process P { state s; init s; trans s -> s { guard @x[0]; }; } system async;",
       "'x' is not an array"},
      {"const byte N = 1; process P { state s; init s; trans s -> s { guard @N[0]; }; } system "
       "async;",
       "'N' is not an array"},
      {"const int K = 3; byte a[3]; process P { state s; init s;\n"
       "trans s -> s { guard a[@K]; }; } system async;",
       "index 3 is outside 'a', whose elements are 0 to 2"},
      {"byte a[3]; process P { state s; init s; trans s -> s { effect a[@1 - 2] = 1; }; } system "
       "async;",
       "index -1 is outside 'a', whose elements are 0 to 2"},
      {"const byte N = 1; process P { state s; init s; trans s -> s { effect @N = 2; }; } system "
       "async;",
       "'N' is a constant and cannot be assigned to"},
      {"const byte N[2] = {1, 2}; channel c;\n"
       "process P { state s; init s; trans s -> s { sync c?@N[0]; }; } system async;",
       "'N' is a constant and cannot be assigned to"},
      {"byte x; process P { state s; init s; trans s -> s { guard x / @0; }; } system async;",
       "this divides by zero"},
      {"byte x; process P { state s; init s; trans s -> s { guard x % @(1 - 1); }; } system async;",
       "this is a remainder by zero"},
      {"byte x = @256; process P { state s; init s; } system async;",
       "the initial value 256 of 'x' does not fit into its type: byte is 0 to 255"},
      {"byte x = @-1; process P { state s; init s; } system async;",
       "the initial value -1 of 'x' does not fit into its type: byte is 0 to 255"},
      {"int a[2] = {0, @40000}; process P { state s; init s; } system async;",
       "the initial value 40000 of 'a' does not fit into its type: int is -32768 to 32767"},
      {"byte x = @P.s; process P { state s; init s; } system async;",
       "an initial value cannot depend on the state of a process"},
      {"byte x = @y, y; process P { state s; init s; } system async;",
       "there is no variable or constant 'y'"},
  });
}

TEST(DveErrors, Channels) {
  expect_refused({
      {"channel {byte, byte} c[0]; process P { state s; init s; trans s -> s { @sync c!1; }; } "
       "system async;",
       "messages on channel 'c' have 2 values, found one value",
       "the channel is declared in line 1"},
      {"channel {byte} c[2]; process P { state s; init s; trans s -> s { @sync c?; }; } system "
       "async;",
       "messages on channel 'c' have one value, found no value",
       "the channel is declared in line 1"},
      {"channel c; process P { state s; init s; trans s -> s { @sync c!{1, 2}; }; } system async;",
       "messages on the untyped channel 'c' have at most one value, found 2",
       "declare it with the types of its values: channel {byte, byte} c[0];"},
      {"channel c; process P { state s; init s; trans s -> s { sync c!1; }; }\n"
       "process Q { state s; init s; trans s -> s { @sync c?; }; } system async;",
       "channel 'c' is used with no value here, and with one value in line 1"},
      {"channel c; process P { state s; init s; trans s -> s { @sync c!; }; } system sync;",
       "channels cannot be used in a model with 'system sync'",
       "let the processes share global variables, or use 'system async'"},
      {"channel {byte} @c[256]; process P { state s; init s; } system async;",
       "channel 'c' has a capacity of 256; the most is 255"},
  });
}

TEST(DveErrors, Properties) {
  const std::string hint = "--ignore-property explores the system without it";
  expect_refused({
      {"process P { state s; init s; } process Q { state s; init s; }\n"
       "system async property @Q;",
       "this model has a property process, 'Q', and searches for accepting cycles are not "
       "supported",
       hint.c_str()},
  });
  const auto refused = [](std::string_view marked, std::string_view message) {
    const auto [text, marks] = unmark(marked);
    const auto result = parse_program("m", text, true);
    ASSERT_TRUE(std::holds_alternative<Diagnostics>(result)) << text;
    const Diagnostics& errors = std::get<Diagnostics>(result);
    EXPECT_EQ(errors.size(), 1u) << to_string(errors);
    EXPECT_EQ(errors[0].message, message);
    expect_at(errors[0], text, marks[0]);
  };
  refused(
      "channel c; process P { state s; init s; } process Q { state s; init s; trans s -> s { "
      "@sync c!; }; } system async property Q;",
      "a property process cannot use channels");
  refused(
      "byte x; process P { state s; init s; } process Q { state s; init s; trans s -> s { "
      "effect @x = 1; }; } system async property Q;",
      "a property process cannot change 'x', only its own variables");
  refused(
      "process P { state s; init s; } process Q { state s; init s; assert @s: true; } "
      "system async property Q;",
      "a property process cannot have assertions");
  refused(
      "process P { state s; init s; trans s -> s { guard @Q.s; }; } "
      "process Q { state s; init s; } system async property Q;",
      "'Q' is the property process and not part of the system");
  refused("process Q { state s; init s; } system async property @Q;",
          "the model has no process besides the property process");
}

TEST(DveErrors, Limits) {
  std::string many = "process @P { state s0";
  for (int i = 1; i < 65536; ++i) many += fmt::format(",s{}", i);
  many += "; init s0; } system async;";
  // 2^21 combinations.
  std::string product;
  for (int i = 0; i < 21; ++i) {
    product +=
        fmt::format("process P{} {{ state s; init s; trans s -> s {{ }}, -> s {{ }}; }}\n", i);
  }
  expect_refused({
      {"byte @a[65536]; process P { state s; init s; } system async;",
       "'a' takes 65536 bytes of a state, which has at most 65535"},
      {"int @a[2000000000]; process P { state s; init s; } system async;",
       "'a' takes 4000000000 bytes of a state, which has at most 65535"},
      {"byte a[65535]; process @P { state s; init s; } system async;",
       "with 'P' a state takes 65536 bytes; the most is 65535"},
      {"const int @a[2000000000] = {1}; process P { state s; init s; } system async;",
       "the constant arrays of a model have at most 1048576 elements"},
      {many.c_str(), "process 'P' has 65536 states; the most is 65535"},
      {(product + "@system sync;").c_str(),
       "one state of this model may have more than 1048576 successors",
       "in 'system sync' every combination of the processes' transitions is a step"},
  });
}

TEST(DveErrors, DeepNestingIsAnErrorAndNotAnOverflow) {
  const auto model = [](const std::string& guard) {
    return "byte x; process P { state s; init s; trans s -> s { guard " + guard +
           "; }; } system async;";
  };
  const auto repeat = [](const std::string& s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  for (const std::string& guard :
       {repeat("(", 100000) + "x" + repeat(")", 100000), repeat("(", 100000),
        repeat("not ", 100000) + "x", repeat("-", 100000) + "x", repeat("x + ", 100000) + "x",
        repeat("x[", 100000), repeat("1 imply 1 or 1 | 1 == 1 < 1 << 1 + 1 * (", 100000),
        repeat("x + (", 2000) + "x" + repeat(")", 2000)}) {
    const auto result = parse_program("m", model(guard), false);
    const auto* errors = std::get_if<Diagnostics>(&result);
    ASSERT_NE(errors, nullptr) << guard.substr(0, 40);
    EXPECT_EQ(errors->front().message, "this expression is nested more than 1000 levels deep");
  }
  // What people write is far below the limit.
  for (const std::string& guard : {repeat("(", 400) + "x" + repeat(")", 400),
                                   repeat("x + ", 900) + "x", repeat("not ", 900) + "x"}) {
    EXPECT_TRUE(std::holds_alternative<Program>(parse_program("m", model(guard), false)));
  }
}

// Several errors in one text, each where it is, in the order of the text.
void expect_errors(std::string_view marked, const std::vector<std::string>& messages) {
  const auto [text, marks] = unmark(marked);
  SCOPED_TRACE(text);
  const auto result = parse_program("m", text, false);
  ASSERT_TRUE(std::holds_alternative<Diagnostics>(result));
  const Diagnostics& errors = std::get<Diagnostics>(result);
  ASSERT_EQ(errors.size(), messages.size()) << to_string(errors);
  ASSERT_EQ(marks.size(), messages.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    EXPECT_EQ(errors[i].message, messages[i]);
    expect_at(errors[i], text, marks[i]);
  }
}

TEST(DveErrors, SyntaxErrorsInOneRun) {
  expect_errors(
      "byte x = @;\n"
      "int y@\n"
      "channel c;\n"
      "process P {\n"
      "  state a, @;\n"
      "  init a;\n"
      "  trans\n"
      "    a -> a { guard @!x; sync c!@*; effect x = 1, @, y = 2; },\n"
      "    a @> a { guard x == 1; },\n"
      "    a -> a { guard x @= 1; effect y @:= 1; };\n"
      "}\n"
      "process Q { state @5; init a; }\n"
      "system @anync;\n",
      {"expected an expression, found ';'",
       "expected ',' or ';' after the declaration, found 'channel'",
       "expected the name of a state, found ';'", "expected an expression, found '!'",
       "expected an expression, found '*'", "expected a variable to assign to, found ','",
       "expected '->' after the source state, found '>'",
       "expected an operator or ';' after the guard, found '='",
       "expected '=' after the variable, found ':'", "expected the name of a state, found '5'",
       "expected 'async' or 'sync' after 'system', found 'anync'"});
}

TEST(DveErrors, MeaninglessNamesInOneRun) {
  expect_errors(
      "byte x = @300, @x;\n"
      "process P {\n"
      "  byte z = @nothing;\n"
      "  state a;\n"
      "  init @b;\n"
      "  trans a -> @c { guard @q == 1 && @r / @0; sync @d!@e; effect @f = @g; };\n"
      "}\n"
      "system async;\n",
      {"the initial value 300 of 'x' does not fit into its type: byte is 0 to 255",
       "there already is a variable or constant 'x'", "there is no variable or constant 'nothing'",
       "process 'P' has no state 'b'", "process 'P' has no state 'c'",
       "there is no variable or constant 'q'", "there is no variable or constant 'r'",
       "this divides by zero", "there is no channel 'd'", "there is no variable or constant 'e'",
       "there is no variable or constant 'f'", "there is no variable or constant 'g'"});
}

// An error is not followed by others that only repeat it.
TEST(DveErrors, NoFollowUps) {
  expect_errors("byte x @\xff y;\nprocess P { state a; init a; } system async;",
                {"byte 0xff is not part of the language outside comments"});
  expect_errors("process P { state a; init a; trans a -> a { guard @/* ; }; }\nsystem async;",
                {"this comment does not end"});
  expect_errors(
      "byte @a[70000]; process P { state s; init s; trans s -> s { effect a[5] = 1; }; }"
      "system async;",
      {"'a' takes 70000 bytes of a state, which has at most 65535"});
}

TEST(DveErrors, NoMoreThanAPersonReads) {
  std::string text = "process P { state a; init a; trans a -> a { effect x0 = 1";
  for (int i = 1; i < 100; ++i) text += fmt::format(", x{} = 1", i);
  text += "; }; } system async;";
  const auto result = parse_program("m", text, false);
  EXPECT_EQ(std::get<Diagnostics>(result).size(), 20u);
}

TEST(DveErrors, ShownWithTheLineAndACaret) {
  const auto result = parse_program("lock.dve",
                                    "byte lock;\r\n"
                                    "process P {\r\n"
                                    "\tstate a; init a;\r\n"
                                    "\ttrans a -> a { guard lokc == 0; };\r\n"
                                    "}\r\n"
                                    "system async;\r\n",
                                    false);
  EXPECT_EQ(to_string(std::get<Diagnostics>(result)),
            "lock.dve:4:23: error: there is no variable or constant 'lokc'\n"
            " 4 | \ttrans a -> a { guard lokc == 0; };\n"
            "   | \t                     ^\n"
            "  hint: did you mean 'lock'?\n");
}

TEST(DveErrors, ControlBytesDoNotReachTheTerminal) {
  const auto result = parse_program("m", std::string("byte x\0\x1b[31m;", 13), false);
  const Diagnostics& errors = std::get<Diagnostics>(result);
  EXPECT_EQ(errors[0].message, "byte 0x00 is not part of the language outside comments");
  EXPECT_EQ(errors[0].column, 7u);
  EXPECT_EQ(errors[0].source_line, "byte x??[31m;");
}

}  // namespace
}  // namespace comback::dve
