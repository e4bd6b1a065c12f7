#include "tools/tree_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "tools/event_labels.h"
#include "tools/quantity.h"
#include "tools/svg_plot.h"

namespace comback::tools {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 40;  // levels stand to the left of it
constexpr double kRight = 716;
constexpr std::size_t kColours = 6;

struct Box {
  double x = 0;
  double width = 0;
  double next = 0;  // where the next subtree in it begins
};

// The process that acts, as a number; past the last one where events have no process.
std::size_t process_of(const Model& model, Event event) {
  const auto events = model.events();
  if (event >= events.size()) return model.processes().size();
  return std::min<std::size_t>(events[event].process, model.processes().size());
}

}  // namespace

TreeShapeOptions TreePicture::options_for(const StoredTree& tree, std::uint64_t memory_bytes) {
  TreeShapeOptions options;
  options.memory_bytes = memory_bytes;
  options.large = std::max<std::uint64_t>(1, tree.states() / kShares);
  options.large_every = std::max<std::uint32_t>(1, (tree.depth() + kRows - 1) / kRows);
  return options;
}

Result<TreePicture> draw_tree(const Model& model, const StoredTree& tree, const TreeShape& shape,
                              const TreeShapeOptions& options) {
  const double rows =
      1 + (shape.large.empty() ? 0.0 : shape.large.back().depth) / options.large_every;
  const double row_height = std::clamp(420 / rows, 7.0, 24.0);
  const double height = rows * row_height + 4;
  const double scale = (kRight - kLeft) / static_cast<double>(shape.states);

  TreePicture picture;
  picture.every = options.large_every;
  picture.svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
      "height=\"{1:.0f}\" role=\"img\" class=\"icicle\">\n<title>The tree of all states: each box "
      "is "
      "a subtree, as wide as its share of the states</title>\n",
      kWidth, height);
  EventLabels labels(model);
  DiskBackedges::Reader reader(*tree.backedges);
  std::unordered_map<StateId, Box> above;
  std::unordered_map<StateId, Box> here;
  std::set<std::size_t> processes;
  std::uint32_t level = 0;
  for (const TreeShape::Subtree& subtree : shape.large) {
    if (subtree.depth != level) {
      above = std::move(here);
      here.clear();
      level = subtree.depth;
    }
    Box box{kLeft, static_cast<double>(subtree.states) * scale, kLeft};
    if (subtree.depth > 0) {
      StateId ancestor = subtree.root;
      for (std::uint32_t up = 0; up < options.large_every; ++up) {
        const Result<Backedge> edge = reader.find(ancestor);
        if (!edge) return edge.error();
        ancestor = edge->predecessor;
      }
      const auto parent = above.find(ancestor);  // as large at least, so it is there
      if (parent == above.end()) {
        return Error{Errc::kCorruption, "a subtree is larger than the one it is part of"};
      }
      box.x = box.next = parent->second.next;
      parent->second.next += box.width;
    }
    const double y = subtree.depth / options.large_every * row_height + 2;
    const bool initial = subtree.depth == 0;
    const std::size_t process = process_of(model, subtree.event);
    if (!initial && process < model.processes().size()) processes.insert(process);
    const bool coloured = !initial && process < model.processes().size();
    picture.svg += fmt::format(
        "<rect class=\"box {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\"><title>"
        "state {} on level {}: {} states, {:.1f}%{}</title></rect>\n",
        coloured ? fmt::format("s{}", process % kColours) : std::string("plain"), box.x, y,
        std::max(0.4, box.width - 0.6), row_height - 1, subtree.root, subtree.depth,
        format_count(subtree.states),
        100.0 * static_cast<double>(subtree.states) / static_cast<double>(shape.states),
        initial ? std::string() : "; " + xml_escaped(labels.brief(subtree.event)));
    if (here.empty() && (subtree.depth / options.large_every) % (row_height < 12 ? 4 : 2) == 0) {
      picture.svg += fmt::format(
          "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\" font-size=\"11\">{}</text>\n", kLeft - 8,
          y + row_height / 2 + 3, subtree.depth);
    }
    here.emplace(subtree.root, box);
  }
  picture.svg += "</svg>\n";
  for (const std::size_t process : processes) {
    picture.legend += fmt::format("<li><span class=\"swatch s{}\"></span>{}</li>",
                                  process % kColours, xml_escaped(model.processes()[process].name));
  }
  return picture;
}

}  // namespace comback::tools
