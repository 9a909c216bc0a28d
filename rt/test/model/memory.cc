// Memory: views for relaxed, release/acquire and seq_cst operations, and race detection.

#include "model/memory.h"

#include <algorithm>
#include <iterator>

namespace fathom::model {

void Memory::View::raise(Location location, std::uint32_t store) {
  if (location >= seen.size()) seen.resize(location + 1);
  seen[location] = std::max(seen[location], store);
}

void Memory::View::join(const View& other) {
  if (other.seen.size() > seen.size()) seen.resize(other.seen.size());
  for (std::size_t i = 0; i < other.seen.size(); ++i) seen[i] = std::max(seen[i], other.seen[i]);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = std::max(steps[i], other.steps[i]);
  agreed = std::max(agreed, other.agreed);
}

void Memory::View::clear() {
  seen.clear();
  steps.fill(0);
  agreed = 0;
}

void Memory::reset() {
  made_ = 0;
  for (Viewer& viewer : viewers_) {
    viewer.now.clear();
    viewer.acquired.clear();
    viewer.released.clear();
  }
  now_ = 0;
  plain_.clear();
  raced_ = false;
}

Memory::Step Memory::step(Thread thread) {
  if (thread == kOutside) return {};
  return {thread, ++viewers_[thread].now.steps[thread]};
}

bool Memory::knows(Thread thread, Step step) const {
  return thread == kOutside || step.thread == kOutside ||
         step.number <= viewers_[thread].now.steps[step.thread];
}

Memory::Location Memory::make(Thread thread, std::uint64_t value) {
  if (made_ == locations_.size()) locations_.emplace_back();
  const auto location = static_cast<Location>(made_++);
  locations_[location].made = step(thread);
  locations_[location].count = 0;
  locations_[location].agreements.clear();
  append(location, value);
  return location;
}

Memory::Store& Memory::append(Location location, std::uint64_t value) {
  Atomic& atomic = locations_[location];
  if (atomic.count == atomic.stores.size()) atomic.stores.emplace_back();
  Store& store = atomic.stores[atomic.count++];
  store.value = value;
  store.carried.clear();
  return store;
}

// Called outside a run: no thread has seen the previous value, or will.
void Memory::replace(Location location, std::uint64_t value) {
  Atomic& atomic = locations_[location];
  atomic.stores[atomic.count - 1].value = value;
}

void Memory::touch(Thread thread, Location location) {
  if (!knows(thread, locations_[location].made)) raced_ = true;
  step(thread);
}

std::size_t Memory::readable(Thread thread, Location location, Order order) const {
  const std::size_t count = locations_[location].count;
  if (thread == kOutside) return 1;
  std::uint32_t oldest = viewers_[thread].now.of(location);
  if (order == Order::seq_cst) {
    oldest = std::max(oldest, agreed(location, viewers_[thread].now.agreed));
  }
  return count - oldest;
}

std::uint64_t Memory::peek(Location location, std::size_t before) const {
  const Atomic& atomic = locations_[location];
  return atomic.stores[atomic.count - 1 - before].value;
}

// The oldest store that all seq_cst operations after that moment may still read.
std::uint32_t Memory::agreed(Location location, Moment moment) const {
  std::uint32_t store = 0;
  for (const Agreement& agreement : locations_[location].agreements) {
    if (agreement.moment <= moment) store = std::max(store, agreement.store);
  }
  return store;
}

// Assigns a seq_cst operation its moment in the total order: now, or, for a load of a store older
// than the others have agreed on since everything that it knows, just before they did.
void Memory::agree(Thread thread, Location location, std::uint32_t store) {
  std::vector<Agreement>& agreements = locations_[location].agreements;
  Moment& known = viewers_[thread].now.agreed;
  const auto next = std::find_if(agreements.begin(), agreements.end(),
                                 [&](const Agreement& other) { return other.store > store; });
  Moment moment = now_ + 1;
  if (next == agreements.end()) {
    now_ = moment;
  } else {
    const Moment before = next == agreements.begin() ? 0 : std::prev(next)->moment;
    moment = (std::max(known, before) + next->moment) / 2;
  }
  known = moment;
  agreements.insert(next, {moment, store});
}

// A seq_cst fence publishes everything that its thread knows, and then learns what others
// published.
void Memory::agree_on_all(Thread thread) {
  View& now = viewers_[thread].now;
  for (Location location = 0; location < made_; ++location) {
    now.raise(location, agreed(location, now_));
  }
  now.agreed = ++now_;
  for (Location location = 0; location < made_; ++location) {
    const std::uint32_t store = now.of(location);
    if (store > 0) locations_[location].agreements.push_back({now_, store});
  }
}

// Merges what a load of the given order learns from its store.
void Memory::take_over(Thread thread, const View& carried, Order order) {
  Viewer& viewer = viewers_[thread];
  viewer.acquired.join(carried);
  if (acquires(order)) viewer.now.join(carried);
}

std::uint64_t Memory::load(Thread thread, Location location, Order order, std::size_t before) {
  const Atomic& atomic = locations_[location];
  if (thread == kOutside) return latest(location);
  touch(thread, location);
  const std::size_t index = atomic.count - 1 - before;
  viewers_[thread].now.raise(location, static_cast<std::uint32_t>(index));
  take_over(thread, atomic.stores[index].carried, order);
  if (order == Order::seq_cst) agree(thread, location, static_cast<std::uint32_t>(index));
  return atomic.stores[index].value;
}

// Sets the view that a store of the given order carries.
void Memory::carry(Thread thread, Location location, View& carried, Order order) {
  Viewer& viewer = viewers_[thread];
  const auto index = static_cast<std::uint32_t>(locations_[location].count - 1);
  viewer.now.raise(location, index);
  if (order == Order::seq_cst) agree(thread, location, index);
  carried.join(releases(order) ? viewer.now : viewer.released);
}

void Memory::store(Thread thread, Location location, std::uint64_t value, Order order) {
  if (thread == kOutside) return replace(location, value);
  touch(thread, location);
  carry(thread, location, append(location, value).carried, order);
}

void Memory::update(Thread thread, Location location, std::uint64_t value, Order order) {
  if (thread == kOutside) return replace(location, value);
  touch(thread, location);
  append(location, value);
  const Atomic& atomic = locations_[location];
  const View& replaced = atomic.stores[atomic.count - 2].carried;
  take_over(thread, replaced, order);
  View& carried = locations_[location].stores[atomic.count - 1].carried;
  carried.join(replaced);  // continues a release sequence
  carry(thread, location, carried, order);
}

void Memory::fence(Thread thread, Order order) {
  if (thread == kOutside) return;
  step(thread);
  Viewer& viewer = viewers_[thread];
  if (acquires(order)) viewer.now.join(viewer.acquired);
  if (order == Order::seq_cst) agree_on_all(thread);
  if (releases(order)) viewer.released = viewer.now;
}

Memory::Plain& Memory::plain(const void* address) {
  for (Plain& known : plain_) {
    if (known.address == address) return known;
  }
  return plain_.emplace_back(Plain{address, {}, {}});
}

void Memory::read(Thread thread, const void* address) {
  if (thread == kOutside) return;
  Plain& accesses = plain(address);
  if (!knows(thread, accesses.written)) raced_ = true;
  accesses.read[thread] = step(thread).number;
}

void Memory::write(Thread thread, const void* address) {
  Plain& accesses = plain(address);
  if (!knows(thread, accesses.written)) raced_ = true;
  for (Thread reader = 0; reader < kMostThreads; ++reader) {
    if (!knows(thread, {reader, accesses.read[reader]})) raced_ = true;
  }
  accesses.written = step(thread);
}

void Memory::forget(const void* begin, std::size_t size) {
  const auto* const first = static_cast<const char*>(begin);
  plain_.erase(std::remove_if(plain_.begin(), plain_.end(),
                              [&](const Plain& known) {
                                const auto* const at = static_cast<const char*>(known.address);
                                return at >= first && at < first + size;
                              }),
               plain_.end());
}

}  // namespace fathom::model
