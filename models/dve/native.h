#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "models/diagnostic.h"
#include "models/dve/compiler.h"
#include "models/dve/dve.h"
#include "models/dve/executor.h"
#include "models/dve/program.h"

namespace comback::dve {

// Native code that is ready: taken from the cache, or compiled, which takes a second or two. The
// program is not needed any more after that. Otherwise what went wrong and what can be done.
std::variant<std::unique_ptr<const Executor>, Diagnostics> native_executor(const Program& program,
                                                                           const Options& options);

// Native code in the making, for a model that is interpreted meanwhile.
class NativeCode {
 public:
  using Ready = std::function<void(std::unique_ptr<const Executor>)>;

  // Code of the cache is given to `ready` before this returns; otherwise it is compiled and given
  // to `ready` from another thread. Where there is none in the end, options.status is told why.
  NativeCode(const Program& program, const Options& options, Ready ready);

  // Ends a compilation that is under way; `ready` is not called after this.
  ~NativeCode();
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;

 private:
  Compilation compilation_;
  std::thread thread_;
};

}  // namespace comback::dve
