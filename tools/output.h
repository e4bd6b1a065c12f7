#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/result.h"

namespace comback::tools {

// Standard output, written to the end or not at all well: whoever pipes a result away must not take
// half of it for the whole, so the first failure stays and decides the exit code.
class StandardOutput {
 public:
  explicit StandardOutput(int descriptor = 1) : descriptor_(descriptor) {}
  void write(std::string_view text);
  const Status& status() const { return status_; }

 private:
  int descriptor_;
  Status status_ = Done{};
};

// Writes a message to standard error. Where that fails there is nobody left to tell.
void complain(std::string_view text);

// Where a result goes that a user asked for by name. "-" is standard output.
//
// A regular file appears whole under its name or not at all: it is written beside it and renamed.
// Anything else that already exists (a device, a pipe) is written to directly.
class ResultFile {
 public:
  explicit ResultFile(std::filesystem::path path) : path_(std::move(path)) {}

  bool is_standard_output() const { return path_ == "-"; }
  // Whether it can be written, as far as that can be told without writing: asked before hours of
  // exploration, not after.
  Status check() const;
  Status write(std::string_view contents) const;  // REQUIRES: !is_standard_output()

 private:
  std::filesystem::path path_;
};

// The same for a result that is too large to be held: written bit by bit, and there under its name
// once it is whole. On standard output, what was written stays.
class ResultStream {
 public:
  // REQUIRES: `out` outlives it.
  static Result<ResultStream> open(const std::filesystem::path& path, StandardOutput& out);
  ResultStream(ResultStream&& other) noexcept;
  ResultStream& operator=(ResultStream&&) = delete;
  ~ResultStream();  // what was not finished is gone

  // After an error nothing more is written, and finish() has it.
  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  const Status& status() const { return status_; }
  Status finish();

 private:
  explicit ResultStream(std::filesystem::path path) : path_(std::move(path)) {}
  void flush();

  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
  std::filesystem::path path_;
  std::string target_{};  // what is written to; empty: standard output
  bool renames_ = false;  // target_ gets its name in the end
  StandardOutput* out_ = nullptr;
  int descriptor_ = -1;
  std::string buffer_{};
  Status status_ = Done{};
};

// Makes descriptors 0, 1 and 2 refer to something, so that no file that is opened later becomes
// standard output. Writing to one that was closed still fails.
void reserve_standard_descriptors();

}  // namespace comback::tools
