#include "storage/state_pages.h"

namespace comback {

Status PageWriter::finish() {
  if (entries_.empty()) return Done{};
  char key[kPageKeyBytes];
  put_page_key(page_, key);
  packed_.clear();
  append_run(entries_, suffix_bits_, packed_);
  entries_.clear();
  const std::string_view at(key, kPageKeyBytes);
  return mode_ == Mode::kAdd ? writer_->merge(at, packed_) : writer_->put(at, packed_);
}

Status PageReader::seek(std::uint64_t page) {
  if (cursor_.valid() && page_of_key(cursor_.key()) >= page) return Done{};  // stands there already
  char key[kPageKeyBytes];
  put_page_key(page, key);
  cursor_.seek({key, kPageKeyBytes});
  return cursor_.status();
}

Result<bool> PageReader::read(std::uint64_t end) {
  if (!cursor_.valid()) {
    if (auto s = cursor_.status(); !s) return s.error();
    return false;
  }
  const std::uint64_t page = page_of_key(cursor_.key());
  if (page >= end) return false;
  page_ = page;
  if (!decode_page(cursor_.value(), suffix_bits_, entries_)) {
    return Error{Errc::kCorruption, "page " + std::to_string(page_) + " is corrupt"};
  }
  cursor_.next();
  return true;
}

}  // namespace comback
