#include "tests/support/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace comback::test {

namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    std::perror("pipe2");
    std::abort();
  }
  return {ends[0], ends[1]};
}

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

// Only what is safe between fork and exec happens in the child; the environment is made before.
struct Prepared {
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
};

Prepared prepare(const std::vector<std::string>& arguments, const CommandOptions& options) {
  Prepared prepared;
  const auto is_overridden = [&](const char* entry) {
    return std::any_of(
        options.environment.begin(), options.environment.end(), [&](const auto& change) {
          const std::string& name = change.first;
          return std::strncmp(entry, name.c_str(), name.size()) == 0 && entry[name.size()] == '=';
        });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_overridden(*entry)) prepared.environment.emplace_back(*entry);
  }
  for (const auto& [name, value] : options.environment) {
    if (value) prepared.environment.push_back(name + "=" + *value);
  }
  for (const std::string& argument : arguments) {
    prepared.argv.push_back(const_cast<char*>(argument.c_str()));
  }
  for (std::string& entry : prepared.environment) prepared.envp.push_back(entry.data());
  prepared.argv.push_back(nullptr);
  prepared.envp.push_back(nullptr);
  return prepared;
}

[[noreturn]] void become(const Prepared& prepared, const CommandOptions& options, const Pipe& in,
                         const Pipe& out, const Pipe& err) {
  ::setpgid(0, 0);  // so that a timeout also ends what the command started
  ::dup2(in.read_end, STDIN_FILENO);
  ::dup2(out.write_end, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  if (options.directory.empty() || ::chdir(options.directory.c_str()) == 0) {
    ::execvpe(prepared.argv[0], prepared.argv.data(), prepared.envp.data());
  }
  const char* reason = std::strerror(errno);
  (void)!::write(STDERR_FILENO, reason, std::strlen(reason));
  ::_exit(127);
}

void read_available(int& fd, std::string& into) {
  std::array<char, 65536> chunk;
  const ssize_t got = ::read(fd, chunk.data(), chunk.size());
  if (got > 0) {
    into.append(chunk.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    close_end(fd);
  }
}

void write_available(int& fd, const std::string& input, std::size_t& written) {
  const ssize_t put = ::write(fd, input.data() + written, input.size() - written);
  if (put > 0) written += static_cast<std::size_t>(put);
  const bool failed = put < 0 && errno != EINTR && errno != EAGAIN;
  if (failed || written == input.size()) close_end(fd);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments,
                          const CommandOptions& options) {
  const Prepared prepared = prepare(arguments, options);
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  ::signal(SIGPIPE, SIG_IGN);  // a command may not read its input

  const Clock::time_point start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) {
    std::perror("fork");
    std::abort();
  }
  if (child == 0) become(prepared, options, in, out, err);
  ::setpgid(child, child);
  close_end(in.read_end);
  close_end(out.write_end);
  close_end(err.write_end);
  ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);

  CommandResult result;
  std::size_t written = 0;
  if (options.input.empty()) close_end(in.write_end);
  bool signal_pending = options.signal.has_value();
  int status = 0;
  rusage usage{};
  // Ends when the command has ended: a process that it left behind may hold the pipes open.
  for (bool ended = false; !ended;) {
    ended = ::wait4(child, &status, WNOHANG, &usage) == child;
    const auto elapsed = Clock::now() - start;
    if (!ended && signal_pending && elapsed >= options.signal->first) {
      ::kill(child, options.signal->second);
      signal_pending = false;
    }
    if (!ended && !result.timed_out && elapsed >= options.timeout) {
      result.timed_out = true;
      ::kill(-child, SIGKILL);
    }
    // After the end one more round, without waiting, until the pipes have nothing left.
    for (bool more = true; more;) {
      std::array<pollfd, 3> fds{
          {{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {in.write_end, POLLOUT, 0}}};
      const int ready = ::poll(fds.data(), fds.size(), ended ? 0 : 10);
      if (fds[0].revents != 0) read_available(out.read_end, result.out);
      if (fds[1].revents != 0) read_available(err.read_end, result.err);
      if (fds[2].revents != 0) write_available(in.write_end, options.input, written);
      more = ended && ready > 0;
    }
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  close_end(in.write_end);
  close_end(out.read_end);
  close_end(err.read_end);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return result;
}

}  // namespace comback::test
