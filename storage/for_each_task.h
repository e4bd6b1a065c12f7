#pragma once

#include <cstddef>
#include <functional>

namespace comback {

// How a table does its work on threads that are not its own: calls task(0) .. task(tasks - 1), in
// any order and at the same time, and returns when all are done.
using ForEachTask =
    std::function<void(std::size_t tasks, const std::function<void(std::size_t)>& task)>;

inline void one_after_the_other(std::size_t tasks, const std::function<void(std::size_t)>& task) {
  for (std::size_t i = 0; i < tasks; ++i) task(i);
}

}  // namespace comback
