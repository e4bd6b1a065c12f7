#include "models/model.h"

#include <fmt/format.h>

#include <algorithm>

namespace comback {

std::string describe_state(const Model& model, const std::byte* state) {
  std::string out;
  const auto variables = model.variables();
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const VariableInfo& info = variables[v];
    const auto print = [&](std::uint32_t element) {
      const std::int64_t value = model.value(state, v, element);
      if (value >= 0 && static_cast<std::size_t>(value) < info.value_names.size()) {
        return info.value_names[static_cast<std::size_t>(value)];
      }
      return std::to_string(value);
    };
    if (!out.empty()) out += ' ';
    out += info.name;
    out += '=';
    if (info.length == 0) {
      out += print(0);
      continue;
    }
    out += '[';
    if (info.kind == VariableInfo::Kind::kChannel) {
      const auto stored = static_cast<std::uint32_t>(model.value(state, v, 0));
      const std::uint32_t most = (info.length - 1) / std::max(info.message_items, 1u);
      const std::uint32_t messages = std::min(stored, most);
      for (std::uint32_t m = 0; m < messages; ++m) {
        out += m == 0 ? "(" : ",(";
        for (std::uint32_t i = 0; i < info.message_items; ++i) {
          if (i != 0) out += ',';
          out += print(1 + m * info.message_items + i);
        }
        out += ')';
      }
      out += ']';
      continue;
    }
    for (std::uint32_t i = 0; i < info.length; ++i) {
      if (i != 0) out += ',';
      out += print(i);
    }
    out += ']';
  }
  return out;
}

}  // namespace comback
