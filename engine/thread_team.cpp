#include "engine/thread_team.h"

namespace comback {
namespace {

// Bulks follow each other within microseconds: a thread looks again for a while before it sleeps.
constexpr int kSpins = 2000;

void wait_while_equal(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    __builtin_ia32_pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadTeam::ThreadTeam(unsigned threads) {
  for (unsigned t = 1; t < threads; ++t) workers_.emplace_back([this, t] { work(t); });
}

ThreadTeam::~ThreadTeam() {
  stop_.store(true, std::memory_order_relaxed);
  bulk_.fetch_add(1, std::memory_order_release);
  bulk_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run_all(std::size_t tasks, void* context, Call call) {
  tasks_ = tasks;
  context_ = context;
  call_ = call;
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
  bulk_.fetch_add(1, std::memory_order_release);
  bulk_.notify_all();
  take_tasks(0);
  for (std::uint32_t busy; (busy = busy_.load(std::memory_order_acquire)) != 0;) {
    wait_while_equal(busy_, busy);
  }
}

void ThreadTeam::work(unsigned thread) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while_equal(bulk_, seen);
    if (bulk_.load(std::memory_order_acquire) == seen) continue;
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    take_tasks(thread);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadTeam::take_tasks(unsigned thread) {
  for (std::size_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) {
    call_(context_, thread, task);
  }
}

}  // namespace comback
