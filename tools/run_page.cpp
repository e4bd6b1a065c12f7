#include "tools/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/event_labels.h"
#include "tools/quantity.h"
#include "tools/run_page_style.h"
#include "tools/share.h"
#include "tools/svg_plot.h"
#include "tools/trace_report.h"

#ifndef COMBACK_VERSION
#error "COMBACK_VERSION comes from CMakeLists.txt"
#endif

namespace comback::tools {
namespace {

constexpr std::size_t kPoints = 400;    // of a plot
constexpr std::size_t kRows = 500;      // of a table; comback tree and export have the rest
constexpr std::size_t kStepsEnd = 200;  // of a long trace, at either end

std::string escaped(const std::string& text) { return xml_escaped(text); }

// Of a few models guards alone fill a screen.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 240;
  return text.size() <= kMost ? text : text.substr(0, kMost) + " ...";
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

// What scrolls sideways on a narrow screen can be reached with the keyboard, too.
std::string scrolled(std::string_view label, const std::string& content) {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{}</div>\n", label,
      content);
}

// The columns that a table has; a name that begins with # is of numbers.
class HtmlTable {
 public:
  HtmlTable(std::string_view caption, const std::vector<std::string>& columns) {
    text_ =
        fmt::format("<table>\n<caption>{}</caption>\n<thead><tr>", escaped(std::string(caption)));
    for (const std::string& column : columns) {
      numbers_.push_back(column[0] == '#');
      text_ += numbers_.back()
                   ? fmt::format("<th scope=\"col\" class=\"n\">{}</th>", column.substr(1))
                   : fmt::format("<th scope=\"col\">{}</th>", column);
    }
    text_ += "</tr></thead>\n<tbody>\n";
  }
  // Cells are HTML.
  void add(const std::vector<std::string>& cells) {
    text_ += "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text_ += fmt::format("<td{}>{}</td>", numbers_[i] ? " class=\"n\"" : "", cells[i]);
    }
    text_ += "</tr>\n";
  }
  std::string text() const { return text_ + "</tbody>\n</table>\n"; }

 private:
  std::vector<bool> numbers_;
  std::string text_;
};

std::string section(std::string_view id, std::string_view title, const std::string& content) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n",
      id, title, content);
}

std::string unfolds(const std::string& summary, const std::string& content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", summary, content);
}

class Page {
 public:
  explicit Page(const RunPage& page)
      : page_(&page),
        model_(page.run.model.get()),
        summary_(&page.run.stored->record().summary),
        tree_(&page.run.stored->tree()),
        labels_(*model_) {}

  std::string html() {
    const std::string title = escaped(page_->run.directory.header().model);
    std::string body = section("summary", "Summary", tiles());
    std::string nav = link("summary", "Summary");
    const auto add = [&](const char* id, const char* heading, const std::string& content) {
      if (content.empty()) return;
      body += section(id, heading, content);
      nav += link(id, heading);
    };
    add("findings", "Deadlocks and violations", findings());
    add("levels", "Levels", levels());
    add("time", "Throughput and phases", time());
    add("resources", "Memory and disk", resources());
    add("tree", "Shape of the tree", tree());
    add("events", "Events", events());
    add("settings", "Settings", settings());
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n"
        "<title>{0}: a state space explored by comback</title>\n{1}{2}</head>\n<body>\n"
        "<a class=\"skip\" href=\"#main\">Skip to the contents</a>\n"
        "<header>\n<h1>{0}</h1>\n{3}</header>\n"
        "<nav aria-label=\"Sections\"><ul>{4}</ul></nav>\n<main id=\"main\">\n{5}</main>\n"
        "<footer><p>Made by comback {6} from <code>{7}</code> on "
        "{8}.</p></footer>\n</body>\n</html>\n",
        title, svg_plot_style(), kRunPageStyle, verdict(), nav, body, COMBACK_VERSION,
        escaped(page_->dir), escaped(page_->made));
  }

 private:
  static std::string link(std::string_view id, std::string_view text) {
    return fmt::format("<li><a href=\"#{}\">{}</a></li>", id, text);
  }

  // A sign beside the colour, for those who do not see it.
  std::string verdict() const {
    const Verdict verdict = summary_->verdict;
    std::string kind = "bad";
    std::string words = "&#10007; ";
    if (verdict == Verdict::kComplete) {
      kind = "good";
      words = "&#10003; Complete, nothing violated";
    } else if (verdict == Verdict::kIncomplete) {
      kind = "wait";
      words = "&#8230; Incomplete";
    } else if (verdict == Verdict::kDeadlock) {
      words += "There is a deadlock";
    } else if (verdict == Verdict::kAssertion) {
      words += "An assertion fails";
    } else if (verdict == Verdict::kInvariant) {
      words += "An invariant is violated";
    } else {
      words += "The model fails";
    }
    std::string text = fmt::format("<p class=\"verdict {}\">{}</p>\n", kind, words);
    if (!page_->warning.empty()) text += fmt::format("<p>{}</p>\n", escaped(page_->warning));
    return text;
  }

  std::string tiles() const {
    std::string text = "<dl class=\"tiles\">\n";
    const auto add = [&](std::string_view name, const std::string& value, const std::string& more) {
      text += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", name, value,
                          more.empty() ? "" : fmt::format(" <small>{}</small>", more));
    };
    const double states = static_cast<double>(std::max<std::uint64_t>(1, summary_->states));
    add("States", format_count(summary_->states), "");
    add("Transitions", format_count(summary_->transitions),
        fmt::format("{:.2f} a state", static_cast<double>(summary_->transitions) / states));
    add("Deadlocks", format_count(summary_->deadlocks), "");
    add("Levels", format_count(tree_->depth()),
        fmt::format("the widest has {}", plural(tree_->widest(), "state")));
    add("Time", format_duration(summary_->seconds),
        summary_->seconds > 0
            ? format_rate(static_cast<double>(summary_->states) / summary_->seconds, "states")
            : "");
    if (summary_->disk_bytes > 0) {
      add("Disk", format_size(summary_->disk_bytes),
          fmt::format("{:.2f} bytes a state", static_cast<double>(summary_->disk_bytes) / states));
    }
    std::uint64_t memory = summary_->visited_bytes;
    for (const Metrics& point : page_->timeline) memory = std::max(memory, point.memory);
    add("Memory", format_size(memory), "held by tables and queues, at most");
    return text + "</dl>\n";
  }

  // --- ways to states ---

  std::string step(std::size_t number, const Trace& trace) const {
    std::string text = fmt::format("<li value=\"{}\">", number);
    if (number == 0) {
      text += "<span class=\"step\">initial state</span>";
    } else {
      text += fmt::format("<span class=\"step\">{}</span>",
                          escaped(model_->describe_event(trace.states[number - 1].data(),
                                                         trace.events[number - 1])));
    }
    const auto parts = assignments(*model_, trace.states[number].data(),
                                   number == 0 ? nullptr : trace.states[number - 1].data());
    std::string changes;
    for (const std::string& part : parts) changes += (changes.empty() ? "" : ", ") + part;
    text += fmt::format("<div class=\"step changes\">{}</div></li>\n",
                        parts.empty() ? "nothing changes" : escaped(changes));
    return text;
  }

  std::string shown(const ShownState& state, std::size_t number) const {
    const std::size_t steps = state.trace.events.size();
    std::string list;
    for (std::size_t i = 0; i <= steps; ++i) {
      if (i == kStepsEnd && steps > 2 * kStepsEnd) {
        i = steps - kStepsEnd;
        list += fmt::format(
            "</ol>\n<p class=\"soft\">{} more steps: <code>comback trace {} --state {}</code> "
            "shows "
            "them.</p>\n<ol class=\"trace\">\n",
            format_count(i - kStepsEnd), escaped(page_->dir), state.id);
      }
      list += step(i, state.trace);
    }
    if (state.failing) {
      list += fmt::format(
          "<li class=\"fails\" value=\"{}\"><span class=\"step\">{}</span><div>this step "
          "fails</div></li>\n",
          steps + 1,
          escaped(model_->describe_event(state.trace.states.back().data(), *state.failing)));
    }
    return fmt::format(
        "<details class=\"trace\"{}>\n<summary>{} <small>state {}, {}</small></summary>\n"
        "<ol class=\"trace\">\n{}</ol>\n</details>\n",
        number == 0 && steps <= 40 ? " open" : "", escaped(state.what), state.id,
        steps == 0 ? "the initial state" : plural(steps, "event") + " from the initial state",
        list);
  }

  std::string findings() const {
    if (page_->shown.empty()) {
      return page_->complete ? "<p>No state is a deadlock, and nothing is violated.</p>\n"
                             : "<p>No deadlock and no violation was found so far.</p>\n";
    }
    std::string text =
        "<p>The shortest way to each, step by step; below each event, what it changed.</p>\n";
    for (std::size_t i = 0; i < page_->shown.size(); ++i) text += shown(page_->shown[i], i);
    return text;
  }

  // --- levels ---

  std::string levels() const {
    const auto& about = page_->shape.levels;
    SvgPlot plot;
    plot.title = "States and leaves of each level";
    plot.x_label = "level";
    plot.y_label = "states";
    plot.embedded = true;
    SvgPlot::Series sizes{.name = "states", .points = {}, .marks = false, .filled = true};
    SvgPlot::Series leaves{.name = "leaves", .points = {}, .marks = false};
    const std::size_t bucket = (about.size() + kPoints - 1) / kPoints;
    for (std::size_t first = 0; first < about.size(); first += bucket) {
      double most = 0;
      double most_leaves = 0;
      for (std::size_t l = first; l < std::min(about.size(), first + bucket); ++l) {
        most = std::max(most, static_cast<double>(about[l].states));
        most_leaves = std::max(most_leaves, static_cast<double>(about[l].leaves));
      }
      sizes.points.push_back({static_cast<double>(first), most});
      leaves.points.push_back({static_cast<double>(first), most_leaves});
    }
    plot.series = {sizes, leaves};
    std::string text =
        "<p>States by their distance from the initial state. Leaves are states from which no new "
        "state was reached.</p>\n" +
        scrolled("Plot of the levels", plot.text());
    const bool surveyed = page_->survey && !page_->survey->interrupted;
    std::vector<std::string> columns = {"#Level", "#First id", "#States", "#Leaves"};
    if (surveyed) columns.insert(columns.end(), {"#Transitions", "#Deadlocks"});
    HtmlTable table("States of each level", columns);
    for (std::size_t l = 0; l < std::min(about.size(), kRows); ++l) {
      std::vector<std::string> cells = {
          std::to_string(l), std::to_string(tree_->first(static_cast<std::uint32_t>(l))),
          format_count(about[l].states), format_count(about[l].leaves)};
      if (surveyed) {
        cells.push_back(format_count(page_->survey->levels[l].transitions));
        cells.push_back(format_count(page_->survey->levels[l].deadlocks));
      }
      table.add(cells);
    }
    std::string rest;
    if (about.size() > kRows) {
      rest = fmt::format(
          "<p class=\"soft\">The first {} levels of {}. <code>comback export {} --format csv "
          "--what "
          "levels</code> writes them all.</p>\n",
          kRows, format_count(about.size()), escaped(page_->dir));
    }
    return text +
           unfolds("The levels as a table", scrolled("Table of the levels", table.text()) + rest);
  }

  // --- over time ---

  SvgPlot over_time(std::string title, std::string y_label) const {
    SvgPlot plot;
    plot.title = std::move(title);
    plot.x_label = "seconds";
    plot.y_label = std::move(y_label);
    plot.embedded = true;
    return plot;
  }

  std::string time() const {
    const auto& all = page_->timeline;
    if (all.size() < 2 || all.back().t <= all.front().t) {
      return "<p>The run was too short, or kept no metrics, to show what it did over time.</p>\n";
    }
    const auto points = thinned(all, kPoints);
    SvgPlot plot = over_time("New states a second", "states a second");
    SvgPlot::Series rate{.name = "states", .points = {}, .marks = false, .filled = true};
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double seconds = points[i].t - points[i - 1].t;
      if (seconds <= 0) continue;
      const double states = points[i].states < points[i - 1].states
                                ? 0.0
                                : static_cast<double>(points[i].states - points[i - 1].states);
      if (rate.points.empty()) rate.points.push_back({points[0].t, states / seconds});
      rate.points.push_back({points[i].t, states / seconds});
    }
    plot.series = {rate};
    return "<h3>New states a second</h3>\n" + scrolled("Plot of the throughput", plot.text()) +
           "<h3>Phases</h3>\n" + phases(all);
  }

  // A band with a piece for each stretch of time, and how long each phase took in all.
  static std::string phases(const std::vector<Metrics>& points) {
    constexpr double kLeft = 84;
    constexpr double kRight = 700;
    const double begin = points.front().t;
    const double scale = (kRight - kLeft) / (points.back().t - begin);
    std::map<std::string, double> seconds;
    std::vector<std::string> order;  // as they first came
    std::string band;
    for (std::size_t i = 1, from = 0; i < points.size(); ++i) {
      const std::string& phase = points[i].phase;
      if (seconds.emplace(phase, 0).second) order.push_back(phase);
      seconds[phase] += points[i].t - points[i - 1].t;
      if (i + 1 < points.size() && points[i + 1].phase == phase) continue;
      const auto colour = std::find(order.begin(), order.end(), phase) - order.begin();
      band += fmt::format(
          "<rect class=\"box s{}\" x=\"{:.1f}\" y=\"4\" width=\"{:.1f}\" height=\"28\"><title>{}: "
          "{:.1f} "
          "to {:.1f} s</title></rect>\n",
          colour % 6, kLeft + (points[from].t - begin) * scale,
          std::max(0.3, (points[i].t - points[from].t) * scale), escaped(phase), points[from].t,
          points[i].t);
      from = i;
    }
    HtmlTable table("How long each phase took", {"Phase", "#Time", "#Share"});
    for (std::size_t i = 0; i < order.size(); ++i) {
      table.add({fmt::format("<span class=\"swatch s{}\"></span>{}", i % 6, escaped(order[i])),
                 format_duration(seconds[order[i]]),
                 fmt::format("{:.1f}%", 100 * seconds[order[i]] / (points.back().t - begin))});
    }
    return scrolled(
               "Phases over time",
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 36\" width=\"720\" "
               "height=\"36\" role=\"img\"><title>Phases over time</title>\n" +
                   band + "</svg>\n") +
           table.text();
  }

  std::string resources() const {
    const auto points = thinned(page_->timeline, kPoints);
    constexpr double kMib = 1 << 20;
    std::string text;
    if (points.size() >= 2) {
      SvgPlot memory = over_time("Memory held by tables and queues", "MiB");
      SvgPlot disk = over_time("Size of the run directory", "MiB");
      SvgPlot::Series held{.name = "memory", .points = {}, .marks = false, .filled = true};
      SvgPlot::Series stored{.name = "disk", .points = {}, .marks = false, .filled = true};
      for (const Metrics& point : points) {
        held.points.push_back({point.t, static_cast<double>(point.memory) / kMib});
        stored.points.push_back({point.t, static_cast<double>(point.disk) / kMib});
      }
      memory.series = {held};
      disk.series = {stored};
      text += "<h3>Memory</h3>\n" + scrolled("Plot of the memory", memory.text()) +
              "<h3>Disk</h3>\n" + scrolled("Plot of the disk", disk.text());
    }
    if (summary_->disk_bytes > 0) {
      const auto& parts = summary_->disk_parts;
      HtmlTable table("What is on disk at the end", {"Part", "#Size", "#Bytes a state"});
      const auto add = [&](const char* name, std::uint64_t bytes) {
        table.add({name, format_size(bytes),
                   fmt::format("{:.2f}", static_cast<double>(bytes) /
                                             static_cast<double>(
                                                 std::max<std::uint64_t>(1, summary_->states)))});
      };
      add("State table", parts.states);
      add("Backedges", parts.backedges);
      add("Descriptors of kept levels", parts.levels);
      add("All of the run directory", summary_->disk_bytes);
      text += table.text();
    }
    return text;
  }

  // --- the tree ---

  std::string tree() {
    const TreeShape& shape = page_->shape;
    const std::uint64_t inner = shape.states - shape.leaves;
    std::string text = fmt::format(
        "<p>Every state hangs below the one that first reached it. {} of the states ({}) are "
        "leaves; the others have {:.2f} children on average, and state {} has the most, {}.</p>\n",
        format_count(shape.leaves), format_share(shape.leaves, shape.states),
        inner == 0 ? 0.0 : static_cast<double>(shape.states - 1) / static_cast<double>(inner),
        shape.widest_branching, format_count(shape.max_children));
    text += fmt::format(
        "<p>Each box is a subtree, as wide as its share of the states, and below the one that it "
        "is "
        "part of; the numbers are levels. Subtrees with less than one in {} states are left "
        "out{}{}.</p>\n",
        TreePicture::kShares,
        page_->picture.every == 1
            ? std::string()
            : fmt::format(", and all levels but one in {}", page_->picture.every),
        page_->picture.legend.empty() ? "" : ". The colour is that of the process that acts");
    if (!page_->picture.legend.empty()) {
      text += "<ul class=\"legend\">" + page_->picture.legend + "</ul>\n";
    }
    text += scrolled("Picture of the tree", page_->picture.svg);
    HtmlTable table(
        fmt::format("The largest subtrees that begin on level {}", shape.heaviest_depth),
        {"#State", "#States below", "#Share", "Reached by"});
    for (const TreeShape::Subtree& subtree : shape.heaviest) {
      table.add({std::to_string(subtree.root), format_count(subtree.states),
                 format_share(subtree.states, shape.states),
                 subtree.depth == 0
                     ? std::string("the initial state")
                     : fmt::format("<code>{}</code>", escaped(shortened(labels_(subtree.event))))});
    }
    return text + scrolled("Table of the largest subtrees", table.text());
  }

  // --- events ---

  std::string events() {
    struct Row {
      Event event = 0;
      std::uint64_t reached = 0;
      std::uint64_t fired = 0;
    };
    std::map<Event, Row> by_event;
    for (Event event = 0; event < model_->events().size(); ++event) by_event[event].event = event;
    for (const auto& [event, count] : page_->shape.events) {
      by_event[event].event = event;
      by_event[event].reached = count;
    }
    const bool surveyed = page_->survey && !page_->survey->interrupted;
    if (surveyed) {
      for (const auto& [event, count] : page_->survey->fired) {
        by_event[event].event = event;
        by_event[event].fired = count;
      }
    }
    std::vector<Row> rows;
    for (const auto& [event, row] : by_event) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.reached != b.reached ? a.reached > b.reached : a.fired > b.fired;
    });
    const auto idle =
        static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), [&](const Row& row) {
          return surveyed ? row.fired == 0 : row.reached == 0;
        }));
    std::string text;
    if (surveyed) {
      text = idle == 0 ? "<p>Every event of the model happens in some state.</p>\n"
                       : fmt::format(
                             "<p><strong>{} never {}</strong>{}: dead code, or part of the "
                             "model that nothing leads to.</p>\n",
                             plural(idle, "event"), idle == 1 ? "happens" : "happen",
                             page_->complete ? "" : " in the states found so far");
    } else {
      text = fmt::format(
          "<p>{} never reached a new state. Whether they happen at all tells "
          "<code>--survey</code>, which expands every state again.</p>\n",
          plural(idle, "event"));
    }
    std::vector<std::string> columns = {"#Event", "In words", "#New states", "#Share"};
    if (surveyed) columns.emplace_back("#Happens in");
    columns.emplace_back("<span aria-hidden=\"true\"></span>");
    HtmlTable table("Events by the number of states that they were the first to reach", columns);
    const std::uint64_t most = rows.empty() ? 0 : rows.front().reached;
    for (std::size_t i = 0; i < std::min(rows.size(), kRows); ++i) {
      const Row& row = rows[i];
      std::vector<std::string> cells = {
          std::to_string(row.event),
          fmt::format("<code>{}</code>", escaped(shortened(labels_(row.event)))),
          format_count(row.reached), format_share(row.reached, page_->shape.states)};
      if (surveyed) {
        cells.push_back(row.fired == 0 ? "<strong>never</strong>" : format_count(row.fired));
      }
      cells.push_back(
          row.reached == 0
              ? std::string()
              : fmt::format("<span class=\"share\" style=\"width:{:.2f}rem\"></span>",
                            6 * static_cast<double>(row.reached) / static_cast<double>(most)));
      table.add(cells);
    }
    text += scrolled("Table of the events", table.text());
    if (rows.size() > kRows) {
      text += fmt::format("<p class=\"soft\">The first {} events of {}.</p>\n", kRows,
                          format_count(rows.size()));
    }
    return text;
  }

  // --- settings ---

  std::string settings() const {
    const RunHeader& header = page_->run.directory.header();
    HtmlTable table("What the run was made with", {"Setting", "Value"});
    const auto add = [&](const std::string& name, const std::string& value) {
      table.add({escaped(name), "<code>" + escaped(value) + "</code>"});
    };
    add("model", header.model_path);
    add("hash of the model", fmt::format("{:016x}", header.model_hash));
    add("comback", header.comback_version);
    add("begun", header.created);
    for (const auto& [name, values] : header.options) {
      for (const std::string& value : values) {
        const bool bytes = (name == "memory" || name == "disk") &&
                           value.find_first_not_of("0123456789") == std::string::npos &&
                           value.size() < 19;
        add("--" + name, bytes ? format_size(std::stoull(value)) : value);
      }
    }
    if (!summary_->keep_levels.empty()) add("kept levels", summary_->keep_levels);
    if (!summary_->io.empty()) add("read with", summary_->io);
    add("variables", std::to_string(model_->variables().size()));
    add("bytes of a state", std::to_string(model_->width()));
    add("events executed", format_count(summary_->events));
    add("of these, to reconstruct states", format_count(summary_->reconstruction_events));
    add("hash conflicts", format_count(summary_->hash_conflicts));
    if (summary_->tree_digest) add("tree digest", fmt::format("{:016x}", *summary_->tree_digest));
    return scrolled("Table of the settings", table.text());
  }

  const RunPage* page_;
  const Model* model_;
  const Summary* summary_;
  const StoredTree* tree_;
  EventLabels labels_;
};

}  // namespace

std::string RunPage::html() const { return Page(*this).html(); }

}  // namespace comback::tools
