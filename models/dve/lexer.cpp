#include "models/dve/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace comback::dve {
namespace {

using Spelling = std::pair<std::string_view, TokenKind>;

constexpr std::array<Spelling, 23> kKeywords{{
    {"accept", TokenKind::kAccept},   {"and", TokenKind::kAnd},
    {"assert", TokenKind::kAssert},   {"async", TokenKind::kAsync},
    {"byte", TokenKind::kByte},       {"channel", TokenKind::kChannel},
    {"commit", TokenKind::kCommit},   {"const", TokenKind::kConst},
    {"effect", TokenKind::kEffect},   {"false", TokenKind::kFalse},
    {"guard", TokenKind::kGuard},     {"imply", TokenKind::kImply},
    {"init", TokenKind::kInit},       {"int", TokenKind::kInt},
    {"not", TokenKind::kNot},         {"or", TokenKind::kOr},
    {"process", TokenKind::kProcess}, {"property", TokenKind::kProperty},
    {"state", TokenKind::kState},     {"sync", TokenKind::kSync},
    {"system", TokenKind::kSystem},   {"trans", TokenKind::kTrans},
    {"true", TokenKind::kTrue},
}};

// The longer of two that begin alike first.
constexpr std::array<Spelling, 32> kMarks{{
    {"->", TokenKind::kArrow},
    {"&&", TokenKind::kAnd},
    {"||", TokenKind::kOr},
    {"==", TokenKind::kEqual},
    {"!=", TokenKind::kNotEqual},
    {"<=", TokenKind::kLessEqual},
    {">=", TokenKind::kGreaterEqual},
    {"<<", TokenKind::kShiftLeft},
    {">>", TokenKind::kShiftRight},
    {";", TokenKind::kSemicolon},
    {",", TokenKind::kComma},
    {":", TokenKind::kColon},
    {".", TokenKind::kDot},
    {"{", TokenKind::kLeftBrace},
    {"}", TokenKind::kRightBrace},
    {"(", TokenKind::kLeftParenthesis},
    {")", TokenKind::kRightParenthesis},
    {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket},
    {"=", TokenKind::kAssign},
    {"!", TokenKind::kSend},
    {"?", TokenKind::kReceive},
    {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},
    {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},
    {"%", TokenKind::kPercent},
    {"~", TokenKind::kTilde},
    {"&", TokenKind::kAmpersand},
    {"|", TokenKind::kBar},
    {"^", TokenKind::kCaret},
    {"<", TokenKind::kLess},
}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_identifier(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '#'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  Lexer(std::string_view text, Report& report) : text_(text), report_(report) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 3 + 1);
    for (skip_blanks(); at_ < text_.size() && !report_.full(); skip_blanks()) token();
    add(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  SourceRange range(std::size_t length) const {
    return {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)};
  }
  void add(TokenKind kind, std::size_t length, std::uint32_t value = 0) {
    tokens_.push_back({.kind = kind, .where = range(length), .value = value});
    at_ += length;
  }

  // White space, comments, and a backslash at the end of a line.
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_space(peek())) {
        ++at_;
      } else if (peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
        at_ += 2;
      } else if (peek() == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) {
          report_.error(range(2), "this comment does not end", "close it with */");
          add(TokenKind::kUnknown, text_.size() - at_);
        } else {
          at_ = end + 2;
        }
      } else {
        return;
      }
    }
  }

  void token() {
    if (is_letter(peek())) return word();
    if (is_digit(peek())) return number();
    for (const auto& [spelling, kind] : kMarks) {
      if (text_.compare(at_, spelling.size(), spelling) == 0) return add(kind, spelling.size());
    }
    if (peek() == '>') return add(TokenKind::kGreater, 1);
    unknown();
  }

  void word() {
    std::size_t length = 1;
    while (continues_identifier(peek(length))) ++length;
    const std::string_view spelling = text_.substr(at_, length);
    const auto keyword =
        std::lower_bound(kKeywords.begin(), kKeywords.end(), spelling,
                         [](const Spelling& k, std::string_view s) { return k.first < s; });
    const bool found = keyword != kKeywords.end() && keyword->first == spelling;
    add(found ? keyword->second : TokenKind::kIdentifier, length);
  }

  void number() {
    std::size_t length = 0;
    std::uint64_t value = 0;
    for (; is_digit(peek(length)); ++length) {
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(peek(length) - '0'),
                                      std::uint64_t{kMaxNumber} + 1);
    }
    if (value > kMaxNumber) {
      report_.error(range(length), fmt::format("this number is larger than {}", kMaxNumber));
      value = 0;
    }
    add(TokenKind::kNumber, length, static_cast<std::uint32_t>(value));
  }

  // One message for a word in another alphabet, and one for a run of binary data.
  void unknown() {
    const auto strange = [](char c) {
      return static_cast<unsigned char>(c) >= 0x7f ||
             (static_cast<unsigned char>(c) < 0x20 && !is_space(c));
    };
    const char first = peek();
    std::size_t length = 1;
    if (strange(first)) {
      while (at_ + length < text_.size() &&
             (strange(text_[at_ + length]) || continues_identifier(text_[at_ + length]))) {
        ++length;
      }
      report_.error(range(length),
                    fmt::format("byte 0x{:02x} is not part of the language outside comments",
                                static_cast<unsigned char>(first)));
    } else {
      report_.error(range(1), fmt::format("'{}' is not part of the language", first));
    }
    add(TokenKind::kUnknown, length);
  }

  std::string_view text_;
  Report& report_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, Report& report) {
  return Lexer(text, report).run();
}

}  // namespace comback::dve
