#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/diagnostic.h"

namespace comback {

// What leads from a state to a successor. Deterministic: a state and an event have one result;
// where one transition of a model can have several, the event says which.
using Event = std::uint32_t;

// Models and searches may read whole words past a descriptor's end: memory that ends with one has
// so many bytes more.
inline constexpr std::size_t kDescriptorSlack = 64;

// A run-time error of a model: an event that cannot be carried out. Model::explain tells it in
// words.
struct Fault {
  static constexpr std::uint32_t kNone = 0xffffffff;
  Event event = 0;
  std::uint32_t site = kNone;  // the place in the model that failed
  std::int64_t value = 0;      // the offending value
};

// The successors of one state: `count` events, and as many descriptors packed one after the other.
// A caller makes one per thread and reuses it for every state; nothing is allocated after that.
//
// Plain data, because native code compiled from a model fills it in.
class SuccessorBuffer {
 public:
  // REQUIRES: at most `max_successors` are ever written.
  SuccessorBuffer(std::size_t width, std::size_t max_successors)
      : width_(width),
        bytes_(std::make_unique<std::byte[]>(width * max_successors + kDescriptorSlack)),
        event_storage_(std::make_unique<Event[]>(max_successors + 1)) {
    view.descriptors = bytes_.get();
    view.events = event_storage_.get();
  }

  struct View {
    std::byte* descriptors = nullptr;
    Event* events = nullptr;
    std::uint32_t count = 0;
    std::uint32_t faulted = 0;  // 1: `fault` is set, and its event has no successor here
    Fault fault{};
    std::uint64_t wraps = 0;  // stored values that wrapped; counts up over the buffer's life
  };

  void clear() {
    view.count = 0;
    view.faulted = 0;
  }
  std::uint32_t size() const { return view.count; }
  Event event(std::size_t i) const { return view.events[i]; }
  const std::byte* descriptor(std::size_t i) const { return view.descriptors + i * width_; }
  bool faulted() const { return view.faulted != 0; }
  const Fault& fault() const { return view.fault; }
  std::uint64_t wraps() const { return view.wraps; }

  View view;

 private:
  std::size_t width_;
  std::unique_ptr<std::byte[]> bytes_;
  std::unique_ptr<Event[]> event_storage_;
};

// --- What a model is made of, for people and for searches that look inside --------------------

inline constexpr std::uint32_t kGlobal = 0xffffffff;  // "no process"
inline constexpr std::uint32_t kWholeArray = 0xffffffff;

// A component of the state. A process's control location is a variable too; so are the contents
// of a buffered channel: element 0 is the number of messages, then come the items of each possible
// message, the oldest message first; the items of messages that are not there are 0.
struct VariableInfo {
  enum class Kind : std::uint8_t { kLocation, kData, kChannel };
  std::string name;  // "next", "Slot", "P_0", "P_0.my_place"
  Kind kind = Kind::kData;
  std::uint32_t process = kGlobal;  // owner, or kGlobal
  std::uint32_t length = 0;         // elements of an array; 0 for a scalar
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::string> value_names;  // of locations, by value; empty otherwise
  std::size_t offset_bytes = 0;          // in the descriptor
  std::size_t element_bytes = 1;         // of a channel: those of one message
  std::uint32_t message_items = 0;       // of a channel: items of one message
};

// A use of a variable: one element where it is known before the model runs, or all of them.
struct VariableUse {
  std::uint32_t variable = 0;
  std::uint32_t element = kWholeArray;  // kWholeArray: a scalar, or an index computed at run time
  friend bool operator==(const VariableUse&, const VariableUse&) = default;
};

enum class EventKind : std::uint8_t { kBranch, kReceive, kSend, kAssignment, kOther };

// One assignment of an effect.
struct EffectInfo {
  enum class Form : std::uint8_t { kSet, kAdd, kOther };  // := constant, += constant, anything else
  VariableUse target;
  Form form = Form::kOther;
  std::int64_t amount = 0;  // of kSet and kAdd
  std::string text;
};

// A conjunct of a guard that compares a variable with a constant; other conjuncts are not listed.
struct ComparisonInfo {
  enum class Op : std::uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  VariableUse variable;
  Op op = Op::kEqual;
  std::int64_t constant = 0;
};

// An edge of a process's control graph.
struct TransitionInfo {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::uint32_t line = 0;
  EventKind kind = EventKind::kOther;
  std::string guard;  // source text; empty: always true
  std::vector<ComparisonInfo> comparisons;
  std::vector<EffectInfo> effects;  // in order; a received value is a kOther at the front
  std::string channel;              // of a send or receive
  std::vector<VariableUse> guard_reads;
  std::vector<VariableUse> reads;   // of guard, sent values, effects and indices
  std::vector<VariableUse> writes;  // without the process's own location
};

struct LocationInfo {
  std::string name;
  bool committed = false;
  bool accepting = false;
};

struct ProcessInfo {
  std::string name;
  std::uint32_t initial = 0;
  std::vector<LocationInfo> locations;
  std::vector<TransitionInfo> transitions;  // in declaration order
};

// What processes send messages through. A buffered channel's contents are a variable, too.
struct ChannelInfo {
  std::string name;
  std::vector<std::string> items;  // the types of one message; empty: untyped
  std::uint32_t capacity = 0;      // 0: rendezvous
  std::uint32_t line = 0;
};

// A static event: one transition, or the two that meet in a rendezvous.
struct EventInfo {
  std::uint32_t process = kGlobal;  // of the transition; of the receiver in a rendezvous
  std::uint32_t transition = 0;     // index in its process
  std::uint32_t partner = kGlobal;  // sending process of a rendezvous
  std::uint32_t partner_transition = 0;
  EventKind kind = EventKind::kOther;
  std::vector<VariableUse> reads;   // with the locations it tests
  std::vector<VariableUse> writes;  // with the locations it moves
};

// An expression of the model's language over one state.
class Predicate {
 public:
  virtual ~Predicate() = default;
  // Empty where it cannot be evaluated in that state (an index out of range, a division by zero).
  virtual std::optional<std::int64_t> evaluate(const std::byte* state) const = 0;
  virtual const std::string& text() const = 0;
};

using PredicateResult = std::variant<std::unique_ptr<Predicate>, Diagnostics>;

// A finite transition system over packed descriptors of one fixed width.
//
// Every method is a pure function of its arguments: same bytes in, same bytes out, in the same
// order, in every run and on every thread. ComBack rebuilds a state by executing events, so a
// model that breaks this makes the engine wrong without making it fail.
// tests/models/contract_test.cpp checks each model.
//
// Equal states have equal bytes: padding, where there is any, is zero.
class Model {
 public:
  virtual ~Model() = default;

  virtual const std::string& name() const = 0;
  virtual std::size_t width() const = 0;           // bytes of a descriptor, > 0
  virtual std::size_t max_successors() const = 0;  // of any one state

  // REQUIRES: width() bytes at `out`, here and below.
  virtual void initial(std::byte* out) const = 0;

  // Replaces the contents of `out` with the successors of `state`, by increasing event.
  virtual void successors(const std::byte* state, SuccessorBuffer& out) const = 0;

  // Turns `state` into its successor by `event`. REQUIRES: successors(state) lists `event`.
  virtual void execute(std::byte* state, Event event) const = 0;

  // The first assertion of the model that fails in `state`, or -1.
  virtual bool has_assertions() const { return false; }
  virtual int failed_assertion(const std::byte* /*state*/) const { return -1; }
  // Empty past the last assertion.
  virtual std::string describe_assertion(int /*index*/) const { return {}; }

  // --- for people ---
  virtual std::span<const VariableInfo> variables() const = 0;
  // `element` is 0 for a scalar.
  virtual std::int64_t value(const std::byte* state, std::uint32_t variable,
                             std::uint32_t element) const = 0;
  // What `event` does in `state`, or anywhere where `state` is null.
  virtual std::string describe_event(const std::byte* state, Event event) const = 0;
  virtual std::string explain(const Fault& fault) const = 0;
  virtual PredicateResult predicate(std::string_view text) const = 0;

  // --- for searches that look inside ---
  // The static events by number; empty where a model's events have no fixed numbers.
  virtual std::span<const EventInfo> events() const = 0;
  virtual std::span<const ProcessInfo> processes() const = 0;
  virtual std::span<const ChannelInfo> channels() const { return {}; }
  // Whether a stored value that leaves its variable's range comes back at the other end.
  virtual bool values_wrap() const { return false; }
  // The name of the property process that the model declares and that is left out of the state;
  // empty where there is none.
  virtual std::string_view ignored_property() const { return {}; }

  // What executes the model just now: "native", "interpreted".
  virtual std::string_view backend() const = 0;
};

// "next=0 Slot=[1,0] box=[(0,3),(1,-4)] P_0=NCS P_0.my_place=0"
std::string describe_state(const Model& model, const std::byte* state);

}  // namespace comback
