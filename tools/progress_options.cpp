#include "tools/progress_options.h"

#include <CLI/CLI.hpp>

#include "tools/option_types.h"

namespace comback::tools {

void ProgressOptions::add_to(CLI::App& command) {
  add_choice<ProgressStyle>(command, "--progress",
                            {{"auto", ProgressStyle::kAuto},
                             {"bar", ProgressStyle::kBar},
                             {"plain", ProgressStyle::kPlain},
                             {"none", ProgressStyle::kNone}},
                            style,
                            "On standard error: a live line (bar), a line per interval (plain) or "
                            "nothing; auto is bar on a terminal")
      ->group("Output");
  add_duration(command, "--progress-interval", interval,
               "With --progress plain: time from line to line; default 5s")
      ->group("Output");
}

ProgressReporter::Settings ProgressOptions::settings(std::uint64_t budget_bytes,
                                                     std::chrono::duration<double> patience) const {
  return {.style = style,
          .interval = interval.value_or(std::chrono::duration<double>(5)),
          .patience = patience,
          .budget_bytes = budget_bytes};
}

}  // namespace comback::tools
