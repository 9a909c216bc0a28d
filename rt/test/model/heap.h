// Heap: gives the runs of a scenario reproducible addresses.
//
// A scenario is repeated decision by decision, so each run must find the same addresses equal: a
// compare_exchange on a pointer depends on them. A block that a run frees is reused by the same
// run, latest first; a new block never has the address of a freed one. The checker's own memory,
// which grows from run to run, is separate.

#pragma once

#include <utility>

namespace fathom::model {

class Heap {
 public:
  // While an object lives, allocations and frees belong to the checker; otherwise to the scenario.
  class Own {
   public:
    explicit Own(bool own = true) noexcept : before_(std::exchange(own_, own)) {}
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    ~Own() { own_ = before_; }

   private:
    const bool before_;
  };

  // Call after each run: returns the blocks that it freed to the system.
  static void end_run() noexcept;

 private:
  friend struct Block;
  inline static bool own_ = true;
};

}  // namespace fathom::model
