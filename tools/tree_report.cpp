#include "tools/tree_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tools/csv.h"
#include "tools/event_labels.h"
#include "tools/quantity.h"
#include "tools/share.h"
#include "tools/table.h"

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

// What is told about one event: on which levels it reached new states.
struct EventUse {
  Event event = 0;
  std::uint64_t reached = 0;
  std::uint32_t first_level = 0;
  std::uint32_t last_level = 0;
};

// The most useful first.
std::vector<EventUse> event_uses(const TreeShape& shape) {
  std::map<Event, EventUse> uses;
  for (std::uint32_t level = 0; level < shape.levels.size(); ++level) {
    for (const auto& [event, count] : shape.levels[level].events) {
      EventUse& use = uses.try_emplace(event, EventUse{event, 0, level, level}).first->second;
      use.reached += count;
      use.last_level = level;
    }
  }
  std::vector<EventUse> sorted;
  for (const auto& [event, use] : uses) sorted.push_back(use);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const EventUse& a, const EventUse& b) { return a.reached > b.reached; });
  return sorted;
}

std::uint64_t fired(const Survey& survey, Event event) {
  const auto at = survey.fired.find(event);
  return at == survey.fired.end() ? 0 : at->second;
}

// Events, of those with fixed numbers, that no state of the tree was reached by first.
std::vector<Event> events_without_new_states(const TreeReport& report) {
  std::vector<Event> events;
  auto next = report.shape.events.begin();
  for (Event event = 0; event < report.model.events().size(); ++event) {
    if (next != report.shape.events.end() && next->first == event) {
      ++next;
    } else {
      events.push_back(event);
    }
  }
  return events;
}

// Those that are enabled in no state. REQUIRES: a survey.
std::vector<Event> events_that_never_fire(const TreeReport& report) {
  std::vector<Event> events;
  for (Event event = 0; event < report.model.events().size(); ++event) {
    if (fired(*report.survey, event) == 0) events.push_back(event);
  }
  return events;
}

double branching(const TreeShape& shape) {
  const std::uint64_t inner = shape.states - shape.leaves;
  return inner == 0 ? 0 : static_cast<double>(shape.states - 1) / static_cast<double>(inner);
}

StateId deepest(const TreeReport& report) { return report.tree.first(report.tree.depth() - 1); }

// The first deadlock that is known, from the run or the survey.
std::optional<StateId> first_deadlock(const TreeReport& report) {
  if (report.survey != nullptr && !report.survey->first_deadlocks.empty()) {
    return report.survey->first_deadlocks.front();
  }
  return report.record.first_deadlock;
}
std::uint64_t deadlocks(const TreeReport& report) {
  return report.survey != nullptr ? report.survey->deadlocks : report.record.summary.deadlocks;
}
std::uint64_t transitions(const TreeReport& report) {
  return report.survey != nullptr ? report.survey->transitions : report.record.summary.transitions;
}

// --- for people ---

using Row = std::pair<const char*, std::string>;

std::string deadlocks_in_words(const TreeReport& report) {
  if (deadlocks(report) == 0) return "none";
  std::string text = format_count(deadlocks(report));
  if (const std::optional<StateId> first = first_deadlock(report)) {
    text +=
        fmt::format(", the first is state {} on level {}", *first, report.tree.level_of(*first));
  }
  if (report.survey == nullptr || deadlocks(report) == 1) return text;
  const auto& levels = report.survey->levels;
  for (std::size_t level = levels.size(); level-- > 0;) {
    if (levels[level].deadlocks == 0) continue;
    return text + fmt::format(", the last are on level {}", level);
  }
  return text;
}

std::string summary_text(const TreeReport& report) {
  const TreeShape& shape = report.shape;
  const StoredTree& tree = report.tree;
  std::uint32_t widest = 0;
  for (std::uint32_t level = 0; level < tree.depth(); ++level) {
    if (tree.size(level) > tree.size(widest)) widest = level;
  }
  std::vector<Row> rows = {
      {"states", format_count(shape.states)},
      {"levels", fmt::format("{}, the widest is level {} with {} states",
                             format_count(tree.depth()), widest, format_count(tree.size(widest)))},
      {"longest path",
       fmt::format("{} events, to state {}", format_count(tree.depth() - 1), deepest(report))},
      {"leaves", fmt::format("{} ({}): no new state was reached from them",
                             format_count(shape.leaves), format_share(shape.leaves, shape.states))},
      {"branching", fmt::format("{:.2f} children of a state that has any, {} at most (state {})",
                                branching(shape), shape.max_children, shape.widest_branching)},
      {"transitions", fmt::format("{}, {} reached a new state", format_count(transitions(report)),
                                  format_share(shape.states - 1, transitions(report)))},
      {"deadlocks", deadlocks_in_words(report)}};
  if (const TransitionShares* shares = report.shares) {
    const std::uint64_t all = shares->forward + shares->level + shares->backward;
    const std::string up = shares->longest == 0 ? ""
                           : shares->longest == 1
                               ? ", all to the level above"
                               : fmt::format(", up to {} levels up", shares->longest);
    rows.emplace_back("forward",
                      fmt::format("{} ({}), one level down", format_count(shares->forward),
                                  format_share(shares->forward, all)));
    rows.emplace_back("same level", fmt::format("{} ({})", format_count(shares->level),
                                                format_share(shares->level, all)));
    rows.emplace_back("backward", fmt::format("{} ({}){}", format_count(shares->backward),
                                              format_share(shares->backward, all), up));
  }
  std::string text;
  for (const auto& [name, value] : rows) text += fmt::format("  {:<12}  {}\n", name, value);
  return text;
}

std::string range_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

// Long runs in bands of levels.
std::string levels_text(const TreeReport& report) {
  constexpr std::uint32_t kMostRows = 40;
  constexpr std::uint32_t kBands = 25;
  const std::uint32_t depth = report.tree.depth();
  const std::uint32_t step = depth <= kMostRows ? 1 : (depth + kBands - 1) / kBands;
  std::vector<std::string> header = {step == 1 ? "level" : "levels", "states", "leaves", "children",
                                     "at most"};
  if (report.survey != nullptr) header.insert(header.end(), {"transitions", "deadlocks"});
  Table table(std::move(header));
  for (std::uint32_t from = 0; from < depth; from += step) {
    const std::uint32_t to = std::min(depth, from + step);
    std::uint64_t states = 0, leaves = 0, most = 0, out = 0, dead = 0;
    for (std::uint32_t level = from; level < to; ++level) {
      const TreeShape::Level& about = report.shape.levels[level];
      states += about.states;
      leaves += about.leaves;
      most = std::max(most, about.max_children);
      if (report.survey != nullptr) {
        out += report.survey->levels[level].transitions;
        dead += report.survey->levels[level].deadlocks;
      }
    }
    const std::uint64_t children =
        (to == depth ? report.tree.states() : report.tree.end(to)) - report.tree.end(from);
    std::vector<std::string> row = {
        range_text(from, to - 1), format_count(states), format_share(leaves, states),
        fmt::format("{:.2f}", static_cast<double>(children) / static_cast<double>(states)),
        std::to_string(most)};
    if (report.survey != nullptr) {
      row.insert(row.end(), {format_count(out), format_count(dead)});
    }
    table.add(std::move(row));
  }
  return "\nLevels, with children per state\n" + table.text();
}

std::string children_text(const TreeShape& shape) {
  Table table({"children", "states", "share"});
  for (std::size_t c = 0; c < shape.children.size(); ++c) {
    if (shape.children[c] == 0) continue;
    const bool last = c == TreeShape::kMostChildren;
    table.add({last ? fmt::format("{}-", c) : std::to_string(c), format_count(shape.children[c]),
               format_share(shape.children[c], shape.states)});
  }
  return "\nChildren of a state\n" + table.text();
}

std::string sizes_text(const TreeShape& shape) {
  Table table({"states", "subtrees", "share"});
  for (std::size_t k = 0; k < shape.subtree_sizes.size(); ++k) {
    const std::uint64_t from = std::uint64_t{1} << k;
    table.add({k == 0 ? "1" : fmt::format("{}-{}", from, 2 * from - 1),
               format_count(shape.subtree_sizes[k]),
               format_share(shape.subtree_sizes[k], shape.states)});
  }
  return "\nSizes of subtrees\n" + table.text();
}

std::string heaviest_text(const TreeReport& report, EventLabels& labels) {
  if (report.shape.heaviest.empty()) return {};
  Table table({"root", "states", "share", "event that leads into it"});
  for (const TreeShape::Subtree& subtree : report.shape.heaviest) {
    table.add({std::to_string(subtree.root), format_count(subtree.states),
               format_share(subtree.states, report.shape.states),
               subtree.root == 0 ? "the initial state" : labels.brief(subtree.event)});
  }
  return fmt::format("\nHeaviest subtrees, of those that begin on level {}\n",
                     report.shape.heaviest_depth) +
         table.text();
}

std::string events_text(const TreeReport& report, EventLabels& labels) {
  const std::vector<EventUse> uses = event_uses(report.shape);
  const std::size_t shown = report.all_events ? uses.size() : std::min(report.top, uses.size());
  std::vector<std::string> header = {"event", "new states", "share", "levels"};
  if (report.survey != nullptr) header.emplace_back("enabled in");
  header.emplace_back("action");
  Table table(std::move(header));
  for (std::size_t i = 0; i < shown; ++i) {
    const EventUse& use = uses[i];
    std::vector<std::string> row = {std::to_string(use.event), format_count(use.reached),
                                    format_share(use.reached, report.shape.states - 1),
                                    range_text(use.first_level, use.last_level)};
    if (report.survey != nullptr) row.push_back(format_count(fired(*report.survey, use.event)));
    row.push_back(labels.brief(use.event));
    table.add(std::move(row));
  }
  std::string text = "\nEvents, by the states that they were first to reach\n" + table.text();
  if (shown < uses.size()) {
    text += fmt::format("  and {} more; --events shows all\n", format_count(uses.size() - shown));
  }
  return text;
}

std::string list_text(const TreeReport& report, const std::vector<Event>& events,
                      EventLabels& labels) {
  std::string text;
  const std::size_t shown = report.all_events ? events.size() : std::min(report.top, events.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("  {:>5}  {}\n", events[i], labels.brief(events[i]));
  }
  if (shown < events.size()) {
    text += fmt::format("  and {} more; --events shows all\n", format_count(events.size() - shown));
  }
  return text;
}

// Dead code, or what may be.
std::string unused_text(const TreeReport& report, EventLabels& labels) {
  if (report.model.events().empty()) {
    return "\nThe model's events have no fixed numbers: which never fire cannot be told.\n";
  }
  const std::size_t all = report.model.events().size();
  if (report.survey != nullptr) {
    const std::vector<Event> never = events_that_never_fire(report);
    if (never.empty()) return fmt::format("\nEach of the {} events fires somewhere.\n", all);
    return fmt::format("\nEvents that never fire: {} of {}{}\n", never.size(), all,
                       report.all_states ? "" : ", so far") +
           list_text(report, never, labels);
  }
  const std::vector<Event> without = events_without_new_states(report);
  if (without.empty()) return fmt::format("\nEach of the {} events fires somewhere.\n", all);
  return fmt::format(
             "\nEvents that reached no new state: {} of {}; --survey tells which of them never "
             "fire\n",
             without.size(), all) +
         list_text(report, without, labels);
}

// --- for programs ---

Json subtree_json(const TreeShape::Subtree& subtree, EventLabels& labels) {
  Json json = {{"root", subtree.root}, {"states", subtree.states}};
  if (subtree.root != 0) {
    json["predecessor"] = subtree.predecessor;
    json["event"] = subtree.event;
    json["action"] = labels(subtree.event);
  }
  return json;
}

Json events_json(const TreeReport& report, EventLabels& labels) {
  std::map<Event, std::uint64_t> reached(report.shape.events.begin(), report.shape.events.end());
  for (Event event = 0; event < report.model.events().size(); ++event) {
    reached.try_emplace(event, 0);
  }
  if (report.survey != nullptr) {
    for (const auto& [event, count] : report.survey->fired) reached.try_emplace(event, 0);
  }
  Json events = Json::array();
  for (const auto& [event, count] : reached) {
    Json entry = {{"event", event}, {"action", labels(event)}, {"new_states", count}};
    if (report.survey != nullptr) entry["enabled_in"] = fired(*report.survey, event);
    events.push_back(std::move(entry));
  }
  return events;
}

Json levels_json(const TreeReport& report, EventLabels& labels) {
  Json levels = Json::array();
  for (std::uint32_t level = 0; level < report.tree.depth(); ++level) {
    const TreeShape::Level& about = report.shape.levels[level];
    Json entry = {{"level", level},
                  {"states", about.states},
                  {"leaves", about.leaves},
                  {"max_children", about.max_children},
                  {"heaviest", subtree_json(about.heaviest, labels)}};
    if (report.survey != nullptr) {
      entry["transitions"] = report.survey->levels[level].transitions;
      entry["deadlocks"] = report.survey->levels[level].deadlocks;
    }
    Json& events = entry["events"] = Json::array();
    for (const auto& [event, count] : about.events) events.push_back({event, count});
    levels.push_back(std::move(entry));
  }
  return levels;
}

}  // namespace

std::string tree_text(const TreeReport& report) {
  EventLabels labels(report.model);
  std::string text = fmt::format("{}: the tree of {} states\n{}", report.model_name,
                                 format_count(report.shape.states), report.warning);
  text += summary_text(report);
  text += levels_text(report);
  text += children_text(report.shape);
  text += sizes_text(report.shape);
  text += heaviest_text(report, labels);
  if (!report.shape.events.empty()) text += events_text(report, labels);
  return text + unused_text(report, labels);
}

Json tree_json(const TreeReport& report) {
  EventLabels labels(report.model);
  const TreeShape& shape = report.shape;
  Json json;
  json["model"] = report.model_name;
  json["states"] = shape.states;
  json["all_states"] = report.all_states;
  json["levels"] = report.tree.depth();
  json["longest_path"] = {{"events", report.tree.depth() - 1}, {"state", deepest(report)}};
  json["leaves"] = shape.leaves;
  json["branching"] = branching(shape);
  json["max_children"] = shape.max_children;
  json["widest_branching"] = shape.widest_branching;
  json["transitions"] = transitions(report);
  if (const TransitionShares* shares = report.shares) {
    json["forward"] = shares->forward;
    json["same_level"] = shares->level;
    json["backward"] = shares->backward;
    json["longest_backward"] = shares->longest;
  }
  json["deadlocks"] = deadlocks(report);
  json["first_deadlock"] = nullptr;
  if (const std::optional<StateId> first = first_deadlock(report)) {
    json["first_deadlock"] = {{"state", *first}, {"depth", report.tree.level_of(*first)}};
  }
  json["children"] = shape.children;
  json["subtree_sizes"] = shape.subtree_sizes;
  json["heaviest_depth"] = shape.heaviest_depth;
  Json& heaviest = json["heaviest"] = Json::array();
  for (const TreeShape::Subtree& subtree : shape.heaviest) {
    heaviest.push_back(subtree_json(subtree, labels));
  }
  json["events"] = events_json(report, labels);
  json["events_without_new_states"] = events_without_new_states(report);
  json["events_that_never_fire"] = nullptr;
  if (report.survey != nullptr) json["events_that_never_fire"] = events_that_never_fire(report);
  json["level_table"] = levels_json(report, labels);
  return json;
}

std::string tree_levels_csv(const TreeReport& report) {
  EventLabels labels(report.model);
  std::string text = csv_line({"level", "states", "leaves", "children", "max_children",
                               "heaviest_root", "heaviest_states", "heaviest_event",
                               "heaviest_action", "transitions", "deadlocks"});
  for (std::uint32_t level = 0; level < report.tree.depth(); ++level) {
    const TreeShape::Level& about = report.shape.levels[level];
    const std::uint64_t children =
        level + 1 < report.tree.depth() ? report.tree.size(level + 1) : 0;
    std::vector<std::string> cells = {std::to_string(level),
                                      std::to_string(about.states),
                                      std::to_string(about.leaves),
                                      std::to_string(children),
                                      std::to_string(about.max_children),
                                      std::to_string(about.heaviest.root),
                                      std::to_string(about.heaviest.states),
                                      "",
                                      "",
                                      "",
                                      ""};
    if (level > 0) {
      cells[7] = std::to_string(about.heaviest.event);
      cells[8] = labels(about.heaviest.event);
    }
    if (report.survey != nullptr) {
      cells[9] = std::to_string(report.survey->levels[level].transitions);
      cells[10] = std::to_string(report.survey->levels[level].deadlocks);
    }
    text += csv_line(cells);
  }
  return text;
}

std::string tree_events_csv(const TreeReport& report) {
  EventLabels labels(report.model);
  std::string text = csv_line({"level", "event", "action", "new_states"});
  for (std::uint32_t level = 0; level < report.tree.depth(); ++level) {
    for (const auto& [event, count] : report.shape.levels[level].events) {
      text += csv_line(
          {std::to_string(level), std::to_string(event), labels(event), std::to_string(count)});
    }
  }
  return text;
}

}  // namespace comback::tools
