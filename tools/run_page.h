#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/survey.h"
#include "engine/tree_shape.h"
#include "tools/run_timeline.h"
#include "tools/stored_model.h"
#include "tools/tree_picture.h"

namespace comback::tools {

// A state that a report shows the way to.
struct ShownState {
  std::string what;  // "violation: deadlock"
  StateId id = 0;
  std::optional<Event> failing{};  // that cannot be carried out there
  Trace trace;
};

// All that a report says.
struct RunPage {
  const OpenedRun& run;
  std::string dir;
  bool complete = false;
  std::string warning;  // where it is not complete
  TreeShape shape;
  TreePicture picture;
  std::optional<Survey> survey;  // where states were expanded again
  std::vector<ShownState> shown;
  std::vector<Metrics> timeline;
  std::string made;  // when: "2026-11-18T20:15:00Z"

  // One HTML document that needs nothing else.
  std::string html() const;
};

}  // namespace comback::tools
