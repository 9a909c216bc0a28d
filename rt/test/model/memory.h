// Memory: the memory model of C++, for the checker.
//
// A load may return any store that the thread is not forced to know is overwritten. What the thread
// knows is its view: for each location, the oldest store that it may still read. Views are passed
// on: a release store carries the view of its thread, an acquire load merges the view that its
// store carries, read-modify-writes pass on the view of the store that they replace, and seq_cst
// fences share a view. A view also says which steps of other threads happened before; two plain
// accesses, of which one writes, are a race if they are not ordered in this way.
//
// These are the views of Kang, Hur, Lahav, Vafeiadis and Dreyer, "A Promising Semantics for
// Relaxed-Memory Concurrency" (POPL 2017), without promises, and with the seq_cst of C++20 (P0668).
// Not modelled are loads that read later stores (load buffering), and stores to one location that
// become visible in another order than they ran: neither happens on x86.

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
  // Stands for code outside the scenario, which runs before or after all of its threads.
  static constexpr Thread kOutside = kMostThreads;

  // Resets to the initial state.
  void reset();

  // Constructs an atomic. Threads that use it must know of its construction.
  Location make(Thread thread, std::uint64_t value);

  [[nodiscard]] std::uint64_t latest(Location location) const {
    return locations_[location].stores[locations_[location].count - 1].value;
  }

  // The number of stores that a load may return, and the value of the n-th store before the latest.
  [[nodiscard]] std::size_t readable(Thread thread, Location location, Order order) const;
  [[nodiscard]] std::uint64_t peek(Location location, std::size_t before) const;

  std::uint64_t load(Thread thread, Location location, Order order, std::size_t before);
  void store(Thread thread, Location location, std::uint64_t value, Order order);
  // Replaces the latest store in one step.
  void update(Thread thread, Location location, std::uint64_t value, Order order);
  void fence(Thread thread, Order order);

  // Non-atomic accesses.
  void read(Thread thread, const void* address);
  void write(Thread thread, const void* address);
  // The memory is freed: accesses after a new allocation are ordered after this.
  void forget(const void* begin, std::size_t size);

  [[nodiscard]] bool raced() const { return raced_; }

 private:
  using Steps = std::array<std::uint32_t, kMostThreads>;

  // A position in the total order of all seq_cst operations. A load may get one between two others.
  using Moment = double;

  struct View {
    std::vector<std::uint32_t> seen;  // by location; missing entries are 0
    Steps steps{};                    // by thread: the number of its steps that happened before
    Moment agreed = 0;                // seq_cst operations up to this moment happened before
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
  // A seq_cst operation that knew of a store. Later ones know of it or of a later store.
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
    View now;       // everything that happens before its next step
    View acquired;  // what an acquire fence would merge
    View released;  // its view at the last release fence
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
