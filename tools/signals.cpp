#include "tools/signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace comback::tools {
namespace {

// A signal handler has no other way to reach anything.
std::atomic<Monitor*> stopping{nullptr};
std::atomic<bool> announcing{false};
std::atomic<bool> first_came{false};
static_assert(std::atomic<Monitor*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

std::atomic<bool> hangups_ignored{false};  // by nohup: they stay so

void default_for_all() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  if (!hangups_ignored.load()) ::signal(SIGHUP, SIG_DFL);
}

void handle(int signal) {
  const int saved = errno;
  // Another thread may be handling the first just now.
  if (first_came.exchange(true)) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // when this handler returns
    return;
  }
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
  first_came.store(false);
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGHUP);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  hangups_ignored.store(before.sa_handler == SIG_IGN);
  if (!hangups_ignored.load()) ::sigaction(SIGHUP, &action, nullptr);
}

StopOnSignals::~StopOnSignals() {
  default_for_all();
  stopping.store(nullptr);
}

}  // namespace comback::tools
