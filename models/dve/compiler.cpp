#include "models/dve/compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace comback::dve {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// As the shell does: a name with a slash is a path, others are looked for in the PATH.
fs::path find_program(const std::string& name) {
  const auto runs = [](const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? fs::path(name) : fs::path();
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    if (runs(path)) return path;
  }
  return {};
}

// The file behind all links, its size and time: as ccache tells compilers apart by default, because
// asking a compiler for its version costs more than loading a library.
std::string identity_of(const fs::path& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  struct stat info {};
  if (error || stat(real.c_str(), &info) != 0) return program.string();
  return fmt::format("{} {} {}.{}", real.string(), info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec);
}

// `text` as a program, or as a program with arguments; an empty command where there is none.
Compiler as_compiler(const std::string& text) {
  Compiler out;
  if (const fs::path whole = find_program(text); !whole.empty()) {
    out.command = {whole.string()};
  } else {
    std::istringstream words(text);
    for (std::string word; words >> word;) out.command.push_back(word);
    const fs::path program = out.command.empty() ? fs::path() : find_program(out.command.front());
    if (program.empty()) return {};
    out.command.front() = program.string();
  }
  out.identity = identity_of(out.command.front());
  for (std::size_t i = 1; i < out.command.size(); ++i) out.identity += " " + out.command[i];
  out.clang = out.identity.find("clang") != std::string::npos;
  return out;
}

std::string read_start(const fs::path& file, std::size_t most) {
  std::ifstream in(file, std::ios::binary);
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

std::variant<Compiler, std::string> find_compiler(const std::string& requested) {
  const std::pair<std::string, std::string> named[] = {{requested, "the compiler asked for"},
                                                       {environment("COMBACK_CXX"), "$COMBACK_CXX"},
                                                       {environment("CXX"), "$CXX"}};
  for (const auto& [text, whence] : named) {
    if (text.empty()) continue;
    Compiler compiler = as_compiler(text);
    if (!compiler.command.empty()) return compiler;
    return fmt::format("{}, \"{}\", is not a program that can be run", whence, text);
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    Compiler compiler = as_compiler(name);
    if (!compiler.command.empty()) return compiler;
  }
  return "there is no C++ compiler: neither c++, g++ nor clang++ is in the PATH";
}

std::vector<std::string> library_flags(const Compiler& compiler, std::size_t source_bytes) {
  // firewire_tree.8 (0.7 MB): 5.4 s with -O2, 3.4 s with -O1, for code that is 15% slower.
  const bool large = source_bytes > 500'000;
  std::vector<std::string> flags = {
      "-x",        "c++",           "-std=gnu++17",  large ? "-O1" : "-O2", "-march=native",
      "-w",        "-fPIC",         "-shared",       "-fvisibility=hidden", "-fno-exceptions",
      "-fno-rtti", "-nostartfiles", "-nodefaultlibs"};
  // Expressions nest up to Expr::kMaxDepth, with up to three brackets each.
  if (compiler.clang) flags.push_back("-fbracket-depth=4096");
  return flags;
}

std::string processor_identity() {
  std::ifstream in("/proc/cpuinfo");
  std::string out;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    for (const std::string_view key :
         {"vendor_id", "cpu family", "model", "flags", "Features", "CPU"}) {
      if (std::string_view(line).substr(0, key.size()) == key) {
        out += line + "\n";
        break;
      }
    }
  }
  return out;
}

Compilation::~Compilation() { stop(); }

void Compilation::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (process_ != 0) kill(-process_, SIGKILL);
}

bool Compilation::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

std::string Compilation::start(const Compiler& compiler, const std::vector<std::string>& flags,
                               const fs::path& folder) {
  std::vector<std::string> arguments = compiler.command;
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const std::string messages = folder / "messages";
  for (const fs::path& argument : {fs::path("-o"), folder / "code.so", folder / "code.cpp"}) {
    arguments.push_back(argument.string());
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  // Temporary files of the compiler go where they are removed whatever happens to it.
  std::string temporary = "TMPDIR=" + folder.string();
  std::vector<char*> variables{temporary.data()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, "TMPDIR=", 7) != 0) variables.push_back(*variable);
  }
  variables.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      error = ECANCELED;
    } else {
      error = posix_spawn(&process_, argv[0], &files, &attributes, argv.data(), variables.data());
      if (error != 0) process_ = 0;
    }
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == 0) return {};
  return fmt::format("{} could not be started: {}", argv[0], std::strerror(error));
}

Compilation::Outcome Compilation::run(const Compiler& compiler,
                                      const std::vector<std::string>& flags,
                                      const fs::path& folder) {
  if (std::string error = start(compiler, flags, folder); !error.empty()) return {false, error};
  // The process stays a zombie, and its number taken, until stop() can no longer aim at it.
  siginfo_t info;
  int waited;
  do {
    waited = waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT);
  } while (waited != 0 && errno == EINTR);
  int status = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) kill(-process_, SIGKILL);  // what it started may still be there
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    if (stopped_) return {false, "stopped"};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {true, {}};
  const std::string how = WIFEXITED(status)
                              ? fmt::format("failed with exit code {}", WEXITSTATUS(status))
                              : fmt::format("was ended by signal {}", WTERMSIG(status));
  std::string said = read_start(folder / "messages", 2000);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return {false, fmt::format("{} {}{}{}", compiler.command.front(), how,
                             said.empty() ? " and said nothing" : ":\n", said)};
}

}  // namespace comback::dve
