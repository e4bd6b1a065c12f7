#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/dve/compiler.h"
#include "models/dve/dve_model.h"
#include "models/dve/generator.h"
#include "models/dve/interpreter.h"
#include "tests/support/command.h"
#include "tests/support/dve_models.h"
#include "tests/support/temp_dir.h"

namespace comback::test {

// Many generated programs in one library, made by one call of the compiler.
class NativeLibrary {
 public:
  // Returns the number of the program.
  std::size_t add(const dve::Program& program, dve::RangeErrors range_errors) {
    source_.append("namespace n").append(std::to_string(count_)).append(" {\n");
    source_.append(generate_source(program, range_errors, symbol(count_))).append("}\n");
    return count_++;
  }

  // Compiles and loads all that was added. With `sanitizers` of the test itself, the generated code
  // is watched, too.
  void build(const std::string& optimisation, const std::string& sanitizers) {
    const auto found = dve::find_compiler({});
    ASSERT_TRUE(std::holds_alternative<dve::Compiler>(found)) << std::get<std::string>(found);
    const auto& compiler = std::get<dve::Compiler>(found);
    std::vector<std::string> command = compiler.command;
    for (std::string& flag : dve::library_flags(compiler, 0)) {
      command.push_back(flag == "-O2" ? optimisation : std::move(flag));
    }
    if (!sanitizers.empty()) {
      command.insert(command.end(), {"-fsanitize=" + sanitizers, "-fno-sanitize-recover=all"});
    }
    const auto source = dir_.write("code.cpp", source_);
    const auto library = dir_ / "code.so";
    command.insert(command.end(), {"-o", library.string(), source.string()});
    const CommandResult result = run_command(command, {.timeout = std::chrono::minutes(20)});
    ASSERT_EQ(result.exit_code, 0) << result.err.substr(0, 4000);
    handle_.reset(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
    ASSERT_TRUE(handle_) << dlerror();
  }

  const dve::CodeTable& table(std::size_t number) const {
    return *static_cast<const dve::CodeTable*>(dlsym(handle_.get(), symbol(number).c_str()));
  }

 private:
  static std::string symbol(std::size_t number) { return "code" + std::to_string(number); }
  struct Close {
    void operator()(void* handle) const { dlclose(handle); }
  };

  TempDir dir_;
  std::string source_;
  std::size_t count_ = 0;
  std::unique_ptr<void, Close> handle_;
};

// What an executor does in one state, all of it.
struct Behaviour {
  std::vector<std::pair<Event, std::string>> successors;
  std::vector<std::string> executed;  // by execute(), for each of them
  bool faulted = false;
  Fault fault;
  std::uint64_t wraps = 0;
  int failed_assertion = -1;

  bool operator==(const Behaviour& other) const {
    return successors == other.successors && executed == other.executed &&
           faulted == other.faulted &&
           (!faulted || (fault.event == other.fault.event && fault.site == other.fault.site &&
                         fault.value == other.fault.value)) &&
           wraps == other.wraps && failed_assertion == other.failed_assertion;
  }
};

// `executor` is a Model, an Executor or a CodeTable.
template <class Successors, class Execute, class Failed>
Behaviour behaviour(const std::string& state, SuccessorBuffer& buffer, Successors successors,
                    Execute execute, Failed failed) {
  Behaviour out;
  // Whatever was in the buffer before must not matter.
  buffer.view.count = 77;
  buffer.view.faulted = 1;
  buffer.view.wraps = 5;
  successors(state_of(state), buffer.view);
  for (std::uint32_t i = 0; i < buffer.size(); ++i) {
    out.successors.emplace_back(buffer.event(i), bytes_of(buffer.descriptor(i), state.size()));
  }
  out.faulted = buffer.faulted();
  out.fault = buffer.fault();
  out.wraps = buffer.wraps() - 5;
  for (const auto& [event, successor] : out.successors) {
    std::string after = state;
    execute(reinterpret_cast<std::byte*>(after.data()), event);
    out.executed.push_back(after);
  }
  out.failed_assertion = failed(state_of(state));
  return out;
}

inline Behaviour behaviour(const dve::Executor& executor, const std::string& state,
                           SuccessorBuffer& buffer) {
  return behaviour(
      state, buffer,
      [&](const std::byte* s, SuccessorBuffer::View& out) { executor.successors(s, out); },
      [&](std::byte* s, Event event) { executor.execute(s, event); },
      [&](const std::byte* s) { return executor.failed_assertion(s); });
}

inline Behaviour behaviour(const dve::CodeTable& code, const std::string& state,
                           SuccessorBuffer& buffer) {
  const auto bytes = [](const std::byte* s) { return reinterpret_cast<const unsigned char*>(s); };
  return behaviour(
      state, buffer,
      [&](const std::byte* s, SuccessorBuffer::View& out) { code.successors(bytes(s), &out); },
      [&](std::byte* s, Event event) { code.execute(reinterpret_cast<unsigned char*>(s), event); },
      [&](const std::byte* s) { return code.failed_assertion(bytes(s)); });
}

// "3 successors, fault of event 2 at site 5 with value 256, ..." for messages.
inline std::string to_text(const Model& model, const Behaviour& b) {
  std::string out;
  for (std::size_t i = 0; i < b.successors.size(); ++i) {
    out += "\n  event " + std::to_string(b.successors[i].first) + ": " +
           describe_state(model, state_of(b.successors[i].second));
    if (b.executed[i] != b.successors[i].second) {
      out += "\n    but executed: " + describe_state(model, state_of(b.executed[i]));
    }
  }
  if (b.faulted) {
    out += "\n  fault of event " + std::to_string(b.fault.event) + " at site " +
           std::to_string(b.fault.site) + " with value " + std::to_string(b.fault.value);
  }
  return out + "\n  wraps " + std::to_string(b.wraps) + ", failed assertion " +
         std::to_string(b.failed_assertion) + "\n";
}

// Breadth first over up to `limit` states of the model, which is interpreted, and then along
// random walks from there: `code` does the same in each state.
template <class Code>
void expect_same_behaviour(const dve::DveModel& model, const Code& code, std::size_t limit,
                           std::size_t walk_steps = 0) {
  const auto interpreter = dve::make_interpreter(model.program(), model.range_errors());
  SuccessorBuffer buffer(model.width(), model.max_successors());
  const auto check = [&](const std::string& state) {
    const Behaviour expected = behaviour(*interpreter, state, buffer);
    const Behaviour actual = behaviour(code, state, buffer);
    EXPECT_TRUE(actual == expected)
        << "state " << describe_state(model, state_of(state))
        << "\nnative:" << to_text(model, actual) << "interpreted:" << to_text(model, expected);
    return expected;
  };
  std::set<std::string> seen{initial_state(model)};
  std::deque<std::string> queue{initial_state(model)};
  for (; !queue.empty() && seen.size() < limit; queue.pop_front()) {
    const Behaviour expected = check(queue.front());
    if (::testing::Test::HasFailure()) return;
    for (const auto& [event, after] : expected.successors) {
      if (seen.insert(after).second) queue.push_back(after);
    }
  }
  if (queue.empty()) return;  // that was all of them
  std::uint64_t random = 12345;
  std::string state = queue.back();
  for (std::size_t i = 0; i < walk_steps; ++i) {
    const Behaviour expected = check(state);
    if (::testing::Test::HasFailure()) return;
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    state = expected.successors.empty()
                ? queue[(random >> 33) % queue.size()]
                : expected.successors[(random >> 33) % expected.successors.size()].second;
  }
}

}  // namespace comback::test
