#include "tools/caching_report.h"

#include <fmt/format.h>

#include "tools/quantity.h"

namespace comback::tools {
namespace {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

CacheOutlook outlook_of(const Summary& summary) {
  return summary.caching->outlook(summary.states, summary.transitions, summary.max_depth + 1);
}

const char* word_for(CacheOutlook outlook) {
  switch (outlook) {
    case CacheOutlook::kCalm:
      return "calm";
    case CacheOutlook::kOpen:
      return "open";
    case CacheOutlook::kExploded:
      return "exploded";
  }
  return "?";
}

const char* in_words(CacheOutlook outlook) {
  switch (outlook) {
    case CacheOutlook::kCalm:
      return "a smaller cache may do: few transitions are matched, and the stack is small";
    case CacheOutlook::kOpen:
      return "a smaller cache may take very much longer: many transitions are matched, or the "
             "stack is large";
    case CacheOutlook::kExploded:
      return "the cache is too small: most states explored had been explored before; a larger "
             "--cache-size or --sleep-sets helps";
  }
  return "";
}

}  // namespace

std::string explored_in_words(const Summary& summary) {
  if (summary.caching->exact()) return format_count(summary.states);
  return fmt::format("{} explored, of about {} different ones", format_count(summary.states),
                     format_count(summary.states - summary.caching->revisits));
}

std::vector<Row> caching_rows(const Report& report) {
  const Summary& summary = report.summary;
  const CachingCounts& counts = *summary.caching;
  std::vector<Row> rows;
  rows.emplace_back("matched",
                    fmt::format("{} transitions, {:.1f}% of them", format_count(counts.matched),
                                percent(counts.matched, summary.transitions)));
  if (report.options.sleep_sets) {
    rows.emplace_back("left out",
                      fmt::format("{} events that slept, {} different sleep sets",
                                  format_count(counts.slept), format_count(counts.sleep_sets)));
  }
  if (report.options.check_independence) {
    rows.emplace_back("checked", format_count(counts.checked_pairs) +
                                     " pairs of independent events, in both orders");
  }
  if (counts.cache_size == 0) return rows;
  rows.emplace_back("cache",
                    fmt::format("{} states, the stack took {:.1f}% of it; {} were replaced",
                                format_count(counts.cache_size),
                                percent(summary.max_depth + 1, counts.cache_size),
                                format_count(counts.replaced)));
  if (!counts.exact()) {
    rows.emplace_back("explored again", fmt::format("about {} states, {:.1f}% of those explored",
                                                    format_count(counts.revisits),
                                                    percent(counts.revisits, summary.states)));
    rows.emplace_back("outlook", in_words(outlook_of(summary)));
  }
  return rows;
}

void add_caching_json(const Summary& summary, nlohmann::ordered_json& json) {
  const CachingCounts& counts = *summary.caching;
  json["explored"] = summary.states;
  json["states_exact"] = counts.exact();
  json["matched"] = counts.matched;
  json["slept"] = counts.slept;
  json["sleep_sets"] = counts.sleep_sets;
  if (counts.checked_pairs != 0) json["checked_pairs"] = counts.checked_pairs;
  if (counts.cache_size == 0) return;
  json["cache_size"] = counts.cache_size;
  json["replaced"] = counts.replaced;
  json["revisits"] = counts.revisits;
  json["states_estimate"] = summary.states - counts.revisits;
  json["outlook"] = word_for(outlook_of(summary));
}

std::string caching_in_a_line(const Progress& progress) {
  const CachingCounts& counts = *progress.caching;
  std::string line = fmt::format("stack {}", format_count(progress.level));
  if (counts.cache_size != 0) line += " of " + format_count(counts.cache_size);
  line += fmt::format("  matched {:.0f}%", percent(counts.matched, progress.transitions));
  if (counts.replaced == 0) return line;
  line += fmt::format("  again {:.0f}%", percent(counts.revisits, progress.states));
  const CacheOutlook outlook =
      counts.outlook(progress.states, progress.transitions, progress.level);
  if (outlook == CacheOutlook::kExploded) line += ", the cache is too small";
  return line;
}

}  // namespace comback::tools
