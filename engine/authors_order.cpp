#include "engine/authors_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "storage/bytes.h"

namespace comback {

bool AuthorsOrder::wanted(const Model& model) {
  const auto events = model.events();
  return std::any_of(events.begin(), events.end(),
                     [](const EventInfo& event) { return event.partner != kGlobal; });
}

AuthorsOrder::AuthorsOrder(std::unique_ptr<Model> model)
    : model_(std::move(model)),
      by_rank_(model_->events().size()),
      ranks_(by_rank_.size()),
      buffer_(model_->width(), model_->max_successors()) {
  const auto events = model_->events();
  std::iota(by_rank_.begin(), by_rank_.end(), Event{0});
  const auto key = [&](Event e) {
    const EventInfo& event = events[e];
    if (event.partner == kGlobal) return std::tuple(0, event.process, event.transition, 0u, 0u);
    return std::tuple(1, event.partner, event.partner_transition, event.process, event.transition);
  };
  std::stable_sort(by_rank_.begin(), by_rank_.end(),
                   [&](Event a, Event b) { return key(a) < key(b); });
  for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) ranks_[by_rank_[rank]] = rank;
}

void AuthorsOrder::successors(const std::byte* state, SuccessorBuffer& out) const {
  model_->successors(state, buffer_);
  out.clear();
  order_.resize(buffer_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ranks_[buffer_.event(a)] < ranks_[buffer_.event(b)];
  });
  for (const std::uint32_t i : order_) {
    out.view.events[out.view.count] = ranks_[buffer_.event(i)];
    copy_bytes(out.view.descriptors + out.view.count * width(), buffer_.descriptor(i), width());
    ++out.view.count;
  }
  out.view.faulted = buffer_.view.faulted;
  out.view.fault = buffer_.fault();
  if (buffer_.faulted()) out.view.fault.event = ranks_[buffer_.fault().event];
  out.view.wraps = buffer_.wraps();
}

std::string AuthorsOrder::explain(const Fault& fault) const {
  Fault ours = fault;
  ours.event = by_rank_[fault.event];
  return model_->explain(ours);
}

}  // namespace comback
