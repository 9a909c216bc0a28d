// Allocations: what this test program has got from new, and a way to interfere.
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
  // How many objects and arrays exist that any thread made with new. Those that are aligned to more
  // than usual do not count.
  static std::size_t alive();

  // This thread's next new calls the function first, once. Whether or not it did, it is forgotten
  // when the hook goes. It must outlive the hook.
  class Hook {
   public:
    explicit Hook(const std::function<void()>& function);
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;
    ~Hook();
  };

  // As long as it lives, each new of this thread throws std::bad_alloc.
  class Refusal {
   public:
    Refusal();
    Refusal(const Refusal&) = delete;
    Refusal& operator=(const Refusal&) = delete;
    ~Refusal();
  };
};

}  // namespace fathom::rt
