#include "io/async_reader.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <thread>

#include "tests/support/bytes.h"
#include "tests/support/temp_dir.h"

namespace comback {
namespace {

using test::Bytes;
using test::TempDir;

class AsyncReaderKind : public ::testing::TestWithParam<IoKind> {
 protected:
  void SetUp() override {
    auto reader = AsyncReader::open(GetParam(), 8);
    if (!reader) GTEST_SKIP() << reader.error().what;
    auto file = File::create(dir_ / "data");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append(contents_));
    file_ = std::make_unique<File>(std::move(*file));
  }

  std::unique_ptr<AsyncReader> open(unsigned depth) {
    auto reader = AsyncReader::open(GetParam(), depth);
    EXPECT_TRUE(reader);
    return std::move(*reader);
  }

  const TempDir dir_;
  const Bytes contents_ = test::random_bytes(1 << 20, 1);
  std::unique_ptr<File> file_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, AsyncReaderKind, ::testing::Values(IoKind::kUring, IoKind::kPread),
                         [](const auto& param) {
                           return param.param == IoKind::kUring ? "Uring" : "Pread";
                         });

TEST_P(AsyncReaderKind, ReadsManyPlacesFarBeyondItsDepth) {
  std::mt19937_64 random(2);
  for (const unsigned depth : {1u, 3u, 64u}) {
    auto reader = open(depth);
    constexpr std::size_t kReads = 500;
    std::vector<Bytes> buffers(kReads);
    std::vector<ReadRequest> requests;
    std::set<std::uint64_t> missing;
    for (std::size_t i = 0; i < kReads; ++i) {
      const std::uint64_t offset = random() % contents_.size();
      buffers[i].resize(random() % std::min<std::size_t>(contents_.size() - offset, 9000));
      requests.push_back({file_.get(), offset, buffers[i].data(), buffers[i].size(), i});
      missing.insert(i);
    }
    // Some at once, some while others are in flight.
    ASSERT_TRUE(reader->submit(std::span(requests).first(300)));
    EXPECT_EQ(reader->in_flight(), 300u);
    for (std::size_t next = 300; reader->in_flight() > 0;) {
      auto tag = reader->wait();
      ASSERT_TRUE(tag) << tag.error().what;
      ASSERT_EQ(missing.erase(*tag), 1u);
      const Bytes& got = buffers[*tag];
      ASSERT_TRUE(
          std::equal(got.begin(), got.end(),
                     contents_.begin() + static_cast<std::ptrdiff_t>(requests[*tag].offset)))
          << "read " << *tag;
      if (next < kReads) {
        ASSERT_TRUE(reader->submit(std::span(requests).subspan(next, 1)));
        ++next;
      }
    }
    EXPECT_TRUE(missing.empty());
  }
}

TEST_P(AsyncReaderKind, AFileThatEndsEarlyIsCorruptionAndTheRestArrives) {
  auto reader = open(4);
  Bytes good(1000);
  Bytes half(1000);
  Bytes none(1000);
  const std::uint64_t end = contents_.size();
  const ReadRequest requests[] = {{file_.get(), 0, good.data(), 1000, 0},
                                  {file_.get(), end - 400, half.data(), 1000, 1},
                                  {file_.get(), end + 5000, none.data(), 1000, 2}};
  ASSERT_TRUE(reader->submit(requests));
  std::vector<std::string> errors;
  for (int i = 0; i < 3; ++i) {
    auto tag = reader->wait();
    if (tag) {
      EXPECT_EQ(*tag, 0u);
      continue;
    }
    EXPECT_EQ(tag.error().code, Errc::kCorruption);
    errors.push_back(tag.error().what);
  }
  EXPECT_EQ(reader->in_flight(), 0u);
  std::sort(errors.begin(), errors.end());
  const std::string name = "read " + (dir_ / "data").string() + " at offset ";
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], name + "1048176: the file ends 600 bytes early at 1048576");
  EXPECT_EQ(errors[1], name + "1053576: the file ends 1000 bytes early at 1053576");
}

TEST_P(AsyncReaderKind, AFailedReadNamesItsFile) {
  auto reader = open(4);
  auto directory = File::open(dir_.path());  // can be opened, but not read
  ASSERT_TRUE(directory);
  Bytes out(10);
  const ReadRequest request{&*directory, 0, out.data(), out.size(), 7};
  ASSERT_TRUE(reader->submit({&request, 1}));
  auto tag = reader->wait();
  ASSERT_FALSE(tag);
  EXPECT_EQ(tag.error().code, Errc::kIo);
  EXPECT_NE(tag.error().what.find(dir_.path().string()), std::string::npos) << tag.error().what;
  EXPECT_EQ(reader->in_flight(), 0u);
}

// Under the address sanitizer a write into a freed buffer would show.
TEST_P(AsyncReaderKind, DestructionWaitsForReadsInFlight) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Bytes> buffers(64, Bytes(16384));
    std::vector<ReadRequest> requests;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      requests.push_back({file_.get(), i * 16384 % (1 << 19), buffers[i].data(), 16384, i});
    }
    auto reader = open(16);
    ASSERT_TRUE(reader->submit(requests));
    for (int i = 0; i < round; ++i) ASSERT_TRUE(reader->wait());
    reader.reset();
  }
}

// A reader may move to another thread while reads are in flight and the first one is gone.
TEST_P(AsyncReaderKind, ReadsOutliveTheThreadThatSubmittedThem) {
  auto reader = open(16);
  std::vector<Bytes> buffers(64, Bytes(16384));
  std::thread([&] {
    std::vector<ReadRequest> requests;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      requests.push_back({file_.get(), i * 16384, buffers[i].data(), 16384, i});
    }
    ASSERT_TRUE(reader->submit(requests));
  }).join();
  while (reader->in_flight() > 0) {
    auto tag = reader->wait();
    ASSERT_TRUE(tag) << tag.error().what;
    ASSERT_TRUE(std::equal(buffers[*tag].begin(), buffers[*tag].end(),
                           contents_.begin() + static_cast<std::ptrdiff_t>(*tag * 16384)));
  }
}

// Makes io_uring_setup fail with EPERM in the calling thread, as containers do.
bool forbid_rings() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(AsyncReader, FallsBackToThreadsWhereRingsAreForbidden) {
  bool forbidden = false;
  std::thread([&] {
    forbidden = forbid_rings();
    if (!forbidden) return;
    auto ring = AsyncReader::open(IoKind::kUring, 8);
    ASSERT_FALSE(ring);
    EXPECT_EQ(ring.error().code, Errc::kUnsupported);
    EXPECT_EQ(ring.error().what, "io_uring: make a ring of depth 8: Operation not permitted");
    auto any = AsyncReader::open(IoKind::kAuto, 8);
    ASSERT_TRUE(any);
    EXPECT_EQ((*any)->name(), "pread");
  }).join();
  if (!forbidden) GTEST_SKIP() << "system calls cannot be filtered here";
}

TEST(AsyncReader, AutoTakesARingWhereThereIsOne) {
  auto ring = AsyncReader::open(IoKind::kUring, 8);
  auto any = AsyncReader::open(IoKind::kAuto, 8);
  ASSERT_TRUE(any);
  EXPECT_EQ((*any)->name(), ring ? "uring" : "pread");
  EXPECT_EQ((*AsyncReader::open(IoKind::kPread, 8))->name(), "pread");
}

}  // namespace
}  // namespace comback
