#include "engine/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/id_sums.h"
#include "engine/level_reader.h"
#include "engine/trace.h"
#include "engine/tree_digest.h"
#include "storage/hash.h"

namespace comback {
namespace {

constexpr std::size_t kMostExamples = 8;  // problems that are named of one kind
constexpr std::size_t kSamplesTogether = 4096;

// An error that keeps us from looking, as opposed to one that is what we look for.
bool stands_in_the_way(const Error& error) {
  return error.code == Errc::kOutOfMemory || error.code == Errc::kNoSpace;
}

// Which of the successors of expanded states the state table does not have.
class Closure {
 public:
  Closure(const DiskStateTable& table, unsigned threads, std::uint64_t memory_bytes)
      : table_(&table),
        threads_(threads),
        most_(std::max<std::uint64_t>(memory_bytes / sizeof(std::uint64_t), 1 << 16)) {}

  void add(unsigned thread, std::uint64_t hash) { threads_[thread].push_back(hash); }

  Status after_batch() {
    std::size_t count = 0;
    for (const auto& hashes : threads_) count += hashes.size();
    return count >= most_ ? look_up() : Status(Done{});
  }

  Status look_up() {
    constexpr std::size_t kTogether = std::size_t{1} << 18;
    std::vector<std::uint64_t> all;
    for (auto& hashes : threads_) {
      all.insert(all.end(), hashes.begin(), hashes.end());
      hashes = {};
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    DiskStateTable::Matches matches;
    for (std::size_t first = 0; first < all.size(); first += kTogether) {
      const std::size_t count = std::min(kTogether, all.size() - first);
      const Status found =
          table_->lookup({all.data() + first, count}, DiskStateTable::Part::kCommitted, matches);
      if (!found) return found;
      std::size_t known = 0;
      for (std::size_t i = 0; i < matches.found.size(); ++i) {
        known += i == 0 || matches.found[i].index != matches.found[i - 1].index ? 1 : 0;
      }
      looked_up_ += count;
      missing_ += count - known;
    }
    return Done{};
  }

  std::uint64_t looked_up() const { return looked_up_; }
  std::uint64_t missing() const { return missing_; }

 private:
  const DiskStateTable* table_;
  std::vector<std::vector<std::uint64_t>> threads_;
  std::uint64_t most_;
  std::uint64_t looked_up_ = 0;
  std::uint64_t missing_ = 0;
};

// What one thread has expanded.
struct ExpandingLane {
  explicit ExpandingLane(const Model& model) : buffer(model.width(), model.max_successors()) {}
  SuccessorBuffer buffer;
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t states = 0;
};

class Verifier {
 public:
  Verifier(const VerifiedRun& run, const VerifyOptions& options, ThreadTeam& team, Monitor& monitor)
      : run_(&run),
        tree_(run.tree),
        options_(&options),
        team_(&team),
        monitor_(&monitor),
        in_table_(run.tree->states()),
        kept_(run.tree->states()),
        made_for_table_(run.tree->states()),
        made_for_kept_(run.tree->states()) {
    out_.sound_levels = run.tree->depth();
  }

  Result<Verification> run() {
    using Step = Status (Verifier::*)();
    const Step last = options_->execution == VerifyOptions::Execution::kSample ? &Verifier::sample
                                                                               : &Verifier::execute;
    for (const Step step : {&Verifier::check_files, &Verifier::check_tree, &Verifier::check_table,
                            &Verifier::check_levels, last}) {
      if (Status status = (this->*step)(); !status) return status.error();
      if (monitor_->stop_requested()) out_.interrupted = true;
      if (out_.interrupted || !numbered_) break;
    }
    return std::move(out_);
  }

 private:
  void problem(RunPart part, std::string what) { out_.problems.push_back({part, std::move(what)}); }
  // Of some kind of problem: the first few are told, the others counted.
  void example(RunPart part, std::uint64_t& count, std::string what) {
    if (++count <= kMostExamples) problem(part, std::move(what));
  }
  void more(RunPart part, std::uint64_t count) {
    if (count > kMostExamples) problem(part, fmt::format("and {} more", count - kMostExamples));
  }
  void unsound_from(StateId id) {
    out_.sound_levels = std::min(out_.sound_levels, tree_->level_of(id));
  }
  // Damage is what we look for; anything else ends the verification.
  Status found(RunPart part, const Error& error) {
    if (stands_in_the_way(error)) return error;
    problem(part, error.what);
    return Done{};
  }

  // --- every part for itself ---

  Status check_files() {
    if (run_->database == nullptr) return Done{};
    auto files = run_->database->verify_files([this](const Error& error) {
      if (run_->changing && error.code == Errc::kNotFound) return;
      problem(RunPart::kDatabase, error.what);
    });
    if (!files) return found(RunPart::kDatabase, files.error());
    out_.database_files = *files;
    return Done{};
  }

  Status check_tree() {
    if (Status status = tree_->check(); !status) {
      out_.sound_levels = 0;
      numbered_ = false;
      return found(RunPart::kTree, status.error());
    }
    DiskBackedges::Reader reader(*tree_->backedges);
    TreeDigest digest;
    std::uint64_t bad = 0;
    Backedge before{};
    for (std::uint32_t level = 0; level < tree_->depth(); ++level) {
      for (StateId id = tree_->first(level); id < tree_->end(level); ++id) {
        const Result<Backedge> edge = reader.find(id);
        if (!edge) {
          unsound_from(id);
          more(RunPart::kTree, bad);
          return found(RunPart::kTree, edge.error());
        }
        if (const char* const what = wrong(level, id, before, *edge)) {
          unsound_from(id);
          example(RunPart::kTree, bad,
                  fmt::format("the backedge of state {} on level {}, event {} of state {}, {}", id,
                              level, edge->event, edge->predecessor, what));
        }
        before = *edge;
        digest.add(edge->predecessor, edge->event);
        ++out_.backedges;
      }
      if (monitor_->stop_requested()) return Done{};
    }
    more(RunPart::kTree, bad);
    if (run_->tree_digest && digest.value() != *run_->tree_digest) {
      problem(RunPart::kTree, fmt::format("the digest of the backedges is {:016x}, and {:016x} in "
                                          "the run's record",
                                          digest.value(), *run_->tree_digest));
    }
    return Done{};
  }

  const char* wrong(std::uint32_t level, StateId id, const Backedge& before,
                    const Backedge& edge) const {
    if (id == 0) return nullptr;  // DiskBackedges, I2
    if (edge.predecessor < tree_->first(level - 1) || edge.predecessor >= tree_->first(level)) {
      return "does not begin on the level above";
    }
    if (id == 1) return nullptr;
    if (edge.predecessor < before.predecessor) return "begins before that of the state before it";
    if (edge.predecessor == before.predecessor && edge.event <= before.event) {
      return "has an event that is not larger than that of the state before it";
    }
    return nullptr;
  }

  Status check_table() {
    if (run_->table == nullptr) return Done{};
    std::uint64_t strangers = 0;
    const Status walked =
        run_->table->for_each_committed([&](std::uint64_t hash, std::uint64_t id) {
          ++out_.table_entries;
          if (id >= tree_->states()) {
            example(RunPart::kStateTable, strangers,
                    fmt::format("it has an entry for state {}, and there are only {}", id,
                                tree_->states()));
          } else {
            in_table_.add(id, hash);
          }
        });
    more(RunPart::kStateTable, strangers);
    if (!walked) return found(RunPart::kStateTable, walked.error());
    if (out_.table_entries != tree_->states()) {
      problem(RunPart::kStateTable,
              fmt::format("it has {} entries for {} states", out_.table_entries, tree_->states()));
    }
    return Done{};
  }

  Status check_levels() {
    if (tree_->levels == nullptr) return Done{};
    auto reader = LevelReader::open(*tree_->levels, *team_, options_->stream.io);
    if (!reader) return reader.error();
    for (std::uint32_t level = 0; level < tree_->depth(); ++level) {
      if (!tree_->held(level)) continue;
      if (Status status = reader->forget(); !status) return status;
      ++out_.kept_levels;
      for (StateId id = tree_->first(level); id < tree_->end(level);) {
        const Result<std::uint64_t> loaded = reader->load(id, tree_->end(level));
        if (!loaded) {
          bad_levels_.push_back(level);
          if (Status status = found(RunPart::kLevels, loaded.error()); !status) return status;
          break;
        }
        const std::byte* row = reader->row(id);
        for (; id < *loaded; ++id, row += run_->model->width()) {
          kept_.add(id, hash_bytes(row, run_->model->width()));
          ++out_.kept_states;
        }
      }
      if (monitor_->stop_requested()) return Done{};
    }
    return Done{};
  }

  bool readable(std::uint32_t level) const {
    return tree_->held(level) && !std::binary_search(bad_levels_.begin(), bad_levels_.end(), level);
  }

  // --- all of them against what executing events gives ---

  StateStream::Options stream_options() const {
    StateStream::Options options = options_->stream;
    options.kept = StateStream::Options::Kept::kIgnore;
    options.checked = true;
    options.phase = "verifying";
    // Up to the damage.
    options.end_level = out_.sound_levels;
    return options;
  }

  Status execute() {
    const bool expands = options_->execution == VerifyOptions::Execution::kAll;
    std::vector<std::unique_ptr<ExpandingLane>> lanes;
    std::optional<Closure> closure;
    if (expands) {
      for (unsigned t = 0; t < team_->size(); ++t) {
        lanes.push_back(std::make_unique<ExpandingLane>(*run_->model));
      }
      if (run_->table != nullptr && out_.sound(RunPart::kStateTable)) {
        closure.emplace(*run_->table, team_->size(), options_->stream.memory_bytes / 4);
      }
    }
    const unsigned bits = run_->table == nullptr ? 64 : run_->table->hash_bits();
    std::array<std::uint64_t, StateStream::kMaxBatchTasks> counts;
    const auto visit = [&](unsigned thread, std::size_t task, const StateRows& rows) {
      const bool kept = readable(rows.level);
      for (std::size_t i = 0; i < rows.count; ++i) {
        const std::uint64_t hash = hash_bytes(rows.row(i), rows.width);
        made_for_table_.add(rows.first_id + i, truncate_hash(hash, bits));
        if (kept) made_for_kept_.add(rows.first_id + i, hash);
      }
      counts[task] = rows.count;
      if (expands) expand(rows, *lanes[thread], closure ? &*closure : nullptr, thread);
    };
    const auto after = [&](std::size_t tasks) -> Result<bool> {
      for (std::size_t task = 0; task < tasks; ++task) out_.executed_states += counts[task];
      if (closure) {
        if (Status status = closure->after_batch(); !status) return status.error();
      }
      return true;
    };
    StateStream stream(*run_->model, *tree_, *team_, stream_options());
    if (out_.sound_levels > 0) {
      const Status status = stream.run(visit, after, *monitor_);
      out_.interrupted = stream.stopped();
      if (!status) {
        if (Status noted = found(RunPart::kExecution, status.error()); !noted) return noted;
        out_.sound_levels = std::min(out_.sound_levels, tree_->level_of(out_.executed_states));
      }
    }
    if (out_.interrupted) return Done{};
    if (Status status = compare(); !status) return status;
    return expands ? finish_expansion(lanes, closure) : Status(Done{});
  }

  // Where the tables do not agree with what was made.
  Status compare() {
    const StateId below = out_.executed_states;
    std::vector<IdSums::Range> of_table, of_kept;
    if (run_->table != nullptr) of_table = made_for_table_.differing(in_table_, below);
    of_kept = made_for_kept_.differing(kept_, below);
    // Where blocks could not be read, sums of the range that they share with others say nothing.
    std::erase_if(of_kept, [&](const IdSums::Range& range) {
      return std::any_of(bad_levels_.begin(), bad_levels_.end(), [&](std::uint32_t level) {
        return tree_->first(level) < range.end && tree_->end(level) > range.first;
      });
    });
    if (of_table.empty() && of_kept.empty()) return Done{};
    return explain(of_table, of_kept);
  }

  // Makes the states of some of these ranges once more and tells which ones differ.
  Status explain(const std::vector<IdSums::Range>& of_table,
                 const std::vector<IdSums::Range>& of_kept) {
    constexpr std::size_t kMostRanges = 16;
    std::vector<IdSums::Range> ranges;
    const auto take = [&](const std::vector<IdSums::Range>& from) {
      for (std::size_t i = 0; i < std::min(kMostRanges, from.size()); ++i) {
        ranges.push_back(from[i]);
      }
    };
    take(of_table);
    take(of_kept);
    const auto inside = [&](StateId id) {
      return std::any_of(ranges.begin(), ranges.end(), [&](const IdSums::Range& range) {
        return id >= range.first && id < range.end;
      });
    };
    std::map<StateId, std::uint64_t> made;
    std::mutex mutex;
    StateId first = tree_->states(), last = 0;
    for (const IdSums::Range& range : ranges) {
      first = std::min(first, range.first);
      last = std::max(last, range.end - 1);
    }
    StateStream::Options again = stream_options();
    again.from_level = tree_->level_of(first);
    again.end_level = std::min(out_.sound_levels, tree_->level_of(last) + 1);
    StateStream stream(*run_->model, *tree_, *team_, again);
    const Status streamed = stream.run(
        [&](unsigned, std::size_t, const StateRows& rows) {
          for (std::size_t i = 0; i < rows.count; ++i) {
            if (!inside(rows.first_id + i)) continue;
            const std::lock_guard lock(mutex);
            made[rows.first_id + i] = hash_bytes(rows.row(i), rows.width);
          }
        },
        [](std::size_t) -> Result<bool> { return true; }, *monitor_);
    if (!streamed) return streamed;
    if (stream.stopped()) {
      out_.interrupted = true;
      return Done{};
    }
    if (Status status = explain_kept(made, of_kept); !status) return status;
    return explain_table(made, of_table);
  }

  Status explain_table(const std::map<StateId, std::uint64_t>& made,
                       const std::vector<IdSums::Range>& ranges) {
    if (ranges.empty()) return Done{};
    std::map<StateId, std::uint64_t> found_ids;
    std::uint64_t bad = 0;
    const unsigned bits = run_->table->hash_bits();
    const auto tell = [&](StateId id, const std::string& what) {
      unsound_from(id);
      example(RunPart::kStateTable, bad,
              fmt::format("state {} on level {}: {}", id, tree_->level_of(id), what));
    };
    const Status walked =
        run_->table->for_each_committed([&](std::uint64_t hash, std::uint64_t id) {
          const auto it = made.find(id);
          if (it == made.end()) return;
          if (++found_ids[id] == 2) tell(id, "the state table has it more than once");
          const std::uint64_t expected = truncate_hash(it->second, bits);
          if (hash != expected) {
            tell(id, fmt::format("the state table has it under the hash {:x}, and executing the "
                                 "events that lead to it gives a state with the hash {:x}",
                                 hash, expected));
          }
        });
    if (!walked) return found(RunPart::kStateTable, walked.error());
    for (const IdSums::Range& range : ranges) {
      for (auto it = made.lower_bound(range.first); it != made.end() && it->first < range.end;
           ++it) {
        if (found_ids.count(it->first) == 0) tell(it->first, "the state table does not have it");
      }
      unsound_from(range.first);
    }
    more(RunPart::kStateTable, bad);
    if (bad == 0) {
      problem(RunPart::kStateTable, fmt::format("it does not agree with the states {} to {}",
                                                ranges.front().first, ranges.front().end - 1));
    }
    return Done{};
  }

  Status explain_kept(const std::map<StateId, std::uint64_t>& made,
                      const std::vector<IdSums::Range>& ranges) {
    if (ranges.empty()) return Done{};
    auto reader = LevelReader::open(*tree_->levels, *team_, options_->stream.io);
    if (!reader) return reader.error();
    std::uint64_t bad = 0;
    for (const IdSums::Range& range : ranges) {
      std::uint32_t level = tree_->depth();
      StateId end = 0;  // of what is available
      for (auto it = made.lower_bound(range.first); it != made.end() && it->first < range.end;
           ++it) {
        const StateId id = it->first;
        const std::uint32_t at = tree_->level_of(id);
        if (!readable(at)) continue;
        if (at != level || id >= end) {
          if (Status status = reader->forget(); !status) return status;
          level = at;
          const Result<std::uint64_t> loaded = reader->load(id, tree_->end(at));
          if (!loaded) return found(RunPart::kLevels, loaded.error());
          end = *loaded;
        }
        if (hash_bytes(reader->row(id), run_->model->width()) == it->second) continue;
        const auto block = tree_->levels->find_block(id);
        example(RunPart::kLevels, bad,
                fmt::format("{} at offset {}: the descriptor of state {} on level {} is another "
                            "than that which executing the events that lead to it gives",
                            block && block->file != nullptr ? block->file->path() : "a kept level",
                            block ? block->block.offset : 0, id, at));
      }
    }
    more(RunPart::kLevels, bad);
    if (bad == 0) {
      problem(RunPart::kLevels, fmt::format("the kept levels do not agree with the states {} to {}",
                                            ranges.front().first, ranges.front().end - 1));
    }
    return Done{};
  }

  // --- every event of every state ---

  void expand(const StateRows& rows, ExpandingLane& lane, Closure* closure, unsigned thread) {
    if (rows.first_id >= run_->expanded) return;
    const std::size_t count = std::min<std::uint64_t>(rows.count, run_->expanded - rows.first_id);
    for (std::size_t i = 0; i < count; ++i) {
      run_->model->successors(rows.row(i), lane.buffer);
      lane.transitions += lane.buffer.size();
      if (lane.buffer.size() == 0 && !lane.buffer.faulted()) ++lane.deadlocks;
      if (closure != nullptr) {
        for (std::uint32_t s = 0; s < lane.buffer.size(); ++s) {
          closure->add(thread, hash_bytes(lane.buffer.descriptor(s), rows.width));
        }
      }
    }
    lane.states += count;
  }

  Status finish_expansion(const std::vector<std::unique_ptr<ExpandingLane>>& lanes,
                          std::optional<Closure>& closure) {
    std::uint64_t transitions = 0, deadlocks = 0;
    for (const auto& lane : lanes) {
      transitions += lane->transitions;
      deadlocks += lane->deadlocks;
      out_.expanded_states += lane->states;
    }
    if (closure) {
      if (Status status = closure->look_up(); !status) {
        return found(RunPart::kStateTable, status.error());
      }
      out_.checked_successors = closure->looked_up();
      if (closure->missing() > 0) {
        problem(RunPart::kStateTable,
                fmt::format("{} successors of the states that were expanded are not in it",
                            closure->missing()));
      }
    }
    // Nothing was to be expanded, or there is a problem already.
    if (run_->expanded == 0 || out_.expanded_states != run_->expanded) return Done{};
    if (transitions != run_->transitions) {
      problem(RunPart::kCounts, fmt::format("{} transitions, and {} in the run's record",
                                            transitions, run_->transitions));
    }
    if (deadlocks != run_->deadlocks) {
      problem(RunPart::kCounts,
              fmt::format("{} deadlocks, and {} in the run's record", deadlocks, run_->deadlocks));
    }
    return Done{};
  }

  // --- some states ---

  // What comes of the path to one state.
  struct Sample {
    StateId id = 0;
    std::uint64_t hash = 0;
    std::optional<Error> error;
  };

  Status sample() {
    const std::uint64_t states = out_.sound_levels == 0 ? 0 : tree_->end(out_.sound_levels - 1);
    const std::uint64_t count = std::min(options_->sample, states);
    std::uint64_t bad = 0;
    for (std::uint64_t done = 0; done < count && !monitor_->stop_requested();) {
      std::vector<Sample> samples(std::min<std::uint64_t>(kSamplesTogether, count - done));
      for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i].id = choose(done + i, count, states);
      team_->for_each(samples.size(), [&](unsigned, std::size_t i) { follow(samples[i]); });
      done += samples.size();
      for (const Sample& one : samples) {
        if (!one.error) continue;
        if (stands_in_the_way(*one.error)) return *one.error;
        unsound_from(one.id);
        example(RunPart::kExecution, bad,
                fmt::format("state {} on level {}: {}", one.id, tree_->level_of(one.id),
                            one.error->what));
      }
      std::erase_if(samples, [](const Sample& one) { return one.error.has_value(); });
      out_.executed_states += samples.size();
      if (Status status = look_up(samples); !status) return status;
      if (Status status = compare_kept(samples); !status) return status;
    }
    more(RunPart::kExecution, bad);
    return Done{};
  }

  // One of each `states / count` states, in the order of ids, and the last one.
  static StateId choose(std::uint64_t i, std::uint64_t count, std::uint64_t states) {
    if (i + 1 == count) return states - 1;
    __extension__ using Wide = unsigned __int128;
    const auto from = static_cast<StateId>(Wide{states} * i / count);
    const auto to = static_cast<StateId>(Wide{states} * (i + 1) / count);
    return from + (i * 0x9e3779b97f4a7c15ull >> 32) % (to - from);
  }

  void follow(Sample& one) const {
    const Result<std::vector<Event>> path = tree_->path_to(one.id);
    if (!path) {
      one.error = path.error();
      return;
    }
    const Result<Trace> trace = replay(*run_->model, *path);
    if (!trace) {
      one.error = trace.error();
      return;
    }
    one.hash = hash_bytes(trace->states.back().data(), run_->model->width());
  }

  Status look_up(const std::vector<Sample>& samples) {
    if (run_->table == nullptr) return Done{};
    std::vector<std::pair<std::uint64_t, StateId>> wanted;
    for (const Sample& one : samples) wanted.emplace_back(one.hash, one.id);
    std::sort(wanted.begin(), wanted.end());
    std::vector<std::uint64_t> hashes;
    for (const auto& [hash, id] : wanted) hashes.push_back(hash);
    DiskStateTable::Matches matches;
    const Status looked = run_->table->lookup(hashes, DiskStateTable::Part::kCommitted, matches);
    if (!looked) return found(RunPart::kStateTable, looked.error());
    std::vector<bool> known(wanted.size());
    for (const StateMatch& match : matches.found) {
      if (match.id == wanted[match.index].second) known[match.index] = true;
    }
    std::uint64_t bad = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (known[i]) continue;
      const StateId id = wanted[i].second;
      unsound_from(id);
      example(
          RunPart::kStateTable, bad,
          fmt::format("state {} on level {}: executing the events that lead to it gives a state "
                      "whose hash the state table does not have under this number",
                      id, tree_->level_of(id)));
    }
    more(RunPart::kStateTable, bad);
    return Done{};
  }

  Status compare_kept(const std::vector<Sample>& samples) {
    if (tree_->levels == nullptr) return Done{};
    auto reader = LevelReader::open(*tree_->levels, *team_, options_->stream.io);
    if (!reader) return reader.error();
    std::uint64_t bad = 0;
    for (const Sample& one : samples) {
      const std::uint32_t level = tree_->level_of(one.id);
      if (!readable(level)) continue;
      if (Status status = reader->forget(); !status) return status;
      const Result<std::uint64_t> loaded = reader->load(one.id, one.id + 1);
      if (!loaded) return found(RunPart::kLevels, loaded.error());
      if (hash_bytes(reader->row(one.id), run_->model->width()) == one.hash) continue;
      example(RunPart::kLevels, bad,
              fmt::format("the kept descriptor of state {} on level {} is another than that which "
                          "executing the events that lead to it gives",
                          one.id, level));
    }
    more(RunPart::kLevels, bad);
    return Done{};
  }

  const VerifiedRun* run_;
  const StoredTree* tree_;
  const VerifyOptions* options_;
  ThreadTeam* team_;
  Monitor* monitor_;
  IdSums in_table_, kept_, made_for_table_, made_for_kept_;
  std::vector<std::uint32_t> bad_levels_;  // kept, and cannot be read; rising
  bool numbered_ = true;                   // there are levels of ids to speak of
  Verification out_;
};

}  // namespace

const char* to_string(RunPart part) {
  switch (part) {
    case RunPart::kFiles:
      return "files";
    case RunPart::kDatabase:
      return "database";
    case RunPart::kTree:
      return "tree";
    case RunPart::kStateTable:
      return "state table";
    case RunPart::kLevels:
      return "levels";
    case RunPart::kExecution:
      return "execution";
    case RunPart::kCounts:
      return "counts";
  }
  return "";
}

bool Verification::sound(RunPart part) const {
  return std::none_of(problems.begin(), problems.end(),
                      [part](const Problem& problem) { return problem.part == part; });
}

Result<Verification> verify(const VerifiedRun& run, const VerifyOptions& options, ThreadTeam& team,
                            Monitor& monitor) {
  if (run.tree->first_ids.empty()) {
    Verification nothing;
    nothing.problems.push_back({RunPart::kTree, "the run's level table is empty"});
    return nothing;
  }
  return Verifier(run, options, team, monitor).run();
}

}  // namespace comback
