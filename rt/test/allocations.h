// Allocations: counts the objects that this test program allocates with new, and lets tests
// interfere.
//
//   const std::size_t before = Allocations::alive();
//   { const Allocations::Hook hook(function);  deque.push(item); }   // calls it if that allocates
//   { const Allocations::Refusal refusal;      deque.push(item); }   // throws if that allocates
//   EXPECT_EQ(Allocations::alive(), before);

#pragma once

#include <cstddef>
#include <functional>

namespace fathom::rt {

class Allocations {
 public:
  // The number of objects and arrays that exist, allocated with new by any thread. Over-aligned
  // allocations do not count.
  static std::size_t alive();

  // Calls the function once, before this thread's next allocation with new. The destructor removes
  // the hook. The function must outlive the hook.
  class Hook {
   public:
    explicit Hook(const std::function<void()>& function);
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;
    ~Hook();
  };

  // While the object lives, each allocation of this thread throws std::bad_alloc.
  class Refusal {
   public:
    Refusal();
    Refusal(const Refusal&) = delete;
    Refusal& operator=(const Refusal&) = delete;
    ~Refusal();
  };
};

}  // namespace fathom::rt
