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
  gate_.store(kOpen, std::memory_order_release);
  bulk_.fetch_add(1, std::memory_order_release);
  bulk_.notify_all();
  take_tasks(0);
  gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
  for (std::uint32_t busy; (busy = gate_.load(std::memory_order_acquire)) != 0;) {
    wait_while_equal(gate_, busy);
  }
}

void ThreadTeam::work(unsigned thread) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while_equal(bulk_, seen);
    seen = bulk_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    std::uint32_t gate = gate_.load(std::memory_order_relaxed);
    while ((gate & kOpen) != 0 &&
           !gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
    }
    if ((gate & kOpen) == 0) continue;  // this thread was not needed
    take_tasks(thread);
    if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();
  }
}

void ThreadTeam::take_tasks(unsigned thread) {
  for (std::size_t task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) {
    call_(context_, thread, task);
  }
}

}  // namespace comback
