#include "tools/option_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "tools/quantity.h"
#include "tools/suggestion.h"

namespace comback::tools {
namespace {

// An option whose text `parse` turns into a Result.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& command, const std::string& name, std::optional<T>& value,
                        const std::string& help, const std::string& kind, Parse parse) {
  const auto check = [parse](const std::string& text) {
    const auto parsed = parse(text);
    return parsed ? std::string() : parsed.error().what;
  };
  const auto set = [parse, &value](const std::string& text) { value = *parse(text); };
  return command.add_option_function<std::string>(name, set, help)
      ->check(CLI::Validator(check, ""))
      ->option_text(kind);
}

}  // namespace

CLI::Option* add_size(CLI::App& command, const std::string& name,
                      std::optional<std::uint64_t>& value, const std::string& help) {
  return add_parsed(command, name, value, help, "SIZE", parse_size);
}

CLI::Option* add_count(CLI::App& command, const std::string& name,
                       std::optional<std::uint64_t>& value, const std::string& help) {
  return add_parsed(command, name, value, help, "N", parse_count);
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<unsigned>& value,
                        unsigned least, unsigned most, const std::string& help) {
  const auto parse = [=](std::string_view text) -> Result<unsigned> {
    unsigned number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < least || number > most) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("'{}' is not a whole number from {} to {}", text, least, most)};
    }
    return number;
  };
  return add_parsed(command, name, value, help, "N", parse);
}

CLI::Option* add_duration(CLI::App& command, const std::string& name,
                          std::optional<std::chrono::duration<double>>& value,
                          const std::string& help) {
  return add_parsed(command, name, value, help, "TIME", parse_duration);
}

CLI::Validator one_of(std::vector<std::string> choices) {
  const auto check = [choices = std::move(choices)](const std::string& word) -> std::string {
    for (const std::string& choice : choices) {
      if (choice == word) return {};
    }
    return fmt::format("'{}' is none of {}{}", word, fmt::join(choices, ", "),
                       did_you_mean(word, choices));
  };
  return {check, ""};
}

}  // namespace comback::tools
