#pragma once

#include <cstdint>

namespace comback {

// The probability that hash compaction missed at least one state, after it stored `states` of them
// under hashes of `bits` bits. Both treat hashes as uniform and independent.

// [wolper93]: all n states have different hashes with probability (1 - 0/l) ... (1 - (n-1)/l),
// about exp(-n(n-1) / 2l), with l = 2^bits.
double basic_omission_probability(std::uint64_t states, unsigned bits);

// [stern95]: a new state with k others in m slots is compared with k / (m - k + 1) of them on
// average under uniform probing, n states with C = (m+1) (H(m+1) - H(m-n+1)) - n in all, H being
// the harmonic numbers. None of these comparisons goes wrong with probability ((l-1)/l)^C. Here
// l = 2^bits - 1, as one value means that a slot is empty. For t = m this is equation (1) of
// [stern96].
double improved_omission_probability(std::uint64_t states, std::uint64_t slots, unsigned bits);

// [stern96, equation (1)]: `observed` insertions into m slots of which each looks at no more than
// t, and replaces one where they are all taken. The k-th of them is compared as if k - 1 slots were
// taken, a little more than there are, since some insertions replace before the table is full; and
// omitting a state that was there before and has been replaced is no omission. Both make it an
// upper estimate. l = 2^bits - 1, as above. REQUIRES: probes >= 1; slots much larger than probes^2.
double limited_omission_probability(std::uint64_t observed, std::uint64_t slots, unsigned probes,
                                    unsigned bits);

// C of that equation: how many comparisons there are that may go wrong.
double limited_comparisons(std::uint64_t observed, std::uint64_t slots, unsigned probes);

}  // namespace comback
