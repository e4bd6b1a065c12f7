#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/experiment.h"
#include "engine/search.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// A table of an experiment whose published figures are of models that are not public, so that only
// its shape can be compared.
struct StudyTable {
  using Cell = std::variant<std::string, std::uint64_t, double>;

  std::string name;   // "omission"
  std::string title;  // what it shows, for people
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows{};
};

struct StudyPlot {
  struct Point {
    double x = 0;
    double y = 0;
    std::optional<double> low{};  // of an interval around y
    std::optional<double> high{};
  };
  struct Curve {
    std::string name;
    std::vector<Point> points;  // by rising x
    bool dashed = false;
  };

  std::string name;  // of its file, without ".svg"
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves{};
  bool log_x = false;
  bool log_y = false;
};

struct Study {
  std::vector<StudyTable> tables;
  std::vector<StudyPlot> plots;
};

struct StudyOptions {
  std::vector<ExperimentInstance> instances;
  std::optional<std::uint64_t> max_states;  // larger instances are left out
  std::uint64_t memory_bytes = 1ull << 30;  // of each search
  std::uint64_t seed = 1;
  unsigned runs = 100;                           // of a point of the omission study
  unsigned probes = 3;                           // likewise
  std::function<void(const std::string&)> note;  // what is going on, and what is left out
};

// The studies stop early, without an error, where `monitor` asks for it; what was measured is in
// `study`, also where they fail.

// [stern96, Figures 3 and 4, Tables 2 and 3]: how often t-limited hash compaction omits states, and
// what equation (1) says. Of a synthetic graph where there are no instances.
Status run_omission_study(const StudyOptions& options, Monitor& monitor, Study& study);

// [godefroid95, Tables 1 and 2, Figures 4 and 5]: state-space caching with and without sleep sets,
// by the size of the cache and by what is replaced.
Status run_caching_study(const StudyOptions& options, Monitor& monitor, Study& study);

// [behrmann03, Tables 1 and 2]: memory and overhead of the storing strategies, the waiting list's
// order, and covering sets by heuristic.
Status run_storing_study(const StudyOptions& options, Monitor& monitor, Study& study);

// --- What the studies have in common ---

// One instance and the search of all its states that the others are measured against.
struct StudyInstance {
  std::string name;
  const Model& model;
  const Summary& full;
};

// Loads each instance, explores it in this order keeping all descriptors, and hands it over. Those
// that cannot be loaded or explored are left out with a note.
Status for_each_instance(const StudyOptions& options, SearchOrder order, Monitor& monitor,
                         const std::function<Status(const StudyInstance&)>& measure);

}  // namespace comback
