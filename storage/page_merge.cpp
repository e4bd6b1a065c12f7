#include "storage/page_merge.h"

#include <rocksdb/merge_operator.h>
#include <rocksdb/slice.h>

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "storage/hash_page.h"

namespace comback {
namespace {

thread_local int reading = 0;

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class PageMerge final : public rocksdb::MergeOperator {
 public:
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
    return fold_unless_read(joined);
  }

  bool PartialMergeMulti(const rocksdb::Slice&, const std::deque<rocksdb::Slice>& operands,
                         std::string* joined, rocksdb::Logger*) const override {
    joined->clear();
    for (const rocksdb::Slice& operand : operands) *joined += view(operand);
    return fold_unless_read(*joined);
  }

  const char* Name() const override { return "comback.PageMerge"; }

 private:
  static bool fold_unless_read(std::string& page) {
    if (reading > 0) return true;
    std::string folded;
    if (!fold_page(page, folded)) return false;
    page = std::move(folded);
    return true;
  }
};

}  // namespace

ReadingPages::ReadingPages() { ++reading; }
ReadingPages::~ReadingPages() { --reading; }

std::shared_ptr<rocksdb::MergeOperator> make_page_merge() { return std::make_shared<PageMerge>(); }

}  // namespace comback
