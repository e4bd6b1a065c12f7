#include "tools/signals.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

namespace comback::tools {
namespace {

// A signal handler has no other way to reach anything.
std::atomic<Monitor*> stopping{nullptr};
std::atomic<bool> announcing{false};
static_assert(std::atomic<Monitor*>::is_always_lock_free);

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

void default_for_all() {
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
}

void handle(int /*signal*/) {
  const int saved = errno;
  default_for_all();
  if (Monitor* monitor = stopping.load()) monitor->request_stop();
  if (announcing.load()) {
    constexpr std::string_view kText = "\ncomback: stopping; once more ends it at once\n";
    const ssize_t ignored = ::write(STDERR_FILENO, kText.data(), kText.size());
    static_cast<void>(ignored);
  }
  errno = saved;
}

}  // namespace

StopOnSignals::StopOnSignals(Monitor& monitor, bool announce) {
  stopping.store(&monitor);
  announcing.store(announce);
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (const int signal : kSignals) {
    // What nohup ignores stays ignored.
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

StopOnSignals::~StopOnSignals() {
  default_for_all();
  stopping.store(nullptr);
}

}  // namespace comback::tools
