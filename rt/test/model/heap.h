// The heap of a scenario.
//
// The runs of a scenario are repeated decision by decision, so each must find the same addresses
// equal: a compare_exchange on a pointer depends on them. What a run frees it is given again, the
// latest first, and what it allocates anew is none of what it freed. The checker's own memory,
// which grows from run to run, takes no part.

#pragma once

#include <utility>

namespace fathom::model {

class Heap {
 public:
  // While one lives, allocations and frees are the checker's own, or the scenario's again.
  class Own {
   public:
    explicit Own(bool own = true) noexcept : before_(std::exchange(own_, own)) {}
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    ~Own() { own_ = before_; }

   private:
    const bool before_;
  };

  // After each run: what it freed goes back to the system.
  static void end_run() noexcept;

 private:
  friend struct Block;
  inline static bool own_ = true;
};

}  // namespace fathom::model
