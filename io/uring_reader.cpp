#include <fmt/format.h>
#include <liburing.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <vector>

#include "io/readers.h"

namespace comback {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

Error ring_error(std::string_view operation, int error_number) {
  const Errc code = error_number == ENOMEM ? Errc::kOutOfMemory : Errc::kUnsupported;
  return {code, fmt::format("io_uring: {}: {}", operation,
                            std::error_code(error_number, std::generic_category()).message())};
}

// Invariants, between calls:
//   I1  A slot is free, queued or with the kernel; each request is in one slot until it is reaped.
//   I2  At most depth_ slots are with the kernel, so the completion queue never overflows.
class UringReader final : public AsyncReader {
 public:
  UringReader(const io_uring& ring, unsigned depth) : ring_(ring), depth_(depth) {}

  ~UringReader() override {
    while (in_kernel_ > 0) {
      io_uring_cqe* cqe = nullptr;
      const int failed = io_uring_wait_cqe(&ring_, &cqe);
      if (failed == -EINTR || failed == -EAGAIN) continue;
      if (failed != 0) break;  // the ring itself is broken: nothing more can be learnt from it
      io_uring_cqe_seen(&ring_, cqe);
      --in_kernel_;
    }
    io_uring_queue_exit(&ring_);
  }

  Status submit(std::span<const ReadRequest> requests) override {
    for (const ReadRequest& request : requests) {
      std::uint32_t slot;
      if (free_.empty()) {
        slot = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
      } else {
        slot = free_.back();
        free_.pop_back();
      }
      slots_[slot] = {request, 0};
      queue_.push_back(slot);
      ++in_flight_;
    }
    return start_queued();
  }

  Result<std::uint64_t> wait() override {
    assert(in_flight_ > 0);
    while (true) {
      if (in_kernel_ == 0) {
        if (auto started = start_queued(); !started) return started.error();
      }
      io_uring_cqe* cqe = nullptr;
      const int failed = io_uring_wait_cqe(&ring_, &cqe);
      if (failed == -EINTR || failed == -EAGAIN) continue;
      if (failed != 0) return ring_error("wait for a read", -failed);
      const int result = cqe->res;
      const auto slot = static_cast<std::uint32_t>(io_uring_cqe_get_data64(cqe));
      io_uring_cqe_seen(&ring_, cqe);
      --in_kernel_;

      Slot& s = slots_[slot];
      const ReadRequest request = s.request;
      if (result > 0) s.done += static_cast<std::size_t>(result);
      // ECANCELED: the thread that submitted the read is gone, and its reads with it.
      const bool again = result == -EINTR || result == -EAGAIN || result == -ECANCELED;
      if (again || (result > 0 && s.done < request.bytes)) {
        queue_.push_back(slot);
        if (auto started = start_queued(); !started) return started.error();
        continue;
      }
      const std::size_t done = s.done;
      free_.push_back(slot);
      --in_flight_;
      if (auto started = start_queued(); !started) return started.error();
      if (result < 0) {
        return system_error("read", request.file->path(), request.offset + done, -result);
      }
      if (done < request.bytes) {
        return ends_early(request.file->path(), request.offset, request.bytes, done);
      }
      return request.tag;
    }
  }

  std::size_t in_flight() const override { return in_flight_; }
  std::string_view name() const override { return "uring"; }

 private:
  struct Slot {
    ReadRequest request;
    std::size_t done = 0;  // bytes
  };

  // Hands queued slots to the kernel, as many as the depth allows.
  Status start_queued() {
    while (queued_from_ < queue_.size() && in_kernel_ + prepared_ < depth_) {
      io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
      if (sqe == nullptr) break;
      const std::uint32_t slot = queue_[queued_from_++];
      const Slot& s = slots_[slot];
      io_uring_prep_read(sqe, s.request.file->descriptor(), s.request.buffer + s.done,
                         static_cast<unsigned>(std::min(s.request.bytes - s.done, kMostAtOnce)),
                         s.request.offset + s.done);
      io_uring_sqe_set_data64(sqe, slot);
      ++prepared_;
    }
    if (queued_from_ == queue_.size()) {
      queue_.clear();
      queued_from_ = 0;
    }
    while (prepared_ > 0) {
      const int n = io_uring_submit(&ring_);
      if (n == -EINTR) continue;
      // Out of kernel memory for the moment: what is in flight will free some.
      if ((n == -EAGAIN || n == -EBUSY) && in_kernel_ > 0) break;
      if (n < 0) return ring_error("submit reads", -n);
      prepared_ -= static_cast<unsigned>(n);
      in_kernel_ += static_cast<unsigned>(n);
    }
    return Done{};
  }

  io_uring ring_;
  unsigned depth_;
  unsigned prepared_ = 0;   // in the submission queue, not yet seen by the kernel
  unsigned in_kernel_ = 0;  // submitted, not reaped
  std::size_t in_flight_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> queue_;  // slots from queued_from_ on wait for their turn
  std::size_t queued_from_ = 0;
};

}  // namespace

Result<std::unique_ptr<AsyncReader>> open_uring_reader(unsigned depth) {
  io_uring ring;
  if (const int failed = io_uring_queue_init(depth, &ring, 0); failed != 0) {
    return ring_error(fmt::format("make a ring of depth {}", depth), -failed);
  }
  // IORING_OP_READ came a year after the rings themselves (Linux 5.6).
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  const bool can_read = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
  if (probe != nullptr) io_uring_free_probe(probe);
  if (!can_read) {
    io_uring_queue_exit(&ring);
    return ring_error("plain reads", ENOSYS);
  }
  return std::unique_ptr<AsyncReader>(std::make_unique<UringReader>(ring, depth));
}

}  // namespace comback
