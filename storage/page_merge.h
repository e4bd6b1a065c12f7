#pragma once

#include <memory>

namespace rocksdb {
class MergeOperator;
}

namespace comback {

// Joins pages (storage/hash_page.h) for RocksDB. Runs are laid side by side; when there would be
// more than `most_runs`, they are folded into one.
std::shared_ptr<rocksdb::MergeOperator> make_page_merge(std::size_t most_runs);

}  // namespace comback
