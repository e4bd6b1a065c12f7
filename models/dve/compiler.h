#pragma once

#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace comback::dve {

// A C++ compiler of the system.
struct Compiler {
  std::vector<std::string> command;  // its path, and arguments that the user gave with it
  std::string identity;              // differs from that of another compiler or version
  bool clang = false;                // as far as names tell
};

// `requested`, $COMBACK_CXX or $CXX, the first that is not empty, or else c++, g++ or clang++ in
// the PATH. A name may be followed by arguments, as in "ccache g++". Nothing is started. Otherwise
// a text that says what was looked for.
std::variant<Compiler, std::string> find_compiler(const std::string& requested);

// The arguments that make a library of native code from one file of `source_bytes`.
std::vector<std::string> library_flags(const Compiler& compiler, std::size_t source_bytes);

// What code made for this machine's processor depends on.
std::string processor_identity();

// One run of a compiler, in a process group of its own, so that stop() reaches all that it starts.
//
// Threads: one calls run(); any may call stop() at any time, even before.
class Compilation {
 public:
  struct Outcome {
    bool ok = false;
    std::string text;  // what the compiler said, or why there was none
  };

  Compilation() = default;
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // Makes `folder`/code.so from `folder`/code.cpp, writing nowhere else, and waits for it.
  // REQUIRES: called once.
  Outcome run(const Compiler& compiler, const std::vector<std::string>& flags,
              const std::filesystem::path& folder);

  // Ends run() soon, with an outcome that is not ok.
  void stop();
  bool stopped() const;

 private:
  std::string start(const Compiler& compiler, const std::vector<std::string>& flags,
                    const std::filesystem::path& folder);

  mutable std::mutex mutex_;
  bool stopped_ = false;
  pid_t process_ = 0;  // 0: not started, or already reaped
};

}  // namespace comback::dve
