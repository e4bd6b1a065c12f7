#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The kinds of values that options take. Each refuses what it cannot read with a sentence that says
// what was given and what is accepted.

namespace comback::tools {

CLI::Option* add_size(CLI::App& command, const std::string& name,
                      std::optional<std::uint64_t>& value, const std::string& help);
CLI::Option* add_count(CLI::App& command, const std::string& name,
                       std::optional<std::uint64_t>& value, const std::string& help);
// A whole number from `least` to `most`.
CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<unsigned>& value,
                        unsigned least, unsigned most, const std::string& help);
CLI::Option* add_duration(CLI::App& command, const std::string& name,
                          std::optional<std::chrono::duration<double>>& value,
                          const std::string& help);

// One of a few words, beside what they mean. `value` holds the default.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name,
                        const std::vector<std::pair<std::string, T>>& choices, T& value,
                        const std::string& help);

// The word for a value; REQUIRES: there is one.
template <class T>
std::string word_for(const std::vector<std::pair<std::string, T>>& choices, T value) {
  for (const auto& [word, meaning] : choices) {
    if (meaning == value) return word;
  }
  return {};
}

// --- details ---

// Refuses all words but `choices`.
CLI::Validator one_of(std::vector<std::string> choices);

template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name,
                        const std::vector<std::pair<std::string, T>>& choices, T& value,
                        const std::string& help) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto set = [&value, choices](const std::string& word) {
    for (const auto& choice : choices) {
      if (choice.first == word) value = choice.second;
    }
  };
  return command.add_option_function<std::string>(name, set, help)
      ->check(one_of(words))
      ->option_text(CLI::detail::join(words, "|"))
      ->default_str(word_for(choices, value));
}

}  // namespace comback::tools
