// The entry points of libFuzzer: `tools/fuzz` builds and runs this. COMBACK_FUZZ_TARGET names the
// target.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz_target.h"

namespace {

const comback::test::FuzzTarget* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const name = std::getenv("COMBACK_FUZZ_TARGET");
  for (const auto& target : comback::test::fuzz_targets()) {
    if (name != nullptr && target.name == name) chosen = &target;
  }
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "COMBACK_FUZZ_TARGET must be one of");
  for (const auto& target : comback::test::fuzz_targets()) {
    std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
  }
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
