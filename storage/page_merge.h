#pragma once

#include <memory>

namespace rocksdb {
class MergeOperator;
}

namespace comback {

// Joins pages (storage/hash_page.h) for RocksDB: into one run when it compacts, side by side when
// it reads.
std::shared_ptr<rocksdb::MergeOperator> make_page_merge();

// RocksDB merges with the same call when it compacts and when it reads, where folding would be paid
// for again each time. While an object of this class lives, what its thread merges is being read.
class ReadingPages {
 public:
  ReadingPages();
  ~ReadingPages();
  ReadingPages(const ReadingPages&) = delete;
  ReadingPages& operator=(const ReadingPages&) = delete;
};

}  // namespace comback
