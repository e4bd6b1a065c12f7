#include "engine/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace comback {
namespace {

// How often values were met. Neighbours mostly have the same value, which is found at once.
class ValueCounts {
 public:
  void add(std::int64_t value) {
    if (last_ == nullptr || value != last_value_) {
      last_value_ = value;
      last_ = &counts_[value];
    }
    ++*last_;
  }
  std::size_t size() const { return counts_.size(); }
  void add_to(std::map<std::int64_t, std::uint64_t>& sum) const {
    for (const auto& [value, count] : counts_) sum[value] += count;
  }

 private:
  std::unordered_map<std::int64_t, std::uint64_t> counts_;
  std::int64_t last_value_ = 0;
  std::uint64_t* last_ = nullptr;  // nodes of the map do not move
};

// What one thread has found.
struct Found {
  std::vector<ValueCounts> count_by;
  std::vector<std::uint64_t> undefined;  // of count_by
  std::vector<ValueCounts> distinct;
  std::size_t values() const {
    std::size_t sum = 0;
    for (const ValueCounts& counts : count_by) sum += counts.size();
    for (const ValueCounts& counts : distinct) sum += counts.size();
    return sum;
  }
};

// What one task has found about one predicate, until the batch ends.
struct Matches {
  std::uint64_t satisfied = 0;
  std::uint64_t undefined = 0;
  std::vector<StateId> first;
};

class Asking {
 public:
  Asking(const Model& model, const StoredTree& tree, const Query& query, unsigned threads)
      : model_(&model), query_(&query), threads_(threads) {
    answer_.predicates.resize(query.predicates.size());
    for (auto& predicate : answer_.predicates) predicate.per_level.resize(tree.depth());
    answer_.count_by.resize(query.count_by.size());
    answer_.distinct.resize(query.distinct.size());
    for (Found& found : threads_) {
      found.count_by.resize(query.count_by.size());
      found.undefined.resize(query.count_by.size());
      found.distinct.resize(query.distinct.size());
    }
    matches_.resize(StateStream::kMaxBatchTasks * query.predicates.size());
    wanted_.assign(query.predicates.size(), query.limit);
    for (const std::uint32_t variable : query.distinct) {
      elements_.push_back(std::max<std::uint32_t>(1, model.variables()[variable].length));
    }
  }

  void visit(unsigned thread, std::size_t task, const StateRows& rows) {
    if (task == 0) level_ = rows.level;
    for (std::size_t p = 0; p < query_->predicates.size(); ++p) {
      const Predicate& predicate = *query_->predicates[p];
      Matches& matches = matches_[task * query_->predicates.size() + p];
      for (std::size_t i = 0; i < rows.count; ++i) {
        const auto value = predicate.evaluate(rows.row(i));
        if (!value) {
          ++matches.undefined;
        } else if (*value != 0) {
          ++matches.satisfied;
          if (matches.first.size() < wanted_[p]) matches.first.push_back(rows.first_id + i);
        }
      }
    }
    Found& found = threads_[thread];
    for (std::size_t e = 0; e < query_->count_by.size(); ++e) {
      const Predicate& expression = *query_->count_by[e];
      for (std::size_t i = 0; i < rows.count; ++i) {
        const auto value = expression.evaluate(rows.row(i));
        if (value) {
          found.count_by[e].add(*value);
        } else {
          ++found.undefined[e];
        }
      }
    }
    for (std::size_t d = 0; d < query_->distinct.size(); ++d) {
      for (std::size_t i = 0; i < rows.count; ++i) {
        for (std::uint32_t e = 0; e < elements_[d]; ++e) {
          found.distinct[d].add(model_->value(rows.row(i), query_->distinct[d], e));
        }
      }
    }
    counts_[task] = rows.count;
  }

  Result<bool> after_batch(std::size_t tasks) {
    for (std::size_t task = 0; task < tasks; ++task) {
      answer_.states += counts_[task];
      for (std::size_t p = 0; p < query_->predicates.size(); ++p) {
        Matches& matches = matches_[task * query_->predicates.size() + p];
        QueryAnswer::ForPredicate& answer = answer_.predicates[p];
        answer.satisfied += matches.satisfied;
        answer.undefined += matches.undefined;
        answer.per_level[level_] += matches.satisfied;
        const std::size_t taken = std::min<std::size_t>(wanted_[p], matches.first.size());
        answer.first.insert(answer.first.end(), matches.first.begin(),
                            matches.first.begin() + static_cast<std::ptrdiff_t>(taken));
        wanted_[p] -= taken;
        matches.satisfied = matches.undefined = 0;
        matches.first.clear();
      }
    }
    for (const Found& found : threads_) {
      if (found.values() <= query_->max_values) continue;
      return Error{Errc::kOutOfMemory,
                   fmt::format("more than {} different values were counted; an expression with "
                               "fewer, such as one modulo or divided by a number, can be counted",
                               query_->max_values)};
    }
    return true;
  }

  QueryAnswer finish() {
    for (const Found& found : threads_) {
      for (std::size_t e = 0; e < found.count_by.size(); ++e) {
        found.count_by[e].add_to(answer_.count_by[e].counts);
        answer_.count_by[e].undefined += found.undefined[e];
      }
      for (std::size_t d = 0; d < found.distinct.size(); ++d) {
        found.distinct[d].add_to(answer_.distinct[d].counts);
      }
    }
    return std::move(answer_);
  }

 private:
  const Model* model_;
  const Query* query_;
  std::vector<Found> threads_;
  std::vector<std::uint32_t> elements_;  // of the variables in Query::distinct
  std::vector<Matches> matches_;         // by task, then predicate
  std::vector<std::uint64_t> wanted_;    // by predicate: how many more states are to be named
  std::array<std::size_t, StateStream::kMaxBatchTasks> counts_{};
  std::uint32_t level_ = 0;  // of the batch
  QueryAnswer answer_;
};

}  // namespace

Result<QueryAnswer> ask(const Model& model, const StoredTree& tree, const Query& query,
                        ThreadTeam& team, const StateStream::Options& options, Monitor& monitor) {
  Asking asking(model, tree, query, team.size());
  StateStream stream(model, tree, team, options);
  const Status status =
      stream.run([&](unsigned thread, std::size_t task,
                     const StateRows& rows) { asking.visit(thread, task, rows); },
                 [&](std::size_t tasks) { return asking.after_batch(tasks); }, monitor);
  if (!status) return status.error();
  QueryAnswer answer = asking.finish();
  answer.interrupted = stream.stopped();
  return answer;
}

}  // namespace comback
