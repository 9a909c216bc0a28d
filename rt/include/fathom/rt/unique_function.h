// UniqueFunction: a function object of any type with a given signature, which can be moved but not
// copied, like std::move_only_function of C++23.
//
// Guarantees: function objects of up to kRoom bytes whose move does not throw, such as most
// lambdas, are stored inside, without an allocation; others are allocated. Moving never throws. A
// moved-from object is empty. Like any object, it may be used by one thread at a time.
//
//   UniqueFunction<int(int)> add = [owned = std::make_unique<int>(2)](int i) { return *owned + i;
//   }; add(3);  // 5

#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace fathom::rt {

template <class Signature>
class UniqueFunction;

template <class Result, class... Args>
class UniqueFunction<Result(Args...)> {
 public:
  static constexpr std::size_t kRoom = 48;  // bytes

  UniqueFunction() noexcept = default;  // empty
  UniqueFunction(std::nullptr_t) noexcept {}

  // Empty for a null pointer to a function or a member. Throws std::bad_alloc, and what copying or
  // moving the function object throws.
  template <class F>
  requires(!std::same_as<std::decay_t<F>, UniqueFunction> &&
           std::is_invocable_r_v<Result, std::decay_t<F>&, Args...>)
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): it is constrained
      UniqueFunction(F&& function) {
    using Stored = std::decay_t<F>;
    using Given = std::remove_cvref_t<F>;
    if constexpr (std::is_pointer_v<Given> || std::is_member_pointer_v<Given>) {
      if (function == nullptr) return;
    }
    if constexpr (kFits<Stored>) {
      ::new (room()) Stored(std::forward<F>(function));
      operations_ = &Inside<Stored>::kOperations;
    } else {
      ::new (room()) Stored*(new Stored(std::forward<F>(function)));
      operations_ = &Allocated<Stored>::kOperations;
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { reset(); }

  // Must not be empty. Throws what the function throws.
  Result operator()(Args... args) {
    assert(operations_ != nullptr && "an empty UniqueFunction was called");
    return operations_->call(room(), std::forward<Args>(args)...);
  }

  explicit operator bool() const noexcept { return operations_ != nullptr; }
  friend bool operator==(const UniqueFunction& function, std::nullptr_t) noexcept {
    return !function;
  }

 private:
  struct Operations {
    Result (*call)(void* room, Args&&... args);
    void (*move)(void* from, void* to) noexcept;  // and destroys the object at `from`
    void (*destroy)(void* room) noexcept;
  };

  template <class F>
  static constexpr bool kFits =
      sizeof(F) <= kRoom &&
      alignof(F) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<F>;

  template <class F>
  static Result invoke(F& function, Args&&... args) {
    if constexpr (std::is_void_v<Result>) {
      static_cast<void>(std::invoke(function, std::forward<Args>(args)...));
    } else {
      return std::invoke(function, std::forward<Args>(args)...);
    }
  }

  // A function object in the room.
  template <class F>
  struct Inside {
    static F& at(void* room) noexcept { return *std::launder(static_cast<F*>(room)); }
    static Result call(void* room, Args&&... args) {
      return invoke(at(room), std::forward<Args>(args)...);
    }
    static void move(void* from, void* to) noexcept {
      ::new (to) F(std::move(at(from)));
      destroy(from);
    }
    static void destroy(void* room) noexcept { std::destroy_at(&at(room)); }
    static constexpr Operations kOperations{&call, &move, &destroy};
  };

  // A pointer to a function object in the room.
  template <class F>
  struct Allocated {
    static F*& at(void* room) noexcept { return *std::launder(static_cast<F**>(room)); }
    static Result call(void* room, Args&&... args) {
      return invoke(*at(room), std::forward<Args>(args)...);
    }
    static void move(void* from, void* to) noexcept { ::new (to) F*(at(from)); }
    static void destroy(void* room) noexcept { delete at(room); }
    static constexpr Operations kOperations{&call, &move, &destroy};
  };

  void* room() noexcept { return static_cast<void*>(room_); }

  // This object is empty.
  void take(UniqueFunction& other) noexcept {
    if (other.operations_ == nullptr) return;
    other.operations_->move(other.room(), room());
    operations_ = std::exchange(other.operations_, nullptr);
  }

  // Empty before the destructor is called, which may use this object.
  void reset() noexcept {
    if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(room());
  }

  const Operations* operations_ = nullptr;  // null: empty
  alignas(std::max_align_t) std::byte room_[kRoom];
};

}  // namespace fathom::rt
