#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dve/program.h"
#include "models/model.h"

// A program's events, faults and assertions in words.

namespace comback::dve {

// The source text with its comments and line breaks turned into single spaces.
std::string one_line(const Program& program, SourceRange range);

// "P_0 line 31: wait -> cs { guard x == 0; effect x = 1 }"
std::string describe(const Program& program, const Transition& transition);

// Of a rendezvous: the receiver, the sender, the channel and the values that pass in `state`, which
// may be null.
std::string describe(const Program& program, const StaticEvent& event, const std::byte* state);

// The source line with a caret, what the value was and what is allowed.
std::string describe(const Program& program, const Fault& fault);

// "at.dve:12: x < 3, for P_0 at cs"
std::string describe(const Program& program, const Assertion& assertion);

}  // namespace comback::dve
