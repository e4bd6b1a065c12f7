#include "tools/share.h"

#include <fmt/format.h>

namespace comback::tools {

std::string format_share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  if (part == 0) return "0 %";
  if (part == whole) return "100 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.01) return "< 0.01 %";
  if (share > 99.99) return "> 99.99 %";
  return fmt::format("{:.{}f} %", share, share < 1 || share > 99 ? 2 : 1);
}

}  // namespace comback::tools
