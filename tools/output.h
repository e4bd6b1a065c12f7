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

// Makes descriptors 0, 1 and 2 refer to something, so that no file that is opened later becomes
// standard output. Writing to one that was closed still fails.
void reserve_standard_descriptors();

}  // namespace comback::tools
