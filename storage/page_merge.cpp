#include "storage/page_merge.h"

#include <rocksdb/merge_operator.h>
#include <rocksdb/slice.h>

#include <optional>
#include <string>
#include <string_view>

#include "storage/hash_page.h"

namespace comback {
namespace {

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class PageMerge final : public rocksdb::MergeOperator {
 public:
  explicit PageMerge(std::size_t most_runs) : most_runs_(most_runs) {}

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    if (in.existing_value == nullptr && in.operand_list.size() == 1) {
      out->existing_operand = in.operand_list[0];
      return true;
    }
    std::string& joined = out->new_value;
    std::size_t bytes = in.existing_value == nullptr ? 0 : in.existing_value->size();
    for (const rocksdb::Slice& operand : in.operand_list) bytes += operand.size();
    joined.clear();
    joined.reserve(bytes);
    if (in.existing_value != nullptr) joined = view(*in.existing_value);
    for (const rocksdb::Slice& operand : in.operand_list) joined += view(operand);
    return fold_if_many(joined);
  }

  bool PartialMergeMulti(const rocksdb::Slice&, const std::deque<rocksdb::Slice>& operands,
                         std::string* joined, rocksdb::Logger*) const override {
    joined->clear();
    for (const rocksdb::Slice& operand : operands) *joined += view(operand);
    return fold_if_many(*joined);
  }

  const char* Name() const override { return "comback.PageMerge"; }

 private:
  bool fold_if_many(std::string& page) const {
    const std::optional<std::size_t> runs = count_runs(page);
    if (!runs) return false;
    if (*runs <= most_runs_) return true;
    std::string folded;
    if (!fold_page(page, folded)) return false;
    page = std::move(folded);
    return true;
  }

  std::size_t most_runs_;
};

}  // namespace

std::shared_ptr<rocksdb::MergeOperator> make_page_merge(std::size_t most_runs) {
  return std::make_shared<PageMerge>(most_runs);
}

}  // namespace comback
