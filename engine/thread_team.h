#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "storage/for_each_task.h"

namespace comback {

// Threads that work on one bulk of tasks at a time. Between two calls of for_each nothing runs, so
// what one bulk wrote the next may read: no lock is needed inside a task.
class ThreadTeam {
 public:
  // The caller of for_each is one of the threads.
  explicit ThreadTeam(unsigned threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  // Calls f(thread, task) once for each task below `tasks`, in rising order of tasks though not one
  // after the other, and returns when all are done. Nobody waits for a thread that has not woken up
  // by then. Bulks so small that they are not `worth` waking others are left to the caller.
  template <class F>
  void for_each(std::size_t tasks, F&& f, bool worth = true) {
    if (workers_.empty() || tasks <= 1 || !worth) {
      for (std::size_t task = 0; task < tasks; ++task) f(0u, task);
      return;
    }
    run_all(tasks, &f, [](void* context, unsigned thread, std::size_t task) {
      (*static_cast<std::remove_reference_t<F>*>(context))(thread, task);
    });
  }

  // The same for tables, which know nothing of threads. REQUIRES: the team outlives it.
  ForEachTask for_tables() {
    return [this](std::size_t tasks, const std::function<void(std::size_t)>& task) {
      for_each(tasks, [&](unsigned, std::size_t i) { task(i); });
    };
  }

 private:
  using Call = void (*)(void* context, unsigned thread, std::size_t task);

  void run_all(std::size_t tasks, void* context, Call call);
  void work(unsigned thread);
  void take_tasks(unsigned thread);

  std::vector<std::thread> workers_;
  // The bulk at hand: written before `gate_` opens, read by those who have passed it.
  std::size_t tasks_ = 0;
  void* context_ = nullptr;
  Call call_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> bulk_{0};
  // Whether workers may join the bulk, and how many are at it.
  static constexpr std::uint32_t kOpen = std::uint32_t{1} << 31;
  std::atomic<std::uint32_t> gate_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace comback
