#include <algorithm>

#include "storage/hash_page.h"
#include "tests/fuzz/fuzz_target.h"

namespace comback::test {
namespace {

// What a look-up finds in a run is what decoding it gives.
void look_up(std::string_view page, const std::vector<PageEntry>& entries) {
  std::vector<PageEntry> found;
  while (!page.empty()) {
    const std::optional<PageRun> run = PageRun::take(page);
    must(run.has_value(), "a page that decodes consists of runs");
    PageRun::Cursor cursor(*run);
    std::optional<std::uint64_t> last;
    for (const PageEntry& entry : entries) {
      if (last == entry.suffix) continue;
      last = entry.suffix;
      must(cursor.find(entry.suffix,
                       [&](std::uint64_t id) {
                         found.push_back({*last, id});
                       }),
           "a run that decodes can be searched");
    }
  }
  std::sort(found.begin(), found.end());
  must(found == entries, "a look-up finds what decoding gives");
}

void run(std::string_view input) {
  const unsigned suffix_bits = take_number<std::uint8_t>(input);
  [[maybe_unused]] const auto runs = count_runs(input);

  std::vector<PageEntry> entries;
  const bool decoded = decode_page(input, suffix_bits, entries);
  if (decoded) {
    must(std::is_sorted(entries.begin(), entries.end()), "entries are sorted");
    look_up(input, entries);
    std::string folded;
    must(fold_page(input, folded), "a page that decodes can be folded");
    std::vector<PageEntry> again;
    must(decode_page(folded, suffix_bits, again) && again == entries, "folding keeps all entries");
  }
  // A run that does not decode must not lead a search astray either.
  for (std::string_view rest = input; !rest.empty();) {
    const std::optional<PageRun> one = PageRun::take(rest);
    if (!one) break;
    PageRun::Cursor cursor(*one);
    const std::uint64_t most =
        one->suffix_bits() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << one->suffix_bits()) - 1;
    for (unsigned step = 0; step <= 16; ++step) {
      if (!cursor.find(most / 16 * step, [](std::uint64_t) {})) break;
    }
  }
}

std::vector<std::string> seeds() {
  std::vector<std::string> inputs;
  for (const unsigned suffix_bits : {0u, 8u, 23u, 64u}) {
    for (const std::size_t count : {1u, 3u, 200u}) {
      std::string input(1, static_cast<char>(suffix_bits));
      for (unsigned runs = 0; runs < 2; ++runs) {
        std::vector<PageEntry> entries;
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15;
          entries.push_back({suffix_bits == 0 ? 0 : mixed >> (64 - suffix_bits), i * 7 + runs});
        }
        std::sort(entries.begin(), entries.end());
        append_run(entries, suffix_bits, input);
      }
      inputs.push_back(input);
    }
  }
  return inputs;
}

}  // namespace

FuzzTarget hash_page_target() { return {"hash_page", run, seeds}; }

}  // namespace comback::test
