#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/result.h"
#include "storage/commit.h"
#include "storage/for_each_task.h"
#include "storage/memory_budget.h"
#include "storage/run_database.h"
#include "storage/state_delta.h"
#include "storage/state_entry.h"
#include "storage/state_filter.h"

namespace comback {

class PageWriter;

// The state table of the ComBack method [westergaard07] on disk: hash -> ids.
//
// The leading page_bits of a hash number a page; the family `states.PAGE_BITS` has a value for
// every page that is not empty (storage/hash_page.h). A commit adds a packed run to the pages. When
// pages have become too large on average, a commit rewrites them all into a new family with more
// pages and the old one is dropped; as there are four times as many, an entry is rewritten rarely.
//
// What is not committed is in a StateDelta. A StateFilter in front of the pages answers for most
// hashes that they do not hold.
//
// Invariants:
//   I1  Exact: lookup() finds the ids of all states inserted whose kept hash bits agree, and no
//       others, each once; whatever is committed, filtered, cached or compacted.
//   I2  What a commit that finished has staged is found after reopening; nothing else is.
//
// Threads: lookup() by any number, not beside other methods that are not const.
class DiskStateTable {
 public:
  struct Options {
    unsigned hash_bits = 40;  // of a new table: those that are kept, 8 to 64
    // Pages are split when they hold more entries than this on average. Then they hold a quarter.
    std::uint64_t page_entries = 2048;
    bool empty = false;  // whatever the database has of it is forgotten
  };
  // REQUIRES: `database` and `budget` outlive the table.
  static Result<std::unique_ptr<DiskStateTable>> open(RunDatabase& database, const Options& options,
                                                      MemoryBudget& budget);

  // Adds all of `entries` to what is not committed. False, and none added, where the budget does
  // not allow it: stage() and finish a commit first.
  // REQUIRES: sorted by hash; ids not smaller than size() before the last commit.
  [[nodiscard]] bool insert(std::span<const StateEntry> entries, const ForEachTask& for_each) {
    return delta_.insert(entries, for_each);
  }

  // Prepares what is not committed for `commit`; when that finishes, it is committed.
  Status stage(Commit& commit, const ForEachTask& for_each);

  enum class Part { kCommitted, kUncommitted, kAll };

  // Matches of one lookup(), and what it needs to work: reuse it, with one per thread.
  struct Matches {
    std::vector<StateMatch> found;

   private:
    friend class DiskStateTable;
    struct TouchedPage {
      std::uint64_t page;
      std::size_t end;  // in `maybe`
    };
    std::vector<std::size_t> maybe;    // hashes that the filter lets through
    std::vector<TouchedPage> touched;  // their pages
    std::string key_bytes;
    std::vector<std::string_view> keys;
  };

  // The ids with each hash, into out.found, by rising index and then id. Looks into pages one by
  // one or walks through all of them, whichever costs less.
  // REQUIRES: `hashes` is sorted.
  Status lookup(std::span<const std::uint64_t> hashes, Part part, Matches& out) const;

  // False: no committed state has this hash.
  bool may_be_committed(std::uint64_t hash) const {
    return committed_ != 0 && filter_.may_contain(hash);
  }

  // Replaces the filter by one of about `bytes` (0 for none), filled from the pages in one pass
  // over them. Where the budget refuses, there is no filter and that is not an error. A new table
  // and a reopened one have none.
  Status resize_filter(std::uint64_t bytes, const ForEachTask& for_each);
  std::uint64_t filter_bytes() const { return filter_.bytes(); }

  // Calls on_entry(truncated hash, id) for every committed entry, by rising hash and id.
  Status for_each_committed(
      const std::function<void(std::uint64_t hash, std::uint64_t id)>& on_entry) const;

  std::uint64_t size() const { return committed_ + delta_.size(); }
  std::uint64_t committed() const { return committed_; }
  const StateDelta& delta() const { return delta_; }
  unsigned hash_bits() const { return hash_bits_; }
  unsigned page_bits() const { return page_bits_; }
  std::uint64_t file_bytes() const;

  struct Counters {
    std::uint64_t hashes = 0;        // looked up among what is committed
    std::uint64_t filtered = 0;      // of those, answered by the filter
    std::uint64_t pages_read = 0;    // one by one
    std::uint64_t pages_walked = 0;  // one after the other
    std::uint64_t read_ns = 0;       // getting at those pages; searching them is not counted
    std::uint64_t walk_ns = 0;
    std::uint64_t matches = 0;
  };
  Counters counters() const;

 private:
  DiskStateTable(RunDatabase& database, const Options& options, MemoryBudget& budget)
      : database_(&database),
        budget_(&budget),
        hash_bits_(options.hash_bits),
        page_entries_(options.page_entries),
        delta_(options.hash_bits, budget) {}

  struct AtomicCounters {
    std::atomic<std::uint64_t> hashes{0}, filtered{0}, pages_read{0}, pages_walked{0};
    std::atomic<std::uint64_t> read_ns{0}, walk_ns{0}, matches{0};
  };
  // What it costs to get at pages, as measured lately; searching them costs the same either way.
  class CostModel {
   public:
    // Whether to walk through `pages` that `touched` are among, given that a cursor `stands` there.
    bool walk(std::uint64_t touched, std::uint64_t pages, bool stands);
    void read_took(std::uint64_t pages, std::uint64_t ns) { learn(read_ns_, pages, ns); }
    void walk_took(std::uint64_t pages, std::uint64_t ns) { learn(walk_ns_, pages, ns); }
    void start_took(std::uint64_t ns) { learn(start_ns_, 1, ns); }

   private:
    static void learn(std::atomic<double>& cost, std::uint64_t count, std::uint64_t ns);
    std::atomic<double> read_ns_{4000};    // a page
    std::atomic<double> walk_ns_{1500};    // a page
    std::atomic<double> start_ns_{50000};  // a walk
    std::atomic<std::uint32_t> choices_{0};
  };

  std::string meta(unsigned page_bits, std::uint64_t committed) const;
  std::uint64_t page_of(std::uint64_t hash) const {
    return page_bits_ == 0 ? 0 : hash >> (64 - page_bits_);
  }
  unsigned page_bits_for(std::uint64_t entries) const;

  Status stage_shares(PageWriter& pages, std::size_t first, std::size_t count) const;
  Status rewrite_shares(PageWriter& pages, std::size_t first, std::size_t count) const;
  Status lookup_committed(std::span<const std::uint64_t> hashes, Matches& out) const;
  Status read_pages(std::span<const std::uint64_t> hashes, Matches& out) const;
  Status walk_pages(std::span<const std::uint64_t> hashes, std::optional<FamilyCursor>& cursor,
                    Matches& out) const;
  Status search_page(std::span<const std::uint64_t> hashes, std::size_t touched,
                     std::string_view page, Matches& out) const;
  Error corrupt_page(std::uint64_t page) const;

  RunDatabase* database_;
  MemoryBudget* budget_;
  unsigned hash_bits_;
  std::uint64_t page_entries_;
  StateDelta delta_;
  StateFilter filter_;
  Family* pages_ = nullptr;  // null until the first commit
  unsigned page_bits_ = 0;
  std::uint64_t committed_ = 0;
  mutable CostModel costs_;
  mutable AtomicCounters counters_;
};

}  // namespace comback
