#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/experiment.h"

namespace comback {

// A mean that knows how many figures it is of.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  std::uint64_t count() const { return count_; }
  std::optional<double> value() const {
    if (count_ == 0) return {};
    return sum_ / static_cast<double>(count_);
  }

 private:
  double sum_ = 0;
  std::uint64_t count_ = 0;
};

inline std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

inline bool off_by_more_than(std::optional<double> agreement, double tolerance) {
  return agreement && std::abs(*agreement - 1) > tolerance;
}

// Rounded down; 0.1 of 30 is 3.
inline std::uint64_t fraction_of(double fraction, std::uint64_t count) {
  return static_cast<std::uint64_t>(fraction * static_cast<double>(count) + 1e-6);
}

inline std::string average_name(std::uint64_t count) {
  return "average of " + std::to_string(count);
}

// The averages of one figure over the instances: of those that have a published figure beside it,
// and of all.
class Averages {
 public:
  void add(double measured, std::optional<double> published) {
    all_.add(measured);
    if (!published) return;
    measured_.add(measured);
    published_.add(*published);
  }

  // One row for each. `tolerance`: what the first may differ by; none: anything.
  void report(const std::string& configuration, const std::string& quantity,
              std::optional<double> tolerance, ExperimentSink& sink) const {
    if (published_.count() > 0) {
      ExperimentRow row{.instance = average_name(published_.count()),
                        .configuration = configuration,
                        .quantity = quantity,
                        .measured = measured_.value(),
                        .published = published_.value()};
      row.agreement = quotient(row.measured, row.published);
      row.differs = tolerance && off_by_more_than(row.agreement, *tolerance);
      sink.row(row);
    }
    if (all_.count() == published_.count()) return;
    sink.row({.instance = average_name(all_.count()),
              .configuration = configuration,
              .quantity = quantity,
              .measured = all_.value()});
  }

 private:
  Mean all_;
  Mean measured_;
  Mean published_;
};

}  // namespace comback
