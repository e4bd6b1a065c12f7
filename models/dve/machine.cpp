#include "models/dve/machine.h"

#include <algorithm>
#include <cstring>

#include "models/dve/arithmetic.h"

namespace comback::dve {

namespace {

inline std::int64_t load8(const std::byte* p) { return static_cast<std::uint8_t>(*p); }
inline std::int64_t load16(const std::byte* p) {
  return static_cast<std::int16_t>(
      static_cast<std::uint16_t>(p[0]) |
      static_cast<std::uint16_t>(static_cast<std::uint16_t>(p[1]) << 8));
}
inline void store8(std::byte* p, std::int64_t v) { *p = static_cast<std::byte>(v); }
inline void store16(std::byte* p, std::int64_t v) {
  p[0] = static_cast<std::byte>(v);
  p[1] = static_cast<std::byte>(static_cast<std::uint64_t>(v) >> 8);
}

inline bool fits8(std::int64_t v) { return static_cast<std::uint64_t>(v) <= 255; }
inline bool fits16(std::int64_t v) { return v == static_cast<std::int16_t>(v); }

// memcpy for the widths of most models: two copies of a fixed size that may overlap.
inline void copy_descriptor(std::byte* to, const std::byte* from, std::size_t width) {
  if (width > 64) {
    std::memcpy(to, from, width);
  } else if (width > 32) {
    std::memcpy(to, from, 32);
    std::memcpy(to + width - 32, from + width - 32, 32);
  } else if (width > 16) {
    std::memcpy(to, from, 16);
    std::memcpy(to + width - 16, from + width - 16, 16);
  } else if (width >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + width - 8, from + width - 8, 8);
  } else {
    for (std::size_t i = 0; i < width; ++i) to[i] = from[i];
  }
}

// Zen and older Intel cores divide 32 bits several times faster than 64.
inline bool small(std::int64_t a, std::int64_t b) {
  return (static_cast<std::uint64_t>(a | b) >> 32) == 0;
}
inline std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return small(a, b) ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : divide(a, b);
}
inline std::int64_t modulus(std::int64_t a, std::int64_t b) {
  return small(a, b) ? static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b)
                     : remainder(a, b);
}

void pop_message(std::byte* channel, std::size_t message_bytes, std::size_t capacity) {
  std::byte* const items = channel + 1;
  std::memmove(items, items + message_bytes, (capacity - 1) * message_bytes);
  std::memset(items + (capacity - 1) * message_bytes, 0, message_bytes);
  store8(channel, load8(channel) - 1);
}

// The two uses of the machine: all successors of a state, or one piece of code.
struct Successors {
  static constexpr bool kAll = true;
  const SuccessorCode& code;
  SuccessorBuffer::View& out;
};
struct Piece {
  static constexpr bool kAll = false;
};

template <class Use>
Outcome dispatch(const Code& code, std::uint32_t start, const std::byte* const state,
                 std::byte* successor, [[maybe_unused]] const Use& use) {
#define COMBACK_DVE_LABEL(NAME) &&op_##NAME,
#define COMBACK_DVE_BINARY_LABELS(NAME) \
  &&op_ByteConstant##NAME, &&op_Constant##NAME, &&op_Byte##NAME, &&op_Temporary##NAME,
#define COMBACK_DVE_JUMP_LABELS(NAME)                                              \
  &&op_UnlessByteConstant##NAME, &&op_UnlessConstant##NAME, &&op_UnlessByte##NAME, \
      &&op_UnlessTemporary##NAME, &&op_UnlessBytes##NAME,
  static const void* const kLabels[] = {COMBACK_DVE_PLAIN_OPCODES(COMBACK_DVE_LABEL)        //
                                        COMBACK_DVE_BINARIES(COMBACK_DVE_BINARY_LABELS)     //
                                        COMBACK_DVE_COMPARISONS(COMBACK_DVE_JUMP_LABELS)};  //
#undef COMBACK_DVE_LABEL
#undef COMBACK_DVE_BINARY_LABELS
#undef COMBACK_DVE_JUMP_LABELS

  const Instruction* const base = code.instructions.data();
  auto* const temporaries =
      static_cast<std::int64_t*>(__builtin_alloca((code.temporaries + 1) * sizeof(std::int64_t)));
  static constexpr Instruction kFirstProcess{.op = Opcode::kNextProcess};
  const Instruction* pc = Use::kAll ? &kFirstProcess : base + start;
  const std::byte* current = state;
  std::int64_t accumulator = 0;
  std::uint32_t fault_site = Fault::kNone;
  std::int64_t fault_value = 0;
  std::uint64_t wraps = 0;

  [[maybe_unused]] std::size_t width = 0;
  [[maybe_unused]] const ProcessCode* process = nullptr;  // the next one
  [[maybe_unused]] const ProcessCode* processes_end = nullptr;
  if constexpr (Use::kAll) {
    width = use.code.width;
    process = use.code.processes.data();
    processes_end = process + use.code.processes.size();
    successor = use.out.descriptors + use.out.count * width;
  }

#define COMBACK_DVE_DISPATCH()                       \
  do {                                               \
    goto* kLabels[static_cast<std::size_t>(pc->op)]; \
  } while (false)
#define COMBACK_DVE_NEXT()  \
  do {                      \
    ++pc;                   \
    COMBACK_DVE_DISPATCH(); \
  } while (false)
#define COMBACK_DVE_FAULT(VALUE) \
  do {                           \
    fault_value = (VALUE);       \
    fault_site = pc->d;          \
    goto fault;                  \
  } while (false)
  COMBACK_DVE_DISPATCH();

op_Constant:
  accumulator = pc->c;
  COMBACK_DVE_NEXT();
op_WideConstant:
  accumulator = code.constants[pc->a];
  COMBACK_DVE_NEXT();
op_Load8:
  accumulator = load8(current + pc->a);
  COMBACK_DVE_NEXT();
op_Load16:
  accumulator = load16(current + pc->a);
  COMBACK_DVE_NEXT();

// A negative index is a large unsigned one.
#define COMBACK_DVE_CHECK_INDEX(INDEX)                                        \
  if (static_cast<std::uint64_t>(INDEX) >= static_cast<std::uint32_t>(pc->c)) \
  COMBACK_DVE_FAULT(INDEX)
op_Element8:
  COMBACK_DVE_CHECK_INDEX(accumulator);
  accumulator = load8(current + pc->a + accumulator);
  COMBACK_DVE_NEXT();
op_Element16:
  COMBACK_DVE_CHECK_INDEX(accumulator);
  accumulator = load16(current + pc->a + 2 * accumulator);
  COMBACK_DVE_NEXT();
op_Element8ByByte : {
  const std::int64_t index = load8(current + pc->b);
  COMBACK_DVE_CHECK_INDEX(index);
  accumulator = load8(current + pc->a + index);
  COMBACK_DVE_NEXT();
}
op_ConstantElement:
  COMBACK_DVE_CHECK_INDEX(accumulator);
  accumulator = code.constants[pc->a + static_cast<std::size_t>(accumulator)];
  COMBACK_DVE_NEXT();
op_Negate:
  accumulator = negate(accumulator);
  COMBACK_DVE_NEXT();
op_Not:
  accumulator = accumulator == 0;
  COMBACK_DVE_NEXT();
op_Complement:
  accumulator = ~accumulator;
  COMBACK_DVE_NEXT();
op_SetTemporary:
  temporaries[pc->b] = accumulator;
  COMBACK_DVE_NEXT();
op_GetTemporary:
  accumulator = temporaries[pc->b];
  COMBACK_DVE_NEXT();
op_CheckIndex:
  COMBACK_DVE_CHECK_INDEX(accumulator);
  COMBACK_DVE_NEXT();
op_CheckByte:
  if (!fits8(accumulator)) COMBACK_DVE_FAULT(accumulator);
  COMBACK_DVE_NEXT();
op_CheckInt:
  if (!fits16(accumulator)) COMBACK_DVE_FAULT(accumulator);
  COMBACK_DVE_NEXT();
op_WrapByte:
  wraps += !fits8(accumulator);
  accumulator = static_cast<std::uint8_t>(accumulator);
  COMBACK_DVE_NEXT();
op_WrapInt:
  wraps += !fits16(accumulator);
  accumulator = static_cast<std::int16_t>(accumulator);
  COMBACK_DVE_NEXT();
op_Jump:
  pc = base + pc->d;
  COMBACK_DVE_DISPATCH();
op_Switch8:
  pc = base + code.jump_tables[pc->d + static_cast<std::size_t>(load8(current + pc->a))];
  COMBACK_DVE_DISPATCH();
op_Switch16:
  pc = base + code.jump_tables[pc->d + static_cast<std::uint16_t>(load16(current + pc->a))];
  COMBACK_DVE_DISPATCH();

#define COMBACK_DVE_STORES(SUFFIX, BYTES, PREFIX, PLACE)                                         \
  op_##PREFIX##SUFFIX : store##SUFFIX(successor + (PLACE), accumulator);                         \
  COMBACK_DVE_NEXT();                                                                            \
  op_##PREFIX##SUFFIX##Checked : if (!fits##SUFFIX(accumulator)) COMBACK_DVE_FAULT(accumulator); \
  store##SUFFIX(successor + (PLACE), accumulator);                                               \
  COMBACK_DVE_NEXT();                                                                            \
  op_##PREFIX##SUFFIX##Wrapped : wraps += !fits##SUFFIX(accumulator);                            \
  store##SUFFIX(successor + (PLACE), accumulator);                                               \
  COMBACK_DVE_NEXT();
  COMBACK_DVE_STORES(8, 1, Store, pc->a)
  COMBACK_DVE_STORES(16, 2, Store, pc->a)
  COMBACK_DVE_STORES(8, 1, StoreElement, pc->a + temporaries[pc->b])
  COMBACK_DVE_STORES(16, 2, StoreElement, pc->a + 2 * temporaries[pc->b])
#undef COMBACK_DVE_STORES
op_Store8Constant:
  store8(successor + pc->a, pc->c);
  COMBACK_DVE_NEXT();
op_Store16Constant:
  store16(successor + pc->a, pc->c);
  COMBACK_DVE_NEXT();
op_StoreElement8Constant:
  store8(successor + pc->a + accumulator, pc->c);
  COMBACK_DVE_NEXT();
op_Copy8:
  successor[pc->a] = current[pc->c];
  COMBACK_DVE_NEXT();
op_Add8:
  store8(successor + pc->a, load8(successor + pc->a) + pc->c);
  COMBACK_DVE_NEXT();
op_Add8Checked : {
  const std::int64_t sum = load8(successor + pc->a) + pc->c;
  if (!fits8(sum)) COMBACK_DVE_FAULT(sum);
  store8(successor + pc->a, sum);
  COMBACK_DVE_NEXT();
}
op_Put8:
  store8(successor + pc->a + load8(successor + pc->d) * pc->c, temporaries[pc->b]);
  COMBACK_DVE_NEXT();
op_Put16:
  store16(successor + pc->a + load8(successor + pc->d) * pc->c, temporaries[pc->b]);
  COMBACK_DVE_NEXT();
op_Pop:
  pop_message(successor + pc->a, static_cast<std::size_t>(pc->c), pc->d);
  COMBACK_DVE_NEXT();

#define COMBACK_DVE_BINARY(NAME, VALUE)            \
  op_ByteConstant##NAME : {                        \
    const std::int64_t x = load8(current + pc->a); \
    const std::int64_t y = pc->c;                  \
    accumulator = (VALUE);                         \
  }                                                \
  COMBACK_DVE_NEXT();                              \
  op_Constant##NAME : {                            \
    const std::int64_t x = accumulator;            \
    const std::int64_t y = pc->c;                  \
    accumulator = (VALUE);                         \
  }                                                \
  COMBACK_DVE_NEXT();                              \
  op_Byte##NAME : {                                \
    const std::int64_t x = accumulator;            \
    const std::int64_t y = load8(current + pc->a); \
    accumulator = (VALUE);                         \
  }                                                \
  COMBACK_DVE_NEXT();                              \
  op_Temporary##NAME : {                           \
    const std::int64_t x = temporaries[pc->b];     \
    const std::int64_t y = accumulator;            \
    accumulator = (VALUE);                         \
  }                                                \
  COMBACK_DVE_NEXT();
  COMBACK_DVE_BINARY(Add, add(x, y))
  COMBACK_DVE_BINARY(Subtract, subtract(x, y))
  COMBACK_DVE_BINARY(Multiply, multiply(x, y))
  COMBACK_DVE_BINARY(ShiftLeft, shift_left(x, y))
  COMBACK_DVE_BINARY(ShiftRight, shift_right(x, y))
  COMBACK_DVE_BINARY(BitAnd, x & y)
  COMBACK_DVE_BINARY(BitOr, x | y)
  COMBACK_DVE_BINARY(BitXor, x ^ y)
  COMBACK_DVE_BINARY(Equal, x == y)
  COMBACK_DVE_BINARY(NotEqual, x != y)
  COMBACK_DVE_BINARY(Less, x < y)
  COMBACK_DVE_BINARY(LessEqual, x <= y)
  COMBACK_DVE_BINARY(Greater, x > y)
  COMBACK_DVE_BINARY(GreaterEqual, x >= y)
#undef COMBACK_DVE_BINARY

// The offending value of a division by zero is the dividend.
#define COMBACK_DVE_DIVISION(NAME, FUNCTION)                          \
  op_ByteConstant##NAME : {                                           \
    const std::int64_t x = load8(current + pc->a);                    \
    if (pc->c == 0) COMBACK_DVE_FAULT(x);                             \
    accumulator = FUNCTION(x, pc->c);                                 \
  }                                                                   \
  COMBACK_DVE_NEXT();                                                 \
  op_Constant##NAME : if (pc->c == 0) COMBACK_DVE_FAULT(accumulator); \
  accumulator = FUNCTION(accumulator, pc->c);                         \
  COMBACK_DVE_NEXT();                                                 \
  op_Byte##NAME : {                                                   \
    const std::int64_t y = load8(current + pc->a);                    \
    if (y == 0) COMBACK_DVE_FAULT(accumulator);                       \
    accumulator = FUNCTION(accumulator, y);                           \
  }                                                                   \
  COMBACK_DVE_NEXT();                                                 \
  op_Temporary##NAME : {                                              \
    const std::int64_t x = temporaries[pc->b];                        \
    if (accumulator == 0) COMBACK_DVE_FAULT(x);                       \
    accumulator = FUNCTION(x, accumulator);                           \
  }                                                                   \
  COMBACK_DVE_NEXT();
  COMBACK_DVE_DIVISION(Divide, quotient)
  COMBACK_DVE_DIVISION(Remainder, modulus)
#undef COMBACK_DVE_DIVISION

#define COMBACK_DVE_JUMP(LABEL, X, OPERATOR, Y)                   \
  op_Unless##LABEL : pc = (X)OPERATOR(Y) ? pc + 1 : base + pc->d; \
  COMBACK_DVE_DISPATCH();
#define COMBACK_DVE_JUMPS(NAME, OPERATOR)                                       \
  COMBACK_DVE_JUMP(ByteConstant##NAME, load8(current + pc->a), OPERATOR, pc->c) \
  COMBACK_DVE_JUMP(Constant##NAME, accumulator, OPERATOR, pc->c)                \
  COMBACK_DVE_JUMP(Byte##NAME, accumulator, OPERATOR, load8(current + pc->a))   \
  COMBACK_DVE_JUMP(Temporary##NAME, temporaries[pc->b], OPERATOR, accumulator)  \
  COMBACK_DVE_JUMP(Bytes##NAME, load8(current + pc->a), OPERATOR, load8(current + pc->c))
  COMBACK_DVE_JUMPS(Equal, ==)
  COMBACK_DVE_JUMPS(NotEqual, !=)
  COMBACK_DVE_JUMPS(Less, <)
  COMBACK_DVE_JUMPS(LessEqual, <=)
  COMBACK_DVE_JUMPS(Greater, >)
  COMBACK_DVE_JUMPS(GreaterEqual, >=)
#undef COMBACK_DVE_JUMPS
#undef COMBACK_DVE_JUMP

op_Begin:
  if constexpr (Use::kAll) {
    copy_descriptor(successor, state, width);
    use.out.events[use.out.count] = pc->a;
    current = successor;
  }
  COMBACK_DVE_NEXT();
op_EndAt8:
  store8(successor + pc->a, pc->c);
op_End:
  if constexpr (Use::kAll) {
    ++use.out.count;
    successor += width;
    current = state;
  }
  COMBACK_DVE_NEXT();
op_NextProcess:
  if constexpr (Use::kAll) {
    if (process == processes_end) goto op_Halt;
    const std::byte* const place = state + process->offset;
    const auto location =
        std::min(static_cast<std::uint32_t>(
                     process->wide ? static_cast<std::uint16_t>(load16(place)) : load8(place)),
                 process->last_location);
    pc = base + use.code.entries[process->entries + location];
    ++process;
    COMBACK_DVE_DISPATCH();
  }
op_Halt:
  if constexpr (Use::kAll) use.out.wraps += wraps;
  return {.value = accumulator, .wraps = wraps};

fault:
  if constexpr (Use::kAll) {
    SuccessorBuffer::View& out = use.out;
    const auto position = static_cast<std::uint32_t>(pc - base);
    const auto scope = std::prev(
        std::upper_bound(code.scopes.begin(), code.scopes.end(), position,
                         [](std::uint32_t p, const EventScope& s) { return p < s.begin; }));
    if (use.code.error_state != nullptr) {
      copy_descriptor(successor, use.code.error_state, width);
      out.events[out.count++] = scope->event;
      successor += width;
    } else if (out.faulted == 0) {
      out.faulted = 1;
      out.fault = {.event = scope->event, .site = fault_site, .value = fault_value};
    }
    current = state;
    pc = base + scope->end;
    COMBACK_DVE_DISPATCH();
  }
  return {.value = fault_value, .fault_site = fault_site, .faulted = true, .wraps = wraps};

#undef COMBACK_DVE_DISPATCH
#undef COMBACK_DVE_NEXT
#undef COMBACK_DVE_FAULT
#undef COMBACK_DVE_CHECK_INDEX
}

}  // namespace

Outcome run(const Code& code, std::uint32_t start, const std::byte* current, std::byte* successor) {
  return dispatch(code, start, current, successor, Piece{});
}

void run_processes(const SuccessorCode& code, const std::byte* state, SuccessorBuffer::View& out) {
  dispatch(code.code, 0, state, nullptr, Successors{code, out});
}

}  // namespace comback::dve
