#pragma once

#include <string>
#include <utility>
#include <variant>

namespace comback {

enum class Errc {
  kInvalidArgument,  // the caller's or the user's mistake
  kNotFound,
  kIo,
  kNoSpace,
  kCorruption,
  kOutOfMemory,  // the memory budget is used up
  kUnsupported,
};

// What went wrong outside our own code. `what` names the operation and its object ("read
// run-000017 at offset 4096"); callers add context, never replace it.
struct Error {
  Errc code;
  std::string what;
};

// A value or the error that stood in its way. std::expected is C++23; this borrows its accessors.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return v_.index() == 0; }
  T& operator*() { return std::get<0>(v_); }
  const T& operator*() const { return std::get<0>(v_); }
  T* operator->() { return &std::get<0>(v_); }
  const T* operator->() const { return &std::get<0>(v_); }
  const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

struct Done {};
using Status = Result<Done>;  // success is `return Done{};`

}  // namespace comback
