#include "tools/tree_drawing.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/stored_trace.h"
#include "tools/dot.h"
#include "tools/event_labels.h"
#include "tools/quantity.h"
#include "tools/trace_report.h"

namespace comback::tools {
namespace {

using Descriptor = std::vector<std::byte>;

class Drawing {
 public:
  Drawing(const ExportedRun& run, const TreeDrawing& drawing, ResultStream& out)
      : run_(&run),
        drawing_(&drawing),
        out_(&out),
        labels_(run.model),
        reader_(*run.tree.backedges) {
    for (const Violation& violation : run.summary.violations) {
      violations_.emplace(violation.state, violation.what);
    }
  }

  Status write() {
    const auto levels = subtree_levels(run_->tree, drawing_->range);
    if (!levels) return levels.error();
    if (Status status = begin(); !status) return status;
    for (const SubtreeLevel& level : *levels) {
      for (StateId id = level.first; id < level.end; ++id) {
        if (Status status = draw(id); !status) return status;
      }
      above_ = std::move(here_);
      here_.clear();
    }
    if (Status status = count_left_out(*levels); !status) return status;
    out_->write("}\n");
    return Done{};
  }

 private:
  Status begin() {
    const StateId root = drawing_->range.root;
    out_->write(
        fmt::format("digraph tree {{\n"
                    "  label=\"{}: the backedge tree from state {}\";\n"
                    "  labelloc=t;\n"
                    "  node [shape=box, fontname=\"monospace\"];\n"
                    "  edge [fontname=\"monospace\"];\n",
                    dot_escaped(run_->model_name), root));
    auto trace = stored_trace(run_->model, run_->tree, root);
    if (!trace) return trace.error();
    root_ = trace->states.back();
    return Done{};
  }

  Status draw(StateId id) {
    const auto edge = reader_.find(id);
    if (!edge) return edge.error();
    const bool root = id == drawing_->range.root;
    const Descriptor* before = nullptr;
    Descriptor state = root_;
    if (!root) {
      before = &above_.at(edge->predecessor);
      state = *before;
      state.resize(run_->model.width() + kDescriptorSlack);
      run_->model.execute(state.data(), edge->event);
      state.resize(run_->model.width());
    }
    node(id, state, before);
    if (!root) {
      const std::string what = run_->model.describe_event(before->data(), edge->event);
      out_->write(fmt::format("  s{} -> s{} [label=\"{}\", tooltip=\"{}\"];\n", edge->predecessor,
                              id, dot_escaped(labels_.brief(edge->event)), dot_escaped(what)));
    }
    here_.emplace(id, std::move(state));
    return Done{};
  }

  // What is different from the state above, or everything in the root.
  void node(StateId id, const Descriptor& state, const Descriptor* before) {
    constexpr std::size_t kColumns = 40;
    std::string label = std::to_string(id);
    if (drawing_->states) {
      const auto parts =
          assignments(run_->model, state.data(), before == nullptr ? nullptr : before->data());
      label += "\n" + (parts.empty() ? "nothing changes\n" : wrapped(parts, "", kColumns));
    }
    std::string tooltip = describe_state(run_->model, state.data());
    std::string style;
    if (const auto violation = violations_.find(id); violation != violations_.end()) {
      style = ", peripheries=2, color=red";
      tooltip = violation->second + "\n" + tooltip;
    }
    out_->write(fmt::format("  s{} [label=\"{}\", tooltip=\"{}\"{}];\n", id, dot_escaped(label),
                            dot_escaped(tooltip), style));
  }

  // Children of the states on the last two levels that are drawn can be missing.
  Status count_left_out(const std::vector<SubtreeLevel>& levels) {
    std::map<StateId, std::uint64_t> left_out;
    for (std::size_t l = levels.size() < 2 ? 0 : levels.size() - 2; l < levels.size(); ++l) {
      auto children = children_of(run_->tree, reader_, levels[l]);
      if (!children) return children.error();
      if (l + 1 < levels.size()) children->first = levels[l + 1].end;
      for (StateId id = children->first; id < children->end; ++id) {
        const auto edge = reader_.find(id);
        if (!edge) return edge.error();
        ++left_out[edge->predecessor];
      }
    }
    for (const auto& [id, count] : left_out) {
      out_->write(
          fmt::format("  more{0} [label=\"{1} more\", shape=plaintext];\n"
                      "  s{0} -> more{0} [style=dashed, arrowhead=none];\n",
                      id, format_count(count)));
    }
    return Done{};
  }

  const ExportedRun* run_;
  const TreeDrawing* drawing_;
  ResultStream* out_;
  EventLabels labels_;
  DiskBackedges::Reader reader_;
  std::unordered_map<StateId, std::string> violations_;
  Descriptor root_;
  std::unordered_map<StateId, Descriptor> above_;  // the states of the level above that are drawn
  std::unordered_map<StateId, Descriptor> here_;
};

}  // namespace

Status write_tree_dot(const ExportedRun& run, const TreeDrawing& drawing, ResultStream& out) {
  return Drawing(run, drawing, out).write();
}

}  // namespace comback::tools
