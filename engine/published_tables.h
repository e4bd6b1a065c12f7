#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/result.h"

namespace comback {

// The figures of [evangelista09] that an experiment is compared with. They are the authors', so
// they come from files that the user has, one table each, comma-separated, with a header:
//
//   table6.csv  instance,states,transitions,cache_fraction,R_events_text,R_events,F,H,F20H80,...
//               R_events are event executions, all others ratios to them
//   table7.csv  instance,starred,states,transitions,std_seconds,strategy,T_noDDD,E_noDDD,
//               T_DDD0.1,E_DDD0.1,...
//   table5.csv  descriptors,strategy,cache,candidates,queue,E
//
// Columns are found by their names. A file that does not exist leaves its table empty.
struct PublishedTables {
  struct Size {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
  };
  // Table 6, one instance and cache size.
  struct Caching {
    double fraction = 0;
    std::string events_of_r_text;  // as printed, "1.4 M"
    double events_of_r = 0;
    std::map<std::string, double> ratios;  // by strategy as CacheSpec writes it, "F20-H80"
  };
  // Table 7, one instance and strategy.
  struct Delaying {
    std::string strategy;
    std::map<double, double> time;    // by the size of the candidate set relative to the cache, 0:
    std::map<double, double> events;  // no delayed detection
  };
  // Table 5, one configuration.
  struct Splitting {
    std::uint64_t descriptors = 0;
    std::string strategy;
    double cache = 0;
    double candidates = 0;
    double queue = 0;
    double events = 0;
  };

  std::map<std::string, Size> sizes;  // of all instances, by name
  std::map<std::string, std::vector<Caching>> table6;
  std::map<std::string, std::vector<Delaying>> table7;
  std::vector<Splitting> table5;
};

Result<PublishedTables> read_published_tables(const std::filesystem::path& directory);

}  // namespace comback
