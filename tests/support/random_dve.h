#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace comback::test {

// A random model in the DVE language that uses all of it: every kind of variable and channel,
// every operator, committed locations, assertions, faults of every kind, often.
class RandomDve {
 public:
  static std::string text(std::uint64_t seed) { return RandomDve(seed).generate(); }

 private:
  struct Name {
    std::string name;
    bool array;
  };
  struct Channel {
    std::string name;
    unsigned items;
  };

  explicit RandomDve(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15ull + 7) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string number(unsigned n) { return std::to_string(below(n)); }

  std::string declare(const std::string& name) {
    const bool array = chance(40);
    std::string out = chance(70) ? "byte " : "int ";
    out += name;
    if (array) {
      out += "[3]";
      if (chance(60)) out += std::string(" = {") + number(4) + ", " + number(200) + "}";
    } else if (chance(50)) {
      out += std::string(" = ") + number(4);
    }
    names_.push_back({name, array});
    return out + ";\n";
  }

  // Small, so that an index is often in range and a state often comes again.
  std::string leaf() {
    const unsigned kind = below(10);
    if (kind < 3) return number(kind == 0 ? 300 : 4);
    if (kind == 3 && in_guard_)
      return std::string("P_") + number(processes_) + ".s" + number(kLocations);
    if (kind == 4) return chance(50) ? "C" : std::string("T[") + number(2) + "]";
    const Name& v = names_[below(static_cast<unsigned>(names_.size()))];
    if (!v.array) return v.name;
    return v.name + "[" +
           (chance(50)   ? number(3)
            : chance(70) ? scalar()
                         : std::string("1 + ") + scalar()) +
           "]";
  }
  std::string scalar() {
    for (int i = 0; i < 20; ++i) {
      const Name& v = names_[below(static_cast<unsigned>(names_.size()))];
      if (!v.array) return v.name;
    }
    return "1";
  }
  std::string expression(unsigned depth) {
    static const char* const kOperators[] = {"+", "-",  "*",  "/",  "%",   "<<", ">>",
                                             "&", "|",  "^",  "==", "!=",  "<",  "<=",
                                             ">", ">=", "&&", "||", "and", "or", "imply"};
    if (depth == 0 || chance(25)) return leaf();
    if (chance(12)) {
      static const char* const kUnary[] = {"not ", "-", "~"};
      return kUnary[below(3)] + (std::string("(") + expression(depth - 1) + ")");
    }
    return std::string("(") + expression(depth - 1) + " " + kOperators[below(21)] + " " +
           expression(depth - 1) + ")";
  }
  std::string guard() {
    in_guard_ = true;
    std::string out =
        chance(50) ? scalar() + (chance(50) ? " < " : " != ") + number(4) : expression(3);
    in_guard_ = false;
    return out;
  }
  std::string target() {
    const Name& v = names_[below(static_cast<unsigned>(names_.size()))];
    if (!v.array) return v.name;
    return v.name + "[" + (chance(50) ? number(3) : chance(80) ? scalar() : expression(2)) + "]";
  }
  std::string assignment() {
    const std::string to = target();
    switch (below(5)) {
      case 0:
        return to + " = " + number(4);
      case 1:
        return to + " = (" + to + " + 1)" + (chance(70) ? " % 3" : "");
      case 2:
        return to + " = " + to + (chance(50) ? " + " : " - ") + number(3);
      case 3:
        return to + " = " + leaf();
      default:
        return to + " = " + expression(3);
    }
  }

  std::string sync() {
    const Channel& channel = channels_[below(static_cast<unsigned>(channels_.size()))];
    const bool send = chance(50);
    std::string values;
    for (unsigned i = 0; i < channel.items; ++i) {
      if (i != 0) values += ", ";
      values += send ? (chance(40) ? number(4) : expression(1)) : target();
    }
    if (channel.items > 1) values = std::string("{") + values + "}";
    return std::string("sync ") + channel.name + (send ? "!" : "?") + values + "; ";
  }

  std::string process(unsigned number_of_process, bool synchronous) {
    const std::vector<Name> globals = names_;
    std::string out = std::string("process P_") + std::to_string(number_of_process) + " {\n";
    if (chance(25)) {  // hides the global
      names_.erase(names_.begin());
      out += declare("g0");
    }
    for (unsigned i = 0; i < 1 + below(2); ++i)
      out += declare(std::string("v") + std::to_string(i));
    out += "state s0";
    for (unsigned l = 1; l < kLocations; ++l) out += std::string(", s") + std::to_string(l);
    out += std::string(";\ninit s") + number(kLocations) + ";\n";
    if (!synchronous && chance(30)) out += std::string("commit s") + number(kLocations) + ";\n";
    if (chance(40))
      out += std::string("assert s") + number(kLocations) + ": " + expression(2) + ";\n";
    out += "trans\n";
    const unsigned transitions = synchronous ? 6 : 4 + below(5);
    for (unsigned t = 0; t < transitions; ++t) {
      const std::string source =
          std::string("s") + (synchronous ? std::to_string(t % 3) : number(kLocations));
      out += (t == 0 ? "  " : ",\n  ") + source + " -> s" + number(kLocations) + " { ";
      if (chance(synchronous ? 40 : 65)) out += std::string("guard ") + guard() + "; ";
      if (!synchronous && chance(50)) out += sync();
      if (chance(70)) {
        out += std::string("effect ") + assignment();
        for (unsigned i = below(3); i > 0; --i) out += std::string(", ") + assignment();
        out += "; ";
      }
      out += "}";
    }
    out += ";\n}\n";
    names_ = globals;
    return out;
  }

  std::string generate() {
    const bool synchronous = chance(15);
    processes_ = 2 + below(3);
    std::string out = std::string("const byte C = ") + number(4) + ";\nconst int T[2] = {1, -2};\n";
    for (unsigned i = 0; i < 2 + below(3); ++i) {
      out += declare(std::string("g") + std::to_string(i));
    }
    if (!synchronous) {
      out +=
          "channel plain, valued;\nchannel {byte, int} pair[0];\nchannel {byte} box[2];\n"
          "channel {int, byte} mix[1];\n";
      channels_ = {{"plain", 0}, {"valued", 1}, {"pair", 2}, {"box", 1}, {"mix", 2}};
    }
    for (unsigned p = 0; p < processes_; ++p) out += process(p, synchronous);
    return out + (synchronous ? "system sync;\n" : "system async;\n");
  }

  static constexpr unsigned kLocations = 3;
  std::mt19937_64 random_;
  unsigned processes_ = 0;
  bool in_guard_ = false;
  std::vector<Name> names_;  // in scope
  std::vector<Channel> channels_;
};

}  // namespace comback::test
