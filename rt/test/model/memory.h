// Memory as C++ lets threads see it, for the checker.
//
// A load may return any store that nothing forces the thread to know to be overwritten. What it is
// forced to know is its view: for each location the oldest store that it may still read. Views
// travel: a release store carries its thread's, an acquire load takes over what the store that it
// reads carries, read-modify-writes hand on what they replace, and seq_cst fences meet in a view of
// their own. Beside it a view says which steps of other threads come before; a plain access that
// is not ordered so with another one, of which either writes, is a race.
//
// These are the views of Kang, Hur, Lahav, Vafeiadis and Dreyer, "A Promising Semantics for
// Relaxed-Memory Concurrency" (POPL 2017), without promises, with the seq_cst of C++20 (P0668).
// Left out are a load that reads what only comes later in all threads (load buffering), and stores
// to one location whose order is not that in which they ran: no x86 does either.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom::model {

enum class Order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
}

class Memory {
 public:
  using Location = std::uint32_t;
  using Thread = unsigned;
  static constexpr Thread kMostThreads = 6;
  // Not a thread of the scenario: what it does comes before or after all that they do.
  static constexpr Thread kOutside = kMostThreads;

  // Forgets all.
  void reset();

  // A new atomic. Who uses it must know that it was made.
  Location make(Thread thread, std::uint64_t value);

  [[nodiscard]] std::uint64_t latest(Location location) const {
    return locations_[location].stores[locations_[location].count - 1].value;
  }

  // How many stores a load may return, and what the one that is so many before the latest wrote.
  [[nodiscard]] std::size_t readable(Thread thread, Location location, Order order) const;
  [[nodiscard]] std::uint64_t peek(Location location, std::size_t before) const;

  std::uint64_t load(Thread thread, Location location, Order order, std::size_t before);
  void store(Thread thread, Location location, std::uint64_t value, Order order);
  // Replaces the latest store, in one step.
  void update(Thread thread, Location location, std::uint64_t value, Order order);
  void fence(Thread thread, Order order);

  // Accesses to what is not atomic.
  void read(Thread thread, const void* address);
  void write(Thread thread, const void* address);
  // The memory is given back: whoever gets it next is ordered after this.
  void forget(const void* begin, std::size_t size);

  [[nodiscard]] bool raced() const { return raced_; }

 private:
  using Steps = std::array<std::uint32_t, kMostThreads>;

  // A moment in the one order of all seq_cst operations. A load may have one between two others.
  using Moment = double;

  struct View {
    std::vector<std::uint32_t> seen;  // by location; what is missing is 0
    Steps steps{};                    // by thread: so many of its steps come before
    Moment agreed = 0;                // seq_cst operations up to here come before
    [[nodiscard]] std::uint32_t of(Location location) const {
      return location < seen.size() ? seen[location] : 0;
    }
    void raise(Location location, std::uint32_t store);
    void join(const View& other);
    void clear();
  };
  struct Step {
    Thread thread = kOutside;
    std::uint32_t number = 0;
  };
  struct Store {
    std::uint64_t value = 0;
    View carried;
  };
  // A seq_cst operation that knew of a store. Later ones know of it, or of a later one.
  struct Agreement {
    Moment moment = 0;
    std::uint32_t store = 0;
  };
  struct Atomic {
    Step made;
    std::size_t count = 0;      // stores in use: the rest keep their memory for the next run
    std::vector<Store> stores;  // in the order in which they ran
    std::vector<Agreement> agreements;
  };
  struct Viewer {
    View now;       // all that comes before its next step
    View acquired;  // what an acquire fence would add
    View released;  // what it had at the last release fence
  };
  struct Plain {
    const void* address = nullptr;
    Step written;
    Steps read{};
  };

  Step step(Thread thread);
  [[nodiscard]] bool knows(Thread thread, Step step) const;
  void touch(Thread thread, Location location);
  void replace(Location location, std::uint64_t value);
  Store& append(Location location, std::uint64_t value);
  [[nodiscard]] std::uint32_t agreed(Location location, Moment moment) const;
  void agree(Thread thread, Location location, std::uint32_t store);
  void agree_on_all(Thread thread);
  void take_over(Thread thread, const View& carried, Order order);
  void carry(Thread thread, Location location, View& carried, Order order);
  Plain& plain(const void* address);

  std::vector<Atomic> locations_;
  std::size_t made_ = 0;  // locations in use
  std::array<Viewer, kMostThreads> viewers_;
  Moment now_ = 0;  // of the last seq_cst operation that ran
  std::vector<Plain> plain_;
  bool raced_ = false;
};

}  // namespace fathom::model
