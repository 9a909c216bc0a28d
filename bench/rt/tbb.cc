// oneTBB's concurrent_bounded_queue, which blocks, and concurrent_queue, which is unbounded; and
// its task_group.

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <cstddef>

#include "rt/spawning.h"
#include "rt/transfer.h"

namespace fathom::bench {

namespace {

class Bounded {
 public:
  explicit Bounded(std::size_t capacity) {
    queue_.set_capacity(static_cast<std::ptrdiff_t>(capacity));
  }

  void push(Item item) { queue_.push(item); }
  Item pop() {
    Item item = 0;
    queue_.pop(item);
    return item;
  }

 private:
  tbb::concurrent_bounded_queue<Item> queue_;
};

class Unbounded {
 public:
  explicit Unbounded(std::size_t /*capacity*/) {}

  bool try_push(Item item) {
    queue_.push(item);
    return true;
  }
  bool try_pop(Item& item) { return queue_.try_pop(item); }

 private:
  tbb::concurrent_queue<Item> queue_;
};

// The calling thread is part of the arena.
class Group {
 public:
  explicit Group(unsigned threads)
      : allowed_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {}

  void run(TaskTree& tree) {
    arena_.execute([&] {
      tbb::task_group group;
      spawn(group, tree, TaskTree::kWhole);
      group.wait();
    });
  }

 private:
  static void spawn(tbb::task_group& group, TaskTree& tree, TaskTree::Part part) {
    group.run([&group, &tree, part] {
      tree.visit(part, [&](TaskTree::Part below) { spawn(group, tree, below); });
    });
  }

  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

}  // namespace

void add_tbb() {
  add_spawning<Group>("tbb_task_group");
  add_mpmc<Blocking<Bounded>>("tbb_bounded", 200'000);
  add_mpmc<Polled<Unbounded>>("tbb_queue", 200'000);
  add_mpsc<Polled<Unbounded>>("tbb_queue", 200'000);
}

}  // namespace fathom::bench
