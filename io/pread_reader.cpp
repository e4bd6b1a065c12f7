#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "io/readers.h"

namespace comback {
namespace {

// The pool in place of a ring. Two threads keep a disk busy while the caller computes; more would
// take the processor from the search, which has as many threads as there are processors.
class PreadReader final : public AsyncReader {
 public:
  PreadReader() {
    for (std::thread& thread : threads_) thread = std::thread([this] { serve(); });
  }

  ~PreadReader() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      queue_.clear();
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Status submit(std::span<const ReadRequest> requests) override {
    if (requests.empty()) return Done{};
    {
      const std::lock_guard lock(mutex_);
      queue_.insert(queue_.end(), requests.begin(), requests.end());
    }
    in_flight_ += requests.size();
    if (requests.size() == 1) {
      work_.notify_one();
    } else {
      work_.notify_all();
    }
    return Done{};
  }

  Result<std::uint64_t> wait() override {
    assert(in_flight_ > 0);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return !done_.empty(); });
    Finished first = std::move(done_.front());
    done_.pop_front();
    --in_flight_;
    if (first.error) return std::move(*first.error);
    return first.tag;
  }

  std::size_t in_flight() const override { return in_flight_; }
  std::string_view name() const override { return "pread"; }

 private:
  struct Finished {
    std::uint64_t tag = 0;
    std::optional<Error> error;
  };

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      const ReadRequest request = queue_.front();
      queue_.pop_front();
      lock.unlock();
      Finished finished{request.tag, std::nullopt};
      auto read = request.file->read_at(request.offset, {request.buffer, request.bytes});
      if (!read) finished.error = read.error();
      lock.lock();
      done_.push_back(std::move(finished));
      finished_.notify_one();
    }
  }

  std::size_t in_flight_ = 0;  // the caller's thread's
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable finished_;
  std::deque<ReadRequest> queue_;
  std::deque<Finished> done_;
  bool stop_ = false;
  std::array<std::thread, 2> threads_;  // last: they use the rest
};

}  // namespace

std::unique_ptr<AsyncReader> open_pread_reader() { return std::make_unique<PreadReader>(); }

}  // namespace comback
