// Cameron Desrochers' ReaderWriterQueue, from one thread to another.

#include <readerwriterqueue/readerwritercircularbuffer.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include <cstddef>

#include "rt/round_trip.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

// Grows with enqueue(); try_enqueue() does not grow it, which bounds it.
class Growing {
 public:
  explicit Growing(std::size_t capacity) : queue_(capacity) {}

  bool try_push(Item item) { return queue_.try_enqueue(item); }
  bool try_pop(Item& item) { return queue_.try_dequeue(item); }

 private:
  moodycamel::ReaderWriterQueue<Item> queue_;
};

// Bounded, with two semaphores.
class Circular {
 public:
  explicit Circular(std::size_t capacity) : queue_(capacity) {}

  void push(Item item) { queue_.wait_enqueue(item); }
  Item pop() {
    Item item = 0;
    queue_.wait_dequeue(item);
    return item;
  }

 private:
  moodycamel::BlockingReaderWriterCircularBuffer<Item> queue_;
};

}  // namespace

void add_readerwriterqueue() {
  add_spsc<Polled<Growing>>("readerwriterqueue", 5'000'000);
  add_spsc<Blocking<Circular>>("readerwriter_circular_blocking", 2'000'000);
  add_round_trip<Polled<Growing>>("readerwriterqueue", 20'000);
  add_round_trip<Blocking<Circular>>("readerwriter_circular_blocking", 5'000);
}

}  // namespace fathom::bench
