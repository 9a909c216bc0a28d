// Slots: numbered places for values, whose ids refer to nothing once the value has ended.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <utility>

namespace fathom::rt::detail {

template <class Value, class Id, template <class...> class Storage>
class Slots;

// Identifies a value of the owner's slots; default constructed, none.
template <class Owner>
class SlotId {
 public:
  SlotId() = default;

 private:
  friend Owner;
  template <class, class, template <class...> class>
  friend class Slots;
  SlotId(std::uint32_t slot, std::uint32_t generation) : slot_(slot), generation_(generation) {}
  // Both in one number, as the kernel passes it on.
  explicit SlotId(std::uint64_t tag)
      : SlotId(static_cast<std::uint32_t>(tag), static_cast<std::uint32_t>(tag >> 32)) {}
  [[nodiscard]] std::uint64_t tag() const { return std::uint64_t{generation_} << 32 | slot_; }

  std::uint32_t slot_ = 0;
  std::uint32_t generation_ = 0;  // 0 is never a valid generation
};

// Values in a std::deque do not move.
template <class Value, class Id, template <class...> class Storage = std::deque>
class Slots {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The number of the slot that take() will take. Throws std::bad_alloc, also if there would be
  // more than `most` slots.
  std::uint32_t prepare(std::size_t most = kNone) {
    if (free_ == kNone) {
      if (slots_.size() >= most) throw std::bad_alloc();
      slots_.emplace_back();
      free_ = static_cast<std::uint32_t>(slots_.size() - 1);
    }
    return free_;
  }
  Id take() noexcept { return id_of(std::exchange(free_, slots_[free_].next_free)); }

  // From now on no id refers to the value.
  void end(std::uint32_t number) noexcept {
    // After 2^32 - 1 values in one slot, an old id would refer to a new one.
    if (++slots_[number].generation == 0) slots_[number].generation = 1;
  }
  // The slot, whose value has ended, may be taken again.
  void release(std::uint32_t number) noexcept {
    slots_[number].next_free = std::exchange(free_, number);
  }

  [[nodiscard]] Value* find(Id id) noexcept {
    if (id.slot_ >= slots_.size() || slots_[id.slot_].generation != id.generation_) return nullptr;
    return &slots_[id.slot_].value;
  }
  [[nodiscard]] Id id_of(std::uint32_t number) const noexcept {
    return {number, slots_[number].generation};
  }
  Value& operator[](std::size_t number) noexcept { return slots_[number].value; }
  const Value& operator[](std::size_t number) const noexcept { return slots_[number].value; }
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }

 private:
  struct Slot {
    Value value;
    std::uint32_t generation = 1;
    std::uint32_t next_free = kNone;
  };

  Storage<Slot> slots_;
  std::uint32_t free_ = kNone;
};

}  // namespace fathom::rt::detail
