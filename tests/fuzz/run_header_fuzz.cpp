#include <nlohmann/json.hpp>

#include "storage/hash.h"
#include "storage/run_directory.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

namespace comback::test {
namespace {

// What a fuzzer changed gets the checksum that lets it be read.
std::string with_checksum(std::string_view input) {
  auto json = nlohmann::ordered_json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::string(input);
  json.erase("xxh3");
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  const std::string text = json.dump(-1, ' ', false, replace);
  std::string sum(16, '0');
  std::uint64_t hash = hash_bytes(as_bytes(text).data(), text.size());
  for (std::size_t i = 16; i-- > 0; hash >>= 4) sum[i] = "0123456789abcdef"[hash & 15];
  json["xxh3"] = sum;
  return json.dump(-1, ' ', false, replace);
}

void look_at(std::string_view input) {
  static const TempDir dir;
  dir.write("run.json", input);
  auto directory = RunDirectory::open(dir.path());
  if (!directory) {
    must(directory.error().what.find(dir.path().string()) != std::string::npos,
         "an error names the run");
    return;
  }
  const RunHeader header = directory->header();
  must(!header.model.empty(), "a run has a model");
  // What was read can be written, and read again: tried for some, as it waits for the disk.
  if (hash_bytes(as_bytes(input).data(), input.size()) % 1024 != 0) return;
  must(bool(directory->write_header(header)), "a header can be written");
  const auto again = RunDirectory::open(dir.path());
  must(bool(again), "what was written can be read");
  must(again->header().model_hash == header.model_hash && again->header().format == header.format,
       "what was written is read again");
  must(again->header().options.size() <= header.options.size(), "no option comes from nowhere");
}

void run(std::string_view input) {
  look_at(input);
  look_at(with_checksum(input));
}

std::vector<std::string> seeds() {
  const TempDir dir;
  RunHeader header;
  header.comback_version = "0.1.0";
  header.model = "anderson.4.dve";
  header.model_path = "models/anderson.4.dve";
  header.options["memory"] = {"1073741824"};
  header.options["invariant"] = {"x < 3", "P.cs + Q.cs <= 1"};
  header.options["continue"] = {"true"};
  must(bool(RunDirectory::create(dir / "run", header, "process P {}")), "a run can be made");
  const auto text = read_text_file(dir / "run" / "run.json", 1 << 20);
  must(bool(text), "a header can be read");
  return {*text};
}

}  // namespace

FuzzTarget run_header_target() { return {"run_header", run, seeds}; }

}  // namespace comback::test
