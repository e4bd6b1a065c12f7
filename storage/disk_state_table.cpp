#include "storage/disk_state_table.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cstring>

#include "storage/hash_page.h"
#include "storage/state_pages.h"

namespace comback {
namespace {

constexpr std::string_view kMetaKey = "states";
constexpr std::string_view kFamilyPrefix = "states.";
constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kMetaNumbers = 4;
constexpr std::uint64_t kEntriesPerTask = std::uint64_t{1} << 17;
constexpr std::size_t kMostTasks = 16;
constexpr std::size_t kChunk = 8192;  // hashes looked up together
constexpr std::size_t kReadAheadBytes = std::size_t{256} << 10;
constexpr std::uint64_t kSeekFrom = 16;  // pages to pass

std::string family_name(unsigned page_bits) {
  return std::string(kFamilyPrefix) + std::to_string(page_bits);
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

// Runs `work` for each task, and returns the error of the first task that has one.
template <class Work>
Status run_tasks(std::size_t tasks, const ForEachTask& for_each, Work&& work) {
  std::vector<Status> results(tasks, Status(Done{}));
  for_each(tasks, [&](std::size_t task) { results[task] = work(task); });
  for (Status& result : results) {
    if (!result) return result;
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<DiskStateTable>> DiskStateTable::open(RunDatabase& database,
                                                             const Options& options,
                                                             MemoryBudget& budget) {
  if (options.hash_bits < 8 || options.hash_bits > 64) {
    return Error{Errc::kInvalidArgument, "a state table keeps 8 to 64 bits of a hash"};
  }
  auto meta = options.empty ? std::optional<std::string>() : database.meta(kMetaKey);
  if (!meta) return meta.error();

  Options actual = options;
  std::array<std::uint64_t, kMetaNumbers> numbers{};
  if (*meta) {
    if ((*meta)->size() != sizeof numbers) {
      return Error{Errc::kCorruption, "state table: meta data of the wrong size"};
    }
    std::memcpy(numbers.data(), (*meta)->data(), sizeof numbers);
    if (numbers[0] != kFormat) {
      return Error{Errc::kUnsupported, "state table: format " + std::to_string(numbers[0])};
    }
    if (numbers[1] < 8 || numbers[1] > 64 || numbers[2] > numbers[1] ||
        numbers[2] > kMostPageBits) {
      return Error{Errc::kCorruption, "state table: impossible meta data"};
    }
    actual.hash_bits = static_cast<unsigned>(numbers[1]);
  }
  std::unique_ptr<DiskStateTable> table(new DiskStateTable(database, actual, budget));
  if (*meta) {
    table->page_bits_ = static_cast<unsigned>(numbers[2]);
    table->committed_ = numbers[3];
    table->pages_ = database.find_family(family_name(table->page_bits_));
    if (table->pages_ == nullptr) {
      return Error{Errc::kCorruption, "state table: no family " + family_name(table->page_bits_)};
    }
    table->delta_.clear(table->committed_);
  }
  if (!database.read_only()) {
    for (Family* family : database.families(kFamilyPrefix)) {
      if (family == table->pages_) continue;
      if (auto s = database.drop_family(*family); !s) return s.error();
    }
  }
  return table;
}

std::string DiskStateTable::meta(unsigned page_bits, std::uint64_t committed) const {
  const std::array<std::uint64_t, kMetaNumbers> numbers = {kFormat, hash_bits_, page_bits,
                                                           committed};
  return {reinterpret_cast<const char*>(numbers.data()), sizeof numbers};
}

unsigned DiskStateTable::page_bits_for(std::uint64_t entries) const {
  const std::uint64_t pages = entries / std::max<std::uint64_t>(page_entries_ / 4, 1);
  return std::min({static_cast<unsigned>(std::bit_width(pages)), hash_bits_, kMostPageBits});
}

Error DiskStateTable::corrupt_page(std::uint64_t page) const {
  return {Errc::kCorruption,
          "page " + std::to_string(page) + " of " + family_name(page_bits_) + " is corrupt"};
}

Status DiskStateTable::stage(Commit& commit, const ForEachTask& for_each) {
  const std::uint64_t total = size();
  const bool grow =
      pages_ == nullptr || (total / page_entries_ >= (std::uint64_t{1} << page_bits_) &&
                            page_bits_for(total) > page_bits_);
  const unsigned page_bits = grow ? page_bits_for(total) : page_bits_;
  Family* family = pages_;
  if (grow) {
    family = database_->find_family(family_name(page_bits));  // of a commit that failed
    if (family == nullptr) {
      auto created = database_->create_family(family_name(page_bits));
      if (!created) return created.error();
      family = *created;
    }
  }

  // Tasks take whole shares of the delta and whole pages, of the old family and the new.
  const std::uint64_t entries = grow ? total : delta_.size();
  std::size_t tasks =
      std::bit_floor(std::clamp<std::uint64_t>(entries / kEntriesPerTask, 1, kMostTasks));
  tasks = std::min({tasks, delta_.shares(), std::size_t{1} << std::min(page_bits, 10u)});
  if (pages_ != nullptr) tasks = std::min(tasks, std::size_t{1} << std::min(page_bits_, 10u));
  const std::size_t shares = delta_.shares() / tasks;
  auto staged = run_tasks(tasks, for_each, [&](std::size_t task) {
    SortedWriter writer(commit, *family);
    PageWriter pages(writer, hash_bits_, page_bits,
                     grow ? PageWriter::Mode::kWhole : PageWriter::Mode::kAdd);
    auto s = grow && pages_ != nullptr ? rewrite_shares(pages, task * shares, shares)
                                       : stage_shares(pages, task * shares, shares);
    if (!s) return s;
    if (s = pages.finish(); !s) return s;
    return writer.finish();
  });
  if (!staged) return staged;

  commit.put_meta(kMetaKey, meta(page_bits, total));
  commit.when_finished([this, for_each, family, page_bits, total] {
    if (filter_) {
      constexpr std::size_t kPartitions = std::size_t{1} << StateFilter::kPartitionBits;
      const std::size_t parts = std::min(delta_.shares(), kPartitions);
      const std::size_t per_part = delta_.shares() / parts;
      for_each(parts, [&](std::size_t part) {
        for (std::size_t share = part * per_part; share < (part + 1) * per_part; ++share) {
          delta_.for_each_entry(share, [&](std::uint64_t hash, std::uint64_t) {
            filter_.insert(hash << (64 - hash_bits_));
          });
        }
      });
    }
    if (family != pages_) {
      // What cannot be dropped now is dropped when the table is opened again.
      if (pages_ != nullptr) {
        [[maybe_unused]] const Status dropped = database_->drop_family(*pages_);
      }
      pages_ = family;
      page_bits_ = page_bits;
    }
    committed_ = total;
    delta_.clear(committed_);
  });
  return Done{};
}

Status DiskStateTable::stage_shares(PageWriter& pages, std::size_t first, std::size_t count) const {
  Status status = Done{};
  for (std::size_t share = first; share < first + count && status; ++share) {
    delta_.for_each_entry(share, [&](std::uint64_t hash, std::uint64_t id) {
      if (status) status = pages.add(hash, id);
    });
  }
  return status;
}

Status DiskStateTable::rewrite_shares(PageWriter& pages, std::size_t first,
                                      std::size_t count) const {
  const unsigned share_bits = static_cast<unsigned>(std::bit_width(delta_.shares())) - 1;
  // The range of hashes is cut into pieces that are whole pages and whole shares.
  const unsigned piece_bits = std::min(share_bits, page_bits_);
  const std::size_t shares_per_piece = std::size_t{1} << (share_bits - piece_bits);
  const std::size_t pages_per_piece = std::size_t{1} << (page_bits_ - piece_bits);

  PageReader reader(*database_, *pages_, hash_bits_, page_bits_);
  std::vector<PageEntry> fresh;
  for (std::size_t share = first; share < first + count; share += shares_per_piece) {
    fresh.clear();
    for (std::size_t s = share; s < share + shares_per_piece; ++s) {
      delta_.for_each_entry(s, [&](std::uint64_t hash, std::uint64_t id) {
        fresh.push_back({hash, id});
      });
    }
    const std::uint64_t page = share / shares_per_piece * pages_per_piece;
    auto next = fresh.begin();
    auto s = reader.for_each_entry(
        page, page + pages_per_piece, [&](std::uint64_t hash, std::uint64_t id) -> Status {
          for (; next != fresh.end() && *next < PageEntry{hash, id}; ++next) {
            if (auto added = pages.add(next->suffix, next->id); !added) return added;
          }
          return pages.add(hash, id);
        });
    if (!s) return s;
    for (; next != fresh.end(); ++next) {
      if (s = pages.add(next->suffix, next->id); !s) return s;
    }
  }
  return Done{};
}

bool DiskStateTable::CostModel::walk(std::uint64_t touched, std::uint64_t pages, bool stands) {
  const double read = read_ns_.load(std::memory_order_relaxed) * static_cast<double>(touched);
  const double start = stands ? 0 : start_ns_.load(std::memory_order_relaxed);
  const double walk = start + walk_ns_.load(std::memory_order_relaxed) * static_cast<double>(pages);
  // Now and then the other way, where it costs little: or its cost would never be learnt again.
  const bool near = read < 2 * walk && walk < 2 * read;
  const bool explore = near && choices_.fetch_add(1, std::memory_order_relaxed) % 32 == 31;
  return (walk < read) != explore;
}

void DiskStateTable::CostModel::learn(std::atomic<double>& cost, std::uint64_t count,
                                      std::uint64_t ns) {
  if (count == 0) return;
  const double measured = static_cast<double>(ns) / static_cast<double>(count);
  const double old = cost.load(std::memory_order_relaxed);
  const double weight = std::min(0.25, static_cast<double>(count) / 256);
  cost.store(old + (measured - old) * weight, std::memory_order_relaxed);
}

Status DiskStateTable::lookup(std::span<const std::uint64_t> hashes, Part part,
                              Matches& out) const {
  assert(std::is_sorted(hashes.begin(), hashes.end()));
  out.found.clear();
  if (part != Part::kCommitted) delta_.lookup(hashes, out.found);
  const auto uncommitted = static_cast<std::ptrdiff_t>(out.found.size());
  if (part != Part::kUncommitted && committed_ > 0) {
    if (auto s = lookup_committed(hashes, out); !s) return s;
    std::inplace_merge(out.found.begin(), out.found.begin() + uncommitted, out.found.end());
    counters_.matches += out.found.size() - static_cast<std::size_t>(uncommitted);
  }
  return Done{};
}

Status DiskStateTable::lookup_committed(std::span<const std::uint64_t> hashes, Matches& out) const {
  constexpr std::size_t kAhead = 16;
  std::optional<FamilyCursor> cursor;
  const auto look = [&]() -> Status {
    if (out.maybe.empty()) return Done{};
    const std::uint64_t span = out.touched.back().page - out.touched.front().page + 1;
    Status s = costs_.walk(out.touched.size(), span, cursor.has_value())
                   ? walk_pages(hashes, cursor, out)
                   : read_pages(hashes, out);
    out.maybe.clear();
    out.touched.clear();
    return s;
  };
  out.maybe.clear();
  out.touched.clear();
  std::uint64_t filtered = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (filter_) {
      if (i + kAhead < hashes.size()) filter_.prefetch(hashes[i + kAhead]);
      if (!filter_.may_contain(hashes[i])) {
        ++filtered;
        continue;
      }
    }
    const std::uint64_t page = page_of(hashes[i]);
    if (out.touched.empty() || out.touched.back().page != page) {
      if (out.maybe.size() >= kChunk) {
        if (auto s = look(); !s) return s;
      }
      out.touched.push_back({page, 0});
    }
    out.maybe.push_back(i);
    out.touched.back().end = out.maybe.size();
  }
  counters_.hashes += hashes.size();
  counters_.filtered += filtered;
  return look();
}

Status DiskStateTable::read_pages(std::span<const std::uint64_t> hashes, Matches& out) const {
  const std::uint64_t start = now_ns();
  std::uint64_t searching = 0;
  const std::size_t pages = out.touched.size();
  out.key_bytes.resize(pages * kPageKeyBytes);
  out.keys.clear();
  for (std::size_t i = 0; i < pages; ++i) {
    char* const key = out.key_bytes.data() + i * kPageKeyBytes;
    put_page_key(out.touched[i].page, key);
    out.keys.emplace_back(key, kPageKeyBytes);
  }
  auto s = database_->get_many(*pages_, out.keys, [&](std::size_t i, std::string_view page) {
    const std::uint64_t found = now_ns();
    auto searched = search_page(hashes, i, page, out);
    searching += now_ns() - found;
    return searched;
  });
  const std::uint64_t took = now_ns() - start - searching;
  costs_.read_took(pages, took);
  counters_.pages_read += pages;
  counters_.read_ns += took;
  return s;
}

Status DiskStateTable::walk_pages(std::span<const std::uint64_t> hashes,
                                  std::optional<FamilyCursor>& cursor, Matches& out) const {
  std::uint64_t start = now_ns();
  std::uint64_t searching = 0;
  std::uint64_t walked = 0;
  char key[kPageKeyBytes];
  if (!cursor) {
    cursor.emplace(*database_, *pages_, FamilyCursor::Options{kReadAheadBytes});
    put_page_key(out.touched.front().page, key);
    cursor->seek({key, kPageKeyBytes});
    const std::uint64_t started = now_ns();
    costs_.start_took(started - start);
    start = started;
  }
  for (std::size_t i = 0; i < out.touched.size() && cursor->valid(); ++i) {
    const std::uint64_t wanted = out.touched[i].page;
    std::uint64_t at = page_of_key(cursor->key());
    if (wanted > at && wanted - at > kSeekFrom) {
      put_page_key(wanted, key);
      cursor->seek({key, kPageKeyBytes});
      ++walked;
    }
    while (cursor->valid() && (at = page_of_key(cursor->key())) < wanted) {
      cursor->next();
      ++walked;
    }
    if (!cursor->valid() || at != wanted) continue;
    const std::uint64_t found = now_ns();
    if (auto s = search_page(hashes, i, cursor->value(), out); !s) return s;
    searching += now_ns() - found;
  }
  const std::uint64_t took = now_ns() - start - searching;
  costs_.walk_took(walked, took);
  counters_.pages_walked += walked;
  counters_.walk_ns += took;
  return cursor->status();
}

Status DiskStateTable::search_page(std::span<const std::uint64_t> hashes, std::size_t touched,
                                   std::string_view page, Matches& out) const {
  const std::size_t first = touched == 0 ? 0 : out.touched[touched - 1].end;
  const std::size_t end = out.touched[touched].end;
  const unsigned suffix_bits = hash_bits_ - page_bits_;
  const std::uint64_t mask = low_bits(suffix_bits);
  const std::size_t before = out.found.size();
  std::size_t runs = 0;
  for (; !page.empty(); ++runs) {
    const std::optional<PageRun> run = PageRun::take(page);
    if (!run || run->suffix_bits() != suffix_bits) return corrupt_page(out.touched[touched].page);
    PageRun::Cursor cursor(*run);
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t index = out.maybe[i];
      const std::uint64_t suffix = hashes[index] >> (64 - hash_bits_) & mask;
      if (!cursor.find(suffix, [&](std::uint64_t id) { out.found.push_back({index, id}); })) {
        return corrupt_page(out.touched[touched].page);
      }
    }
  }
  if (runs > 1) {
    std::sort(out.found.begin() + static_cast<std::ptrdiff_t>(before), out.found.end());
  }
  return Done{};
}

Status DiskStateTable::resize_filter(std::uint64_t bytes, const ForEachTask& for_each) {
  filter_ = StateFilter();
  if (bytes == 0) return Done{};
  // Sized for twice what there is: it is filled further with every commit.
  StateFilter filter = StateFilter::allocate(bytes, std::max<std::uint64_t>(2 * size(), 1 << 20),
                                             hash_bits_, *budget_);
  if (!filter) return Done{};
  if (pages_ != nullptr) {
    const unsigned part_bits = std::min(StateFilter::kPartitionBits, page_bits_);
    const std::uint64_t pages = std::uint64_t{1} << (page_bits_ - part_bits);
    auto s = run_tasks(std::size_t{1} << part_bits, for_each, [&](std::size_t part) {
      PageReader reader(*database_, *pages_, hash_bits_, page_bits_);
      return reader.for_each_entry(part * pages, (part + 1) * pages,
                                   [&](std::uint64_t hash, std::uint64_t) -> Status {
                                     filter.insert(hash << (64 - hash_bits_));
                                     return Done{};
                                   });
    });
    if (!s) return s;
  }
  filter_ = std::move(filter);
  return Done{};
}

Status DiskStateTable::for_each_committed(
    const std::function<void(std::uint64_t hash, std::uint64_t id)>& on_entry) const {
  if (pages_ == nullptr) return Done{};
  PageReader reader(*database_, *pages_, hash_bits_, page_bits_);
  return reader.for_each_entry(0, std::uint64_t{1} << page_bits_,
                               [&](std::uint64_t hash, std::uint64_t id) -> Status {
                                 on_entry(hash, id);
                                 return Done{};
                               });
}

std::uint64_t DiskStateTable::file_bytes() const {
  return pages_ == nullptr ? 0 : database_->file_bytes(*pages_);
}

DiskStateTable::Counters DiskStateTable::counters() const {
  return {counters_.hashes,  counters_.filtered, counters_.pages_read, counters_.pages_walked,
          counters_.read_ns, counters_.walk_ns,  counters_.matches};
}

}  // namespace comback
