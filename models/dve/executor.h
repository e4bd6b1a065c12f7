#pragma once

#include <cstddef>

#include "models/model.h"

namespace comback::dve {

// What executes a Program: the interpreter or native code. Both do exactly the same; pure
// functions, safe to call from many threads. The contracts are those of Model.
//
// Exactly the same includes which fault is reported and how many wraps are counted, so the order
// in which an event is judged and carried out is fixed:
//   1. Both sources current; no process committed, or all those of the event; a buffered channel
//      not full (send) or not empty (receive). Where one of these fails, nothing below happens.
//   2. The guard; of a rendezvous the receiver's, then, where that is not zero, the sender's.
//   3. In the state before: the values sent, left to right, each evaluated and then checked or
//      wrapped at its Transition::sent_sites entry; then the receive indices, left to right.
//   4. On the successor: the received values stored, left to right; the effects of the receiver,
//      then of the sender. Each assignment: its index, its value, the store.
//   5. The locations move, so P.state in an effect sees the locations before the event.
// A fault ends the event where it happens; wraps count as they happen. Fault::value is the index,
// the dividend of a division by zero, or the value that was to be stored.
//
// In a synchronous system a transition whose guard faults counts as enabled in every mode when the
// combinations are numbered. A combination with such a transition faults: its first one in process
// order is the fault; otherwise the effects run in process order and then all locations move.
// Committed locations mean nothing there.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void successors(const std::byte* state, SuccessorBuffer::View& out) const = 0;
  virtual void execute(std::byte* state, Event event) const = 0;
  virtual int failed_assertion(const std::byte* state) const = 0;
};

}  // namespace comback::dve
