#include "tools/export_formats.h"

#include <fmt/format.h>

#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/csv.h"
#include "tools/event_labels.h"

namespace comback::tools {
namespace {

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Readers end a label at the next quotation mark, and know no way to write one.
std::string aut_label(std::string label) {
  for (char& c : label) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return "\"" + label + "\"";
}

std::string csv_cell(const std::string& text) {
  std::string line = csv_line({text});
  line.pop_back();
  return line;
}

// An event's label as a format writes it, made once.
class WrittenLabels {
 public:
  using Write = std::string (*)(std::string label);
  WrittenLabels(const Model& model, ExportLabels kind, Write write)
      : labels_(model), kind_(kind), write_(write) {}

  const std::string& operator()(Event event) {
    if (written_.size() >= kMost) written_.clear();
    const auto [place, added] = written_.try_emplace(event);
    if (added) {
      place->second =
          write_(kind_ == ExportLabels::kWords ? labels_(event) : std::to_string(event));
    }
    return place->second;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  EventLabels labels_;
  ExportLabels kind_;
  Write write_;
  std::unordered_map<Event, std::string> written_;
};

std::string json_head(const ExportedRun& run) {
  return fmt::format("{{\n\"model\": {},\n\"complete\": {},\n\"states\": {},\n",
                     json_string(run.model_name), run.complete, run.tree.states());
}

// Calls each(line, id, level, edge) for every state of the range, which adds to the line, and
// writes the lines.
template <class Each>
Status write_states(const ExportedRun& run, const SubtreeRange& range, ResultStream& out,
                    const Monitor& monitor, Each&& each) {
  const auto levels = subtree_levels(run.tree, range);
  if (!levels) return levels.error();
  DiskBackedges::Reader reader(*run.tree.backedges);
  std::string text;
  for (const SubtreeLevel& level : *levels) {
    for (StateId id = level.first; id < level.end;) {
      const auto block = reader.block(id);
      if (!block) return block.error();
      const StateId end = std::min(level.end, (*block)->first_id + (*block)->size());
      text.clear();
      for (; id < end; ++id) each(text, id, level.level, (*block)->at(id));
      out.write(text);
      if (!out.status() || monitor.stop_requested()) return Done{};
    }
  }
  return Done{};
}

// The same for transitions.
template <class Each>
Status write_transitions(const TransitionGraph& graph, ResultStream& out, const Monitor& monitor,
                         Each&& each) {
  std::string text;
  return graph.visit([&](std::span<const GraphTransition> transitions) -> Result<bool> {
    text.clear();
    for (const GraphTransition& transition : transitions) each(text, transition);
    out.write(text);
    return static_cast<bool>(out.status()) && !monitor.stop_requested();
  });
}

}  // namespace

// --- the level table ---

void write_levels_csv(const ExportedRun& run, ResultStream& out) {
  out.write("level,first_id,states\n");
  for (std::uint32_t level = 0; level < run.tree.depth(); ++level) {
    out.write(fmt::format("{},{},{}\n", level, run.tree.first(level), run.tree.size(level)));
  }
}

void write_levels_json(const ExportedRun& run, ResultStream& out) {
  out.write(json_head(run));
  out.write(fmt::format("\"verdict\": \"{}\",\n\"transitions\": {},\n\"deadlocks\": {},\n",
                        to_string(run.summary.verdict), run.summary.transitions,
                        run.summary.deadlocks));
  out.write("\"levels\": [");
  for (std::uint32_t level = 0; level < run.tree.depth(); ++level) {
    out.write(fmt::format("{}\n{{\"level\": {}, \"first_id\": {}, \"states\": {}}}",
                          level == 0 ? "" : ",", level, run.tree.first(level),
                          run.tree.size(level)));
  }
  out.write("\n]\n}\n");
}

// --- the tree ---

Status write_tree_csv(const ExportedRun& run, const SubtreeRange& range, ExportLabels labels,
                      ResultStream& out, const Monitor& monitor) {
  const bool words = labels == ExportLabels::kWords;
  WrittenLabels label(run.model, labels, [](std::string text) { return csv_cell(text); });
  out.write(words ? "id,predecessor,event,level,label\n" : "id,predecessor,event,level\n");
  return write_states(
      run, range, out, monitor,
      [&](std::string& text, StateId id, std::uint32_t level, const Backedge& edge) {
        const auto to = std::back_inserter(text);
        if (id == 0) {
          fmt::format_to(to, "0,,,0{}\n", words ? "," : "");
        } else if (words) {
          fmt::format_to(to, "{},{},{},{},{}\n", id, edge.predecessor, edge.event, level,
                         label(edge.event));
        } else {
          fmt::format_to(to, "{},{},{},{}\n", id, edge.predecessor, edge.event, level);
        }
      });
}

Status write_tree_json(const ExportedRun& run, const SubtreeRange& range, ExportLabels labels,
                       ResultStream& out, const Monitor& monitor) {
  WrittenLabels label(run.model, labels, [](std::string text) { return json_string(text); });
  out.write(json_head(run) + "\"tree\": [");
  bool first = true;
  const Status status =
      write_states(run, range, out, monitor,
                   [&](std::string& text, StateId id, std::uint32_t level, const Backedge& edge) {
                     const auto to = std::back_inserter(text);
                     fmt::format_to(to, "{}\n{{\"id\": {}, ", first ? "" : ",", id);
                     first = false;
                     if (id == 0) {
                       fmt::format_to(to, "\"predecessor\": null, \"event\": null, \"level\": 0}}");
                     } else {
                       fmt::format_to(to, "\"predecessor\": {}, \"event\": {}, \"level\": {}",
                                      edge.predecessor, edge.event, level);
                       if (labels == ExportLabels::kWords) {
                         fmt::format_to(to, ", \"label\": {}", label(edge.event));
                       }
                       text += '}';
                     }
                   });
  out.write("\n]\n}\n");
  return status;
}

// --- the full graph ---

Status write_graph_aut(const ExportedRun& run, const TransitionGraph& graph, ExportLabels labels,
                       ResultStream& out, const Monitor& monitor) {
  WrittenLabels label(run.model, labels, aut_label);
  out.write(fmt::format("des (0, {}, {})\n", graph.transitions(), run.tree.states()));
  return write_transitions(graph, out, monitor, [&](std::string& text, const GraphTransition& t) {
    fmt::format_to(std::back_inserter(text), "({}, {}, {})\n", t.from, label(t.event), t.to);
  });
}

Status write_graph_csv(const ExportedRun& run, const TransitionGraph& graph, ExportLabels labels,
                       ResultStream& out, const Monitor& monitor) {
  const bool words = labels == ExportLabels::kWords;
  WrittenLabels label(run.model, labels, [](std::string text) { return csv_cell(text); });
  out.write(words ? "from,event,to,label\n" : "from,event,to\n");
  return write_transitions(graph, out, monitor, [&](std::string& text, const GraphTransition& t) {
    fmt::format_to(std::back_inserter(text), "{},{},{}", t.from, t.event, t.to);
    if (words) text += "," + label(t.event);
    text += '\n';
  });
}

Status write_graph_json(const ExportedRun& run, const TransitionGraph& graph, ExportLabels labels,
                        ResultStream& out, const Monitor& monitor) {
  WrittenLabels label(run.model, labels, [](std::string text) { return json_string(text); });
  out.write(json_head(run));
  out.write(fmt::format("\"transitions\": {},\n\"graph\": [", graph.transitions()));
  bool first = true;
  const Status status =
      write_transitions(graph, out, monitor, [&](std::string& text, const GraphTransition& t) {
        fmt::format_to(std::back_inserter(text), "{}\n{{\"from\": {}, \"event\": {}, \"to\": {}",
                       first ? "" : ",", t.from, t.event, t.to);
        first = false;
        if (labels == ExportLabels::kWords) text += ", \"label\": " + label(t.event);
        text += '}';
      });
  out.write("\n]\n}\n");
  return status;
}

}  // namespace comback::tools
