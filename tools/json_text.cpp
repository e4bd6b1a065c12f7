#include "tools/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace comback::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string plain(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool in_one_line(const Json& value) {
  return !value.is_structured() || value.empty() ||
         (value.is_array() && std::none_of(value.begin(), value.end(),
                                           [](const Json& v) { return v.is_structured(); }));
}

void append(const Json& value, const std::string& indent, std::string& text) {
  if (in_one_line(value)) {
    text += plain(value);
    return;
  }
  const std::string inner = indent + "  ";
  const char* separator = "\n";
  text += value.is_object() ? "{" : "[";
  for (const auto& [key, member] : value.items()) {
    text += separator;
    text += inner;
    if (value.is_object()) {
      text += plain(key);
      text += ": ";
    }
    append(member, inner, text);
    separator = ",\n";
  }
  text += "\n" + indent;
  text += value.is_object() ? "}" : "]";
}

}  // namespace

std::string json_text(const Json& value) {
  std::string text;
  append(value, "", text);
  text += "\n";
  return text;
}

}  // namespace comback::tools
