#pragma once

#include <cstdint>
#include <vector>

#include "models/model.h"

// The code that the interpreter runs: for an accumulator machine with numbered temporaries.
//
// Expressions are read from the state `current`: the state before the event until kBegin, its
// successor after that. Stores go to the successor. A byte variable at an offset is an operand of
// its own, since nearly all variables of nearly all models are bytes.

namespace comback::dve {

#define COMBACK_DVE_COMPARISONS(X) \
  X(Equal) X(NotEqual) X(Less) X(LessEqual) X(Greater) X(GreaterEqual)

#define COMBACK_DVE_BINARIES(X) \
  X(Add)                        \
  X(Subtract)                   \
  X(Multiply)                   \
  X(Divide)                     \
  X(Remainder) X(ShiftLeft) X(ShiftRight) X(BitAnd) X(BitOr) X(BitXor) COMBACK_DVE_COMPARISONS(X)

// A binary operation puts into the accumulator:
//   ByteConstant  byte at a   OP  c
//   Constant      accumulator OP  c
//   Byte          accumulator OP  byte at a
//   Temporary     temporary b OP  accumulator
// d is the site of a division.
#define COMBACK_DVE_BINARY_FORMS(NAME) \
  kByteConstant##NAME, kConstant##NAME, kByte##NAME, kTemporary##NAME,

// A jump to d unless the comparison holds; forms as above, and
//   Bytes         byte at a   OP  byte at c
#define COMBACK_DVE_JUMP_FORMS(NAME)                                                           \
  kUnlessByteConstant##NAME, kUnlessConstant##NAME, kUnlessByte##NAME, kUnlessTemporary##NAME, \
      kUnlessBytes##NAME,

// clang-format off
#define COMBACK_DVE_PLAIN_OPCODES(X)                                                          \
  X(Constant)              /* accumulator = c */                                              \
  X(WideConstant)          /* = constants[a] */                                               \
  X(Load8)                 /* = byte at a */                                                  \
  X(Load16)                /* = int at a */                                                   \
  X(Element8)              /* = bytes at a[accumulator], c elements, site d */                \
  X(Element16)                                                                                \
  X(Element8ByByte)        /* = bytes at a[byte at b], c elements, site d */                  \
  X(ConstantElement)       /* = constants[a + accumulator], c elements, site d */             \
  X(Negate)                                                                                   \
  X(Not)                                                                                      \
  X(Complement)                                                                               \
  X(SetTemporary)          /* temporary b = accumulator */                                    \
  X(GetTemporary)                                                                             \
  X(CheckIndex)            /* accumulator must be below c, site d */                          \
  X(CheckByte)             /* accumulator must fit, site d */                                 \
  X(CheckInt)                                                                                 \
  X(WrapByte)              /* accumulator is made to fit */                                   \
  X(WrapInt)                                                                                  \
  X(Jump)                  /* to d */                                                         \
  X(Switch8)               /* to jump_tables[d + byte at a] */                                \
  X(Switch16)                                                                                 \
  X(Store8)                /* at a; drops what does not fit */                                \
  X(Store16)                                                                                  \
  X(Store8Checked)         /* site d */                                                       \
  X(Store16Checked)                                                                           \
  X(Store8Wrapped)         /* counts what does not fit */                                     \
  X(Store16Wrapped)                                                                           \
  X(Store8Constant)        /* c at a */                                                       \
  X(Store16Constant)                                                                          \
  X(Copy8)                 /* byte at c to a */                                               \
  X(Add8)                  /* c to the byte at a */                                           \
  X(Add8Checked)           /* site d */                                                       \
  X(StoreElement8)         /* accumulator into a[temporary b] */                              \
  X(StoreElement16)                                                                           \
  X(StoreElement8Checked)  /* site d */                                                       \
  X(StoreElement16Checked)                                                                    \
  X(StoreElement8Wrapped)                                                                     \
  X(StoreElement16Wrapped)                                                                    \
  X(StoreElement8Constant) /* c into a[accumulator] */                                        \
  X(Put8)                  /* temporary b into the item at a of the first free message of the \
                              channel at d, whose messages have c bytes */                    \
  X(Put16)                                                                                    \
  X(Pop)                   /* the oldest message of the channel at a: c bytes, capacity d */  \
  X(Begin)                 /* event a: its successor starts as a copy */                      \
  X(End)                   /* the successor is complete; back to the state before */          \
  X(EndAt8)                /* ... after c was stored at a */                                  \
  X(NextProcess)                                                                              \
  X(Halt)
// clang-format on

#define COMBACK_DVE_ENUMERATOR(NAME) k##NAME,
enum class Opcode : std::uint16_t {
  COMBACK_DVE_PLAIN_OPCODES(COMBACK_DVE_ENUMERATOR)  //
  COMBACK_DVE_BINARIES(COMBACK_DVE_BINARY_FORMS)     //
  COMBACK_DVE_COMPARISONS(COMBACK_DVE_JUMP_FORMS)    //
};
#undef COMBACK_DVE_ENUMERATOR

struct Instruction {
  Opcode op = Opcode::kHalt;
  std::uint16_t b = 0;
  std::uint32_t a = 0;
  std::int32_t c = 0;
  std::uint32_t d = 0;
};

// The instructions of one event: where one of them fails, the event does, and the machine goes on
// at `end`.
struct EventScope {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  Event event = 0;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<std::int64_t> constants;     // those that do not fit an instruction; constant arrays
  std::vector<std::uint32_t> jump_tables;  // positions of instructions
  std::vector<EventScope> scopes;          // by position, without overlap
  std::uint32_t temporaries = 0;
};

}  // namespace comback::dve
