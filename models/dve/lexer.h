#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/dve/program.h"
#include "models/dve/report.h"

namespace comback::dve {

enum class TokenKind : std::uint8_t {
  kEnd,
  kUnknown,  // no token of the language, or a comment without an end; already reported
  kIdentifier,
  kNumber,
  // Keywords.
  kAccept,
  kAnd,  // also &&
  kAssert,
  kAsync,
  kByte,
  kChannel,
  kCommit,
  kConst,
  kEffect,
  kFalse,
  kGuard,
  kImply,
  kInit,
  kInt,
  kNot,
  kOr,  // also ||
  kProcess,
  kProperty,
  kState,
  kSync,
  kSystem,
  kTrans,
  kTrue,
  // Marks.
  kSemicolon,
  kComma,
  kColon,
  kDot,
  kArrow,
  kLeftBrace,
  kRightBrace,
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBracket,
  kRightBracket,
  kAssign,
  kSend,     // !
  kReceive,  // ?
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kTilde,
  kAmpersand,
  kBar,
  kCaret,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kShiftLeft,
  kShiftRight,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourceRange where;
  std::uint32_t value = 0;  // of a number
};

inline bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::kAccept && kind <= TokenKind::kTrue;
}

// The largest number that can be written.
inline constexpr std::uint32_t kMaxNumber = 0x7fffffff;

// The last token is a kEnd. What is no token is reported.
std::vector<Token> tokenize(std::string_view text, Report& report);

}  // namespace comback::dve
