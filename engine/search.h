#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cache_spec.h"
#include "engine/caching_options.h"
#include "engine/keep_levels.h"
#include "engine/storing_options.h"
#include "io/async_reader.h"
#include "io/result.h"
#include "models/model.h"

namespace comback {

// A state's number in discovery order.
using StateId = std::uint64_t;

enum class SearchOrder { kBreadthFirst, kDepthFirst };

// How the set of visited states is kept.
enum class VisitedMode {
  kFull,             // all descriptors: exact
  kCompact,          // hash compaction [wolper93]: a b-bit hash per state, may omit states
  kCompactImproved,  // hash compaction [stern95]: probe sequence independent of the stored value
  kCompactCache,     // hash compaction [stern96]: of a bounded table, which forgets; depth first
  kComBack,          // hashes and backedges, states reconstructed [westergaard07]: exact
  kLevels,           // the same, level by level, streamed, on disk where memory is short: exact
  kCache,            // some descriptors, others are forgotten [godefroid95]: exact, depth first
  kStoring,          // some descriptors [behrmann03]: exact, but states are explored repeatedly
};

// How a number of descriptors is divided, in percent: 100 together.
struct DescriptorSplit {
  unsigned cache = 0;
  unsigned candidates = 0;  // 0: duplicates are detected at once
  unsigned queue = 0;       // 0: ids are reconstructed one by one
};

// The ComBack method as published, in memory.
struct ComBackOptions {
  // When duplicates are detected: at once [westergaard07], or when the set of candidates is full
  // or the queue is empty [evangelista09, Algorithm 4].
  enum class Detection { kImmediate, kDelayed };
  // What waits to be expanded: descriptors, or ids that are reconstructed in blocks.
  enum class Queue { kStates, kIds };
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  Detection detection = Detection::kImmediate;
  Queue queue = Queue::kStates;
  CacheSpec cache;
  std::optional<std::uint64_t> cache_size;  // states; default: an eighth of the memory budget
  std::optional<std::uint64_t> candidates;  // of kDelayed, states; default: as many as in the cache
  std::optional<std::uint64_t> queue_block;  // of kIds; default: `candidates`, or 1 if kImmediate
  std::uint64_t seed = 1;                    // of a random cache

  // So many descriptors in cache, candidates and queue together: the search sets all of the above
  // but cache and seed. kFromMemory: as many as half of the memory budget holds.
  static constexpr std::uint64_t kFromMemory = 0;
  std::optional<std::uint64_t> descriptors;
  std::optional<DescriptorSplit> split;  // default: best_split()
};

// What was found best for this number of descriptors [evangelista09, Table 5], with a cache
// F80-D20.
DescriptorSplit best_split(std::uint64_t descriptors);

// Divides a budget of `descriptors` full descriptors among cache, candidates and the block of a
// queue of ids. Everything else in memory is ids, hashes and backedges. REQUIRES: descriptors
// >= 10.
ComBackOptions split_descriptors(std::uint64_t descriptors, const DescriptorSplit& split);

// The search by levels (engine/level_search.h): breadth first, exact, with all threads, its tables
// in memory or on disk.
struct LevelOptions {
  enum class Tables { kAuto, kMemory, kDisk };
  Tables tables = Tables::kAuto;  // kAuto: on disk from when the budget asks for it
  unsigned threads = 1;           //
  unsigned hash_bits = 32;        // in the state table on disk; exactness does not depend on it
  // So many that few states share a hash: the more memory, the more states are to be expected.
  static unsigned hash_bits_for(std::uint64_t memory_bytes);
  std::filesystem::path run_dir{};  // for what is on disk; must be empty or not exist
  // The run is kept: checkpoints at this interval, and what is needed to go on with it or to ask it
  // questions is on disk at the end.
  bool write_run = false;
  std::chrono::duration<double> checkpoint_interval{60};
  // What the run directory may take; the search stops before it would take more.
  std::optional<std::uint64_t> disk_bytes{};
  bool resume = false;  // goes on with the run in run_dir, whatever its last checkpoint has
  KeepLevels keep_levels{};
  IoKind io = IoKind::kAuto;
};

// Hash compaction with caching.
struct LimitedOptions {
  unsigned probes = 3;     // slots that are tried for a state before one is replaced
  std::uint64_t seed = 1;  // of the hash functions and of what is replaced
};

struct SearchOptions {
  SearchOrder order = SearchOrder::kBreadthFirst;
  VisitedMode visited = VisitedMode::kFull;
  unsigned hash_bits = 64;                  // of all modes but kFull, 8..64
  std::uint64_t memory_bytes = 1ull << 30;  // budget for everything the search allocates
  // kCompactImproved, kCompactCache; default: what half of the budget allows
  std::optional<std::uint64_t> table_slots;

  ComBackOptions comback;  // kComBack
  LevelOptions levels;     // kLevels
  LimitedOptions limited;  // kCompactCache
  CachingOptions caching;  // kCache

  // kFull and kCache, depth first: transitions that only lead to what is found otherwise are left
  // out [godefroid95, Algorithm 2]. All states are visited; `transitions` counts those executed.
  bool sleep_sets = false;
  // Whether events that are taken for independent are is looked at in every state; the search fails
  // where they are not.
  bool check_independence = false;
  StoringOptions storing;  // kStoring

  // What counts as a violation; failed assertions and faults of the model always do.
  bool deadlock_is_violation = false;
  std::vector<std::shared_ptr<const Predicate>> invariants;
  bool continue_after_violation = false;

  // Limits; the search ends `incomplete` when one is reached.
  std::optional<std::uint64_t> max_states;
  std::optional<std::uint64_t> max_depth;  // states deeper than this are not expanded
  std::optional<std::chrono::duration<double>> time_limit;
};

enum class Verdict { kComplete, kDeadlock, kAssertion, kInvariant, kError, kIncomplete };
const char* to_string(Verdict verdict);  // "complete", "deadlock", ...

// Why a search is incomplete.
enum class StopReason {
  kNone,
  kMaxStates,
  kMaxDepth,
  kTimeLimit,
  kMemory,
  kTableFull,
  kInterrupted,
  kDisk,       // --disk, or the disk itself, would be full soon
  kCacheFull,  // the stack takes all of it
  kMaxRevisits,
};

const char* to_string(StopReason reason);  // "max-states", "time-limit", ...

// A path from the initial state: states.size() == events.size() + 1. Checked by replaying it
// before it is handed out.
struct Trace {
  std::vector<std::vector<std::byte>> states;
  std::vector<Event> events;
};

struct Violation {
  Verdict kind = Verdict::kComplete;
  std::string
      what;  // "deadlock", "assertion at.dve:12: x < 3", "invariant 'x < 3'", a fault in words
  StateId state = 0;
  std::uint64_t depth = 0;     // length of `trace`
  std::optional<Event> event;  // of kError: the event that failed in that state
  Trace trace;                 // shortest in a breadth-first search
};

struct Summary {
  Verdict verdict = Verdict::kIncomplete;
  StopReason stop_reason = StopReason::kNone;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::vector<std::uint64_t>
      level_sizes;              // breadth-first: states per level, the initial state's first
  std::uint64_t max_depth = 0;  // depth-first: the longest stack
  std::uint64_t events = 0;     // event executions, of exploration and reconstruction
  std::uint64_t reconstruction_events = 0;
  std::uint64_t reconstructions = 0;
  std::uint64_t hash_conflicts = 0;        // pairs of different states found under one hash
  std::uint64_t wraps = 0;                 // values that wrapped (--range-errors wrap)
  std::uint64_t invariant_violations = 0;  // states, counted with continue_after_violation
  std::uint64_t assertion_violations = 0;
  std::optional<CachingCounts> caching;        // kCache, and with sleep sets
  std::optional<double> omission_probability;  // compact modes: of missing at least one state
  // kCompactCache: the table at the end. Where something was replaced, states were forgotten and
  // found again, and `states`, `transitions`, `deadlocks` and violations count what was done, each
  // at least as often as there are.
  struct Table {
    std::uint64_t slots = 0;
    std::uint64_t occupied = 0;
    std::uint64_t replacements = 0;
  };
  std::optional<Table> table;
  // kLevels: a hash over the backedges by id. Equal for every budget and thread count.
  std::optional<std::uint64_t> tree_digest;
  std::uint64_t disk_bytes = 0;   // of the run directory, at the end
  std::uint64_t disk_needed = 0;  // where kDisk stopped it: how much more it would have taken soon
  struct DiskParts {              // of them, the tables; the rest is RocksDB's own
    std::uint64_t states = 0;
    std::uint64_t backedges = 0;
    std::uint64_t levels = 0;
  } disk_parts;
  std::string io;                        // of a search on disk: how it read, "uring" or "pread"
  std::uint64_t spilled_bytes = 0;       // candidates written to disk, in all
  std::string keep_levels;               // of a search on disk: as asked for, or what auto chose
  std::optional<StoringCounts> storing;  // of kStoring
  double seconds = 0;
  std::uint64_t visited_bytes = 0;    // of the visited set alone, at the end
  std::vector<Violation> violations;  // the first of each kind, with traces
};

struct Progress {
  const char* phase = "exploring";
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t queued = 0;        // states found and not yet expanded
  std::uint64_t level = 0;         // breadth-first level, or the depth of the stack
  std::uint64_t memory_bytes = 0;  // held by the search's tables and queues
  std::uint64_t disk_bytes = 0;    // of the run directory, as last measured
  double seconds = 0;
  std::optional<CachingCounts> caching{};  // kCache, and with sleep sets
};

// How a search and the outside talk while it runs.
class Monitor {
 public:
  virtual ~Monitor() = default;
  // Called a few times a second from the searching thread.
  virtual void progress(const Progress& /*progress*/) {}
  // Asks the search to stop soon; safe in a signal handler.
  void request_stop() { stop_.store(true, std::memory_order_relaxed); }
  bool stop_requested() const { return stop_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> stop_{false};
};

// Explores the reachable states of `model`. An error means the search could not be started or the
// machine failed; what the search found, and that it found too little, is in the summary.
Result<Summary> explore(const Model& model, const SearchOptions& options, Monitor& monitor);

}  // namespace comback
