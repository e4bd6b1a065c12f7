// write_seeds DIR: the seeds of every fuzz target as files DIR/TARGET/N, for libFuzzer's corpus;
// and the targets' names on standard output.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz_target.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_seeds DIR\n");
    return 2;
  }
  for (const auto& target : comback::test::fuzz_targets()) {
    const std::filesystem::path dir = std::filesystem::path(argv[1]) / target.name;
    std::filesystem::create_directories(dir);
    std::size_t number = 0;
    for (const std::string& seed : target.seeds()) {
      std::ofstream(dir / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
    }
    std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
  }
  return 0;
}
