#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comback::test {

// A disk that fails a process at one of the calls with which it changes files below a directory:
// the real file system and a fault, by a library that is loaded before the C library's. The calls
// are counted from 1: open for creating or truncating, mkdir, write, pwrite, writev, ftruncate,
// truncate, fallocate, fsync, fdatasync, rename, link, unlink, rmdir.
struct FaultyDisk {
  enum class Fault {
    kNone,           // only counts
    kNoSpace,        // the call fails with ENOSPC, once
    kInputOutput,    // it fails with EIO, once
    kFullFromThere,  // it and all that need space after it fail with ENOSPC
    kShortWrite,     // a write does half of its work and says so; others are not touched
    kKill,           // the process ends before the call, as by SIGKILL
    // The process ends so, and every file goes back to what was synced of it: files are cut to the
    // size at their last sync, those whose name no sync of their directory has made durable vanish.
    kPowerLoss,
    // The same, but up to an arbitrary point behind what was synced.
    kTornPowerLoss,
  };

  std::filesystem::path below{};
  Fault fault = Fault::kNone;
  std::uint64_t at = 0;  // the number of the call

  // For CommandOptions::environment. The number of calls is written to `count`, where that is not
  // empty, when the process exits normally.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment(
      const std::filesystem::path& count = {}) const;
};

// What a process with such an environment wrote; nothing where it did not get to it.
std::optional<std::uint64_t> calls_counted(const std::filesystem::path& count);

}  // namespace comback::test
