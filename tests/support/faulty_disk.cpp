#include "tests/support/faulty_disk.h"

#include <fstream>

namespace comback::test {
namespace {

const char* name_of(FaultyDisk::Fault fault) {
  switch (fault) {
    case FaultyDisk::Fault::kNone:
      return "none";
    case FaultyDisk::Fault::kNoSpace:
      return "no-space";
    case FaultyDisk::Fault::kInputOutput:
      return "io-error";
    case FaultyDisk::Fault::kFullFromThere:
      return "full";
    case FaultyDisk::Fault::kShortWrite:
      return "short-write";
    case FaultyDisk::Fault::kKill:
      return "kill";
    case FaultyDisk::Fault::kPowerLoss:
      return "power-loss";
    case FaultyDisk::Fault::kTornPowerLoss:
      return "torn-power-loss";
  }
  return "none";
}

}  // namespace

std::vector<std::pair<std::string, std::optional<std::string>>> FaultyDisk::environment(
    const std::filesystem::path& count) const {
  return {{"LD_PRELOAD", COMBACK_FAULTY_DISK_LIBRARY},
          {"FAULTY_DISK_BELOW", std::filesystem::weakly_canonical(below).string()},
          {"FAULTY_DISK_FAULT", name_of(fault)},
          {"FAULTY_DISK_AT", std::to_string(at)},
          {"FAULTY_DISK_COUNT", count.string()}};
}

std::optional<std::uint64_t> calls_counted(const std::filesystem::path& count) {
  std::ifstream in(count);
  std::uint64_t calls = 0;
  if (!(in >> calls)) return std::nullopt;
  return calls;
}

}  // namespace comback::test
