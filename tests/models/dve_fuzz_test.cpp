#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "models/dve/lexer.h"
#include "models/dve/parse.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

// Broken texts of all kinds: none crashes or hangs the front end, every refusal says where, and
// what is accepted can be executed.

namespace comback::dve {
namespace {

namespace fs = std::filesystem;

void check_diagnostics(const Diagnostics& errors, std::string_view text) {
  ASSERT_FALSE(errors.empty());
  ASSERT_LE(errors.size(), 20u);
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  for (const Diagnostic& d : errors) {
    ASSERT_GE(d.line, 1u) << d.message;
    ASSERT_LE(d.line, lines) << d.message;
    ASSERT_GE(d.column, 1u) << d.message;
    ASSERT_LE(d.column, d.source_line.size() + 1) << d.message;
    ASSERT_FALSE(d.message.empty());
    ASSERT_EQ(d.source_line.find('\n'), std::string::npos);
  }
}

// All numbers of a program stay inside its tables.
class ProgramCheck {
 public:
  explicit ProgramCheck(const Program& program) : p_(program) {}

  void run() {
    ASSERT_GT(p_.width, 0u);
    for (const Variable& v : p_.variables) {
      ASSERT_EQ(v.initial.size(), std::max<std::size_t>(1, v.length));
      if (v.constant) continue;
      ASSERT_LE(v.offset + v.initial.size() * bytes_of(v.type), p_.width);
      for (const std::int64_t x : v.initial) {
        ASSERT_GE(x, range_of(v.type).min);
        ASSERT_LE(x, range_of(v.type).max);
      }
    }
    for (const Process& process : p_.processes) {
      ASSERT_LE(process.offset + process.location_bytes, p_.width);
      ASSERT_LT(process.initial, process.locations.size());
      for (const Transition& t : process.transitions) transition(t, process);
    }
    for (const Assertion& assertion : p_.assertions) {
      ASSERT_LT(assertion.location, p_.processes[assertion.process].locations.size());
      expression(assertion.condition);
    }
    for (const StaticEvent& e : p_.events) {
      ASSERT_LT(e.transition, p_.processes[e.process].transitions.size());
      if (e.sender == kGlobal) continue;
      const Transition& receive = p_.processes[e.process].transitions[e.transition];
      const Transition& send = p_.processes[e.sender].transitions[e.sender_transition];
      ASSERT_EQ(receive.received.size(), send.sent.size());
    }
  }

 private:
  void transition(const Transition& t, const Process& process) {
    ASSERT_LT(t.source, process.locations.size());
    ASSERT_LT(t.target, process.locations.size());
    if (t.guard) expression(*t.guard);
    ASSERT_EQ(t.sent.size(), t.sent_sites.size());
    ASSERT_TRUE(t.sync == SyncKind::kNone || t.channel < p_.channels.size());
    for (const Expr& e : t.sent) expression(e);
    for (const Lvalue& l : t.received) lvalue(l);
    for (const Assignment& a : t.effects) {
      lvalue(a.target);
      expression(a.value);
    }
  }
  void lvalue(const Lvalue& l) {
    ASSERT_LT(l.variable, p_.variables.size());
    const Variable& v = p_.variables[l.variable];
    ASSERT_FALSE(v.constant);
    ASSERT_EQ(v.length != 0, l.index.has_value());
    if (l.index) expression(*l.index);
    for (const std::uint32_t site : {l.index_site, l.store_site}) {
      ASSERT_TRUE(site == kNoSite || site < p_.sites.size());
    }
  }
  void expression(const Expr& e) {
    ASSERT_LE(e.where.begin, e.where.end);
    ASSERT_LE(e.where.end, p_.source.size());
    ASSERT_TRUE(e.site == kNoSite || e.site < p_.sites.size());
    if (e.op == Op::kVariable || e.op == Op::kElement) {
      ASSERT_LT(e.variable, p_.variables.size());
      ASSERT_EQ(p_.variables[e.variable].length != 0, e.op == Op::kElement);
    }
    if (e.op == Op::kAt) {
      ASSERT_LT(e.location, p_.processes[e.process].locations.size());
    }
    for (const Expr& arg : e.args) expression(arg);
  }

  const Program& p_;
};

struct Tally {
  int accepted = 0;
  int refused = 0;
};

void feed(const std::string& text, Tally& tally) {
  const auto result = parse_program("fuzz.dve", text, true);
  if (const auto* errors = std::get_if<Diagnostics>(&result)) {
    ++tally.refused;
    check_diagnostics(*errors, text);
  } else {
    ++tally.accepted;
    ProgramCheck(std::get<Program>(result)).run();
  }
  if (::testing::Test::HasFatalFailure()) {
    ADD_FAILURE() << "the text:\n" << text.substr(0, 4000);
  }
}

std::vector<std::string> samples() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(test::samples_dir())) {
    if (entry.path().extension() == ".dve") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) out.push_back(test::read_file(file));
  return out;
}

TEST(DveFuzz, TruncatedAtEachByte) {
  const std::string text = test::read_file(test::samples_dir() / "mailbox.dve");
  Tally tally;
  for (std::size_t i = 0; i < text.size() && !HasFatalFailure(); ++i)
    feed(text.substr(0, i), tally);
  EXPECT_GT(tally.refused, 1000);
}

TEST(DveFuzz, BytesChanged) {
  Tally tally;
  std::mt19937_64 random(1);
  for (const std::string& original : samples()) {
    for (int round = 0; round < 60 && !HasFatalFailure(); ++round) {
      std::string text = original;
      const std::uint64_t changes = 1 + random() % 4;
      for (std::uint64_t i = 0; i < changes; ++i) {
        char& c = text[random() % text.size()];
        switch (random() % 3) {
          case 0:
            c = static_cast<char>(random());
            break;
          case 1:
            c = static_cast<char>(c ^ (1 << random() % 8));
            break;
          default:
            c = "{}()[];,=!?->.&|0\n\0/*"[random() % 22];
        }
      }
      feed(text, tally);
    }
  }
  EXPECT_GT(tally.refused, 300);
  EXPECT_GT(tally.accepted, 50) << "comments can be changed without harm";
}

// Tokens left out, doubled, exchanged, or taken from elsewhere: nearer to what people get wrong.
TEST(DveFuzz, TokensMoved) {
  Tally tally;
  std::mt19937_64 random(2);
  for (const std::string& original : samples()) {
    Report report("fuzz", original);
    std::vector<std::string> tokens;
    for (const Token& token : tokenize(original, report)) {
      tokens.push_back(original.substr(token.where.begin, token.where.end - token.where.begin));
    }
    tokens.pop_back();
    for (int round = 0; round < 100 && !HasFatalFailure(); ++round) {
      std::vector<std::string> changed = tokens;
      const std::uint64_t changes = 1 + random() % 3;
      for (std::uint64_t i = 0; i < changes && changed.size() > 1; ++i) {
        const std::size_t a = random() % changed.size();
        const std::size_t b = random() % changed.size();
        switch (random() % 5) {
          case 0:
            changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(a));
            break;
          case 1:
            changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(a), changed[a]);
            break;
          case 2:
            std::swap(changed[a], changed[b]);
            break;
          case 3:
            changed[a] = changed[b];
            break;
          default:
            changed.resize(std::max<std::size_t>(1, a));
        }
      }
      std::string text;
      for (const std::string& token : changed) text += token + (random() % 8 == 0 ? "\n" : " ");
      feed(text, tally);
    }
  }
  EXPECT_GT(tally.refused, 1000);
  EXPECT_GT(tally.accepted, 20);
}

// Nothing but tokens, in no order.
TEST(DveFuzz, TokenSoup) {
  static constexpr const char* kTokens[] = {
      "process", "P",     "{",        "}",           "state", "a",      "init", ";",      "trans",
      "->",      "guard", "x",        "==",          "1",     "effect", "=",    ",",      "sync",
      "c",       "!",     "?",        "[",           "]",     "(",      ")",    "system", "async",
      "byte",    "int",   "const",    "channel",     "P.",    "not",    "-",    "commit", "accept",
      "assert",  ":",     "property", "99999999999", "/*",    "*/",     "//",   "\n",     "\\",
      "@",       "\xff",  "imply",    "and",         "0"};
  Tally tally;
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000 && !HasFatalFailure(); ++round) {
    std::string text = "byte x; channel c; process P { byte y; state a; init a; trans ";
    if (round % 2 == 0) text.clear();
    const std::uint64_t length = random() % 60;
    for (std::uint64_t i = 0; i < length; ++i) {
      text += kTokens[random() % std::size(kTokens)];
      text += ' ';
    }
    feed(text, tally);
  }
  EXPECT_GT(tally.refused, 2900);
}

TEST(DveFuzz, LargeAndOdd) {
  Tally tally;
  feed(std::string(100000, '\0'), tally);
  feed(std::string(100000, '\n'), tally);
  feed(std::string(100000, '{'), tally);
  feed(std::string(100000, '}'), tally);
  feed(std::string(100000, 'x'), tally);
  feed(std::string(100000, '9'), tally);
  feed("process P {" + std::string(100000, ';'), tally);
  feed(std::string(1, '\0'), tally);
  feed("/*", tally);
  feed("\\", tally);
  std::string processes;
  for (int i = 0; i < 20000; ++i) processes += "process P { ";
  feed(processes, tally);
  std::string declarations;
  for (int i = 0; i < 5000; ++i) {
    declarations += "const int a" + std::to_string(i) + "[2147483647] = {1}; ";
  }
  feed(declarations + "process P { state s; init s; } system async;", tally);
  // Many of both ends of one channel: refused before the pairs fill the memory.
  std::string sends = "channel c; process P { state s; init s; trans s -> s { sync c!; }";
  std::string receives = "process Q { state s; init s; trans s -> s { sync c?; }";
  for (int i = 0; i < 5000; ++i) {
    sends += ", s -> s { sync c!; }";
    receives += ", s -> s { sync c?; }";
  }
  feed(sends + "; } " + receives + "; } system async;", tally);
  EXPECT_EQ(tally.accepted, 0);
}

TEST(DveFuzz, Predicates) {
  const auto parsed =
      parse_program("m", test::read_file(test::samples_dir() / "bakery_bounded.dve"), false);
  const Program& program = std::get<Program>(parsed);
  static constexpr const char* kTokens[] = {"P_0", ".",   "->", "cs",  "number", "[",  "]",
                                            "0",   "(",   ")",  "not", "==",     "=",  "LIMIT",
                                            "k",   "and", "+",  "/",   "\xff",   "/*", "top"};
  std::mt19937_64 random(4);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::uint64_t length = random() % 8;
    for (std::uint64_t i = 0; i < length; ++i) {
      text += kTokens[random() % std::size(kTokens)];
      text += ' ';
    }
    const auto result = parse_predicate(program, text);
    if (const auto* errors = std::get_if<Diagnostics>(&result)) {
      check_diagnostics(*errors, text);
    } else {
      ++accepted;
    }
    ASSERT_FALSE(HasFatalFailure()) << text;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace comback::dve
