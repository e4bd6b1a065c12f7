#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/result.h"

namespace comback {

// What a run is, as run.json has it: enough to go on with it. The model's source is beside it.
struct RunHeader {
  static constexpr std::uint64_t kFormat = 1;  // of the directory and of all that is in it

  std::uint64_t format = kFormat;
  std::string comback_version;
  std::string created;           // "2026-11-18T20:15:00Z"
  std::string model;             // file name: "anderson.4.dve"
  std::string model_path;        // as the user named it; nothing is read from there
  std::uint64_t model_hash = 0;  // XXH3-64 of the source
  // Options by name without dashes, each with its values, in the words of the command line.
  std::map<std::string, std::vector<std::string>> options;

  const std::string* option(const std::string& name) const;  // its first value, or null
};

// Who is exploring a run.
struct LockHolder {
  std::int64_t pid = 0;
  std::string host;
  std::string since;  // "2026-11-18T20:15:00Z"

  std::string in_words() const;  // "process 4711 on host, since ..."
};

// The right to write to a run: of one process at a time, and gone with it, however it ends. Readers
// need none.
class RunLock {
 public:
  // kInvalidArgument, with the holder in words, where another process has it.
  static Result<RunLock> take(const std::filesystem::path& run_dir);
  // Who has it just now; nobody where there is no such run.
  static std::optional<LockHolder> holder(const std::filesystem::path& run_dir);

  RunLock(RunLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RunLock& operator=(RunLock&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~RunLock();

 private:
  explicit RunLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// The directory of a run:
//
//   run.json         RunHeader
//   model.dve        the model's source
//   lock             see RunLock
//   db/, db.staging/ RunDatabase: states, backedges, and what the last checkpoint says
//   levels/          LevelStore
//   spill/           sorted candidates of the level being expanded
//   metrics.ndjson   a line per interval
//
// docs/formats.md has the bytes.
class RunDirectory {
 public:
  // Of a run that exists: reads and checks run.json. kNotFound where there is none, kUnsupported
  // where a later version wrote it.
  static Result<RunDirectory> open(const std::filesystem::path& path);
  // Makes a run. kInvalidArgument where `path` holds a run or anything else.
  // `header` has everything but hash, format and time.
  static Result<RunDirectory> create(const std::filesystem::path& path, RunHeader header,
                                     std::string_view model_source);
  // Whether there is a run, or what is left of one.
  static bool holds_run(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }
  std::filesystem::path levels() const { return path_ / "levels"; }
  std::filesystem::path spill() const { return path_ / "spill"; }
  std::filesystem::path metrics() const { return path_ / "metrics.ndjson"; }
  std::filesystem::path model() const { return path_ / "model.dve"; }

  const RunHeader& header() const { return header_; }
  // Replaces run.json, atomically. REQUIRES: the caller has the RunLock.
  Status write_header(RunHeader header);
  // The model's source; kCorruption where it is not what the run was made with.
  Result<std::string> model_source() const;

 private:
  explicit RunDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  RunHeader header_;
};

// Of all files below a directory; those that go away meanwhile do not count.
Result<std::uint64_t> bytes_below(const std::filesystem::path& directory);

// Of at most `most_bytes`; a longer one is kCorruption.
Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t most_bytes);
// Whole under its name, and durable, or not there at all.
Status write_text_file(const std::filesystem::path& path, std::string_view text);

// The time now: "2026-11-18T20:15:00Z".
std::string time_in_words();

}  // namespace comback
