// TaskScheduler: a lock-free scheduler of tasks with dependencies, in the caller's memory, on the
// caller's threads, and also for C (fathom/scheduler.h).
//
// A task is a function and a pointer, identified by a handle. It is created, given its
// dependencies, and runs after the last of them has finished; a task without dependencies runs
// after ready(). The scheduler owns no threads: those that call execute() run the tasks, or the
// workers of an executor, if a TaskRunner (below) is used. Its memory is the caller's, or allocated
// by the constructor. After construction it allocates nothing, and no call ever waits for another
// thread: everything is lock-free, with one exception. Calls of create() and spawn() that take
// several places at once, when these are nearly used up, may take them from each other, return them
// and retry. One that is suspended stops none of the others.
//
// Guarantees: a task runs exactly once each time it becomes ready, never on two threads at the same
// time, and never before its dependencies have finished. Their effects, and what happened before
// ready(), are visible to it. A finished task frees its place; from then on its handle is stale,
// and calls report that until 2^32 - 1 further tasks have used the same place. `full` is reported
// only if at some moment of the call there was no room for it and for the other calls of create()
// and spawn() at that moment: a call that finds too few places returns those that it took.
//
// Tasks belong to channels. execute() prefers one channel, and if it finds nothing there, takes
// tasks from the following channels in their order. No task waits forever in a channel: while
// threads take tasks from it, each ready task is overtaken by at most twice as many tasks as can
// exist, plus kMostAtOnce for each thread that is taking at that time. Beyond that the order is
// unspecified: tasks that one call makes ready run in their order; those of later calls tend to
// come first.
//
//   TaskScheduler scheduler({.tasks = 1024, .dependencies = 4096});
//   TaskScheduler::Handle parts[2], whole;
//   scheduler.create({{&load, &a}, {&load, &b}}, parts);
//   scheduler.create({{&join, &ab}}, {&whole, 1});
//   scheduler.add_dependencies(whole, parts);
//   scheduler.ready(parts);
//   while (scheduler.execute_one(0)) {}      // on as many threads as you like
//
// Any thread and any task may call any function, unless stated otherwise; the scheduler must
// outlive all calls. The design is D. Engberg's Bikeshed (channels, batches, chains of indices),
// with tags and generations of 32 bits instead of 9, FIFO positions for tasks, and edges that may
// be added while their dependent runs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fathom/base/atomic.h"

namespace fathom::rt {
class Executor;
}

namespace fathom::sched {

template <class Stack>
class FreeRange;
class FreePlaces;
class IndexStack;
class ReadyChannels;
class TwoStacks;
struct StackWords;
struct TaskState;
enum class Contended : std::uint8_t;

class TaskScheduler {
 public:
  // A task. A default constructed handle refers to no task and is stale everywhere.
  struct Handle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    friend bool operator==(const Handle&, const Handle&) = default;
  };

  // The result of a body: the task is done; or it is blocked and runs again after the next ready()
  // of its task, which may have come while it was running, or after the dependencies that it added
  // to itself.
  enum class Outcome : std::uint8_t { done, blocked };

  using Body = Outcome (*)(TaskScheduler& scheduler, Handle task, void* context) noexcept;

  struct Spec {
    Body body = nullptr;
    void* context = nullptr;  // passed to the body
    unsigned channel = 0;
    const char* name = nullptr;  // kept only with Options::named; not copied
  };

  enum class Status : std::uint8_t {
    ok,
    full,            // not enough room
    stale,           // the task does not exist, or no longer
    started,         // too late: the task is or was ready
    already,         // the task is ready already, or was made ready while it runs
    waiting,         // the task becomes ready by itself, after its dependencies
    has_dependents,  // other tasks still depend on it
    invalid,         // a channel that does not exist, no body, a task that depends on itself or on
                     // a spawned one, or spans of different sizes
    busy,            // a thread is in a call, or a task runs
  };

  // The progress of a call: the first `done` elements were processed. `status` is that of the next.
  struct Result {
    Status status = Status::ok;
    std::size_t done = 0;
    explicit operator bool() const noexcept { return status == Status::ok; }
  };

  // Called after tasks of one channel have become ready, on the thread that made them ready, for
  // programs whose threads sleep while there is no work. Must not call the scheduler.
  struct OnReady {
    void (*call)(void* context, unsigned channel, std::uint32_t count) noexcept = nullptr;
    void* context = nullptr;
  };

  struct Options {
    std::uint32_t tasks = 0;         // the maximum number at one time; 1 or more
    std::uint32_t dependencies = 0;  // the maximum number of unfulfilled ones at one time
    unsigned channels = 1;           // 1 to kMostChannels
    OnReady on_ready = {};
    bool named = false;  // stores names, 8 bytes per task

    // For measurements: give each channel's words their own cache lines, and pause the processor
    // after a lost race.
    bool aligned_channels = true;
    bool pauses = true;
  };

  static constexpr unsigned kMostChannels = 256;
  static constexpr std::size_t kAlignment = 128;    // of the memory
  static constexpr std::uint32_t kMostAtOnce = 64;  // the most that execute() takes

  // The number of bytes that the constructor needs; nullopt if the options are out of range, or if
  // it exceeds the address space.
  [[nodiscard]] static std::optional<std::size_t> memory_size(const Options& options);

  // Allocates the memory. Throws base::Error for options out of range, and std::bad_alloc.
  explicit TaskScheduler(const Options& options);
  // Uses the caller's memory, which must outlive the scheduler. Throws base::Error if it is too
  // small or not aligned.
  TaskScheduler(const Options& options, std::span<std::byte> memory);
  TaskScheduler(const TaskScheduler&) = delete;
  TaskScheduler& operator=(const TaskScheduler&) = delete;
  ~TaskScheduler();  // no thread may be in a call; remaining tasks never run

  // Creates all tasks or none, usually with one compare-and-swap; if none, all handles are default
  // constructed. ok; full; invalid.
  Status create(std::span<const Spec> specs, std::span<Handle> tasks) noexcept;
  Status create(std::initializer_list<Spec> specs, std::span<Handle> tasks) noexcept {
    return create(std::span(specs.begin(), specs.size()), tasks);
  }

  // Creates tasks that are ready at once, all or none, for which nobody needs a handle: two atomic
  // read-modify-writes less for each than create() and ready(). No task can depend on one of them.
  // Its body gets a handle as always, and may block, or add dependencies to its task.
  // ok; full; invalid.
  Status spawn(std::span<const Spec> specs) noexcept;
  Status spawn(const Spec& spec) noexcept { return spawn(std::span(&spec, 1)); }

  // Adds dependencies: the task waits for all of these tasks that have not finished. The task must
  // not be ready. A blocked task runs again after the last of them. A body may add dependencies to
  // its own task and return `blocked`.
  //
  // The task becomes ready when its last dependency finishes, so pass all of them in one call, or
  // before any of them can finish. If all have finished already, the task is ready when this
  // returns; if `on` is empty, nothing happens. A stale handle counts as finished, including that
  // of a task that was freed. A task may wait for at most 2^28 - 1 others at one time.
  // A dependency cannot be removed, because its edge is in a lock-free list of the other task, from
  // whose middle no thread could take it safely; a body that finds its work unnecessary returns
  // `done` at once. The edges of a task that finishes are freed together, with one
  // compare-and-swap. ok; full; stale: the task, or a dependency that was never a valid handle;
  // started; invalid, also if a dependency was spawned and has not finished.
  Status add_dependencies(Handle task, std::span<const Handle> on) noexcept;

  // Makes tasks ready that have no dependencies, or that are blocked. Consecutive tasks of one
  // channel cost one compare-and-swap. A running task runs once more if it returns `blocked`.
  // ok; stale; waiting; already.
  Result ready(std::span<const Handle> tasks) noexcept;
  Status ready(Handle task) noexcept { return ready(std::span(&task, 1)).status; }

  // Moves tasks that are not ready to a channel. A running task moves for its next run, if it
  // returns `blocked`. No other call may make the tasks ready at the same time.
  // ok; stale; started; invalid.
  Result set_channel(std::span<const Handle> tasks, unsigned channel) noexcept;

  // Frees tasks that were never ready. Free the tasks that depend on them first, in the same call
  // or an earlier one. Their dependencies are unaffected; the room for the edges is freed when
  // these finish. No other call may use the tasks at the same time.
  // ok; stale; started; has_dependents.
  Result free(std::span<const Handle> tasks) noexcept;

  // The channels from which execute() may take tasks.
  enum class From : std::uint8_t { any_channel, this_channel };

  // Runs up to `most` (at most kMostAtOnce) ready tasks of one channel; returns how many. They are
  // taken together, so other threads cannot run the later ones while an earlier one runs, and their
  // places become free at the end: for long tasks, take one at a time.
  std::uint32_t execute(unsigned channel, std::uint32_t most,
                        From from = From::any_channel) noexcept;
  bool execute_one(unsigned channel, From from = From::any_channel) noexcept {
    return execute(channel, 1, from) != 0;
  }

  // Runs a ready task, then a task of its channel whose last dependency was the first, and so on,
  // up to `most` (at most kMostAtOnce); returns how many. A dependent task thus runs on the same
  // thread, with its input in the cache, and no other thread is woken for it.
  std::uint32_t execute_line(unsigned channel, std::uint32_t most,
                             From from = From::any_channel) noexcept;

  // Whether some task is ready: a hint, which may be outdated immediately. After a seq_cst fence it
  // sees each task that became ready before another thread's seq_cst fence.
  [[nodiscard]] bool has_ready() const noexcept;

  [[nodiscard]] const Options& options() const noexcept { return options_; }

  // The name given at creation; null if none was given or the task is stale.
  [[nodiscard]] const char* name(Handle task) const noexcept;

  // Requires that nothing else is called. Finds tasks of which each depends on the next, and the
  // last on the first, so that none of them can ever run or be freed; empty if there is no cycle.
  // Allocates.
  [[nodiscard]] std::vector<Handle> find_cycle() const;

  // Becomes a copy of a scheduler with the same numbers of tasks, dependencies and channels: the
  // same handles, contexts and ready tasks, for which this scheduler's own callback is called.
  // Nothing else may use this scheduler meanwhile, and its previous handles become meaningless. If
  // the source is not at rest, this scheduler is left without tasks.
  // ok; invalid; busy.
  Status copy_from(const TaskScheduler& source) noexcept;

 protected:
  // For bindings to other languages: calls a body that is really a function of another type.
  using Invoke = Outcome (*)(TaskScheduler& scheduler, Body body, Handle task,
                             void* context) noexcept;
  TaskScheduler(const Options& options, std::span<std::byte> memory, Invoke invoke);

  // add_dependencies() of handles that are another type: at(tasks, i) is the i-th.
  Status add_dependencies(Handle task, const void* on, Handle (*at)(const void* tasks, std::size_t),
                          std::size_t count) noexcept;

  // create() and spawn() in steps: takes places, all or none, and stores the first; returns whether
  // it did. The channel, that of the first task, decides only where it looks first. Then creates a
  // task in each place and advances to the next.
  bool take_places(unsigned channel, std::size_t count, std::uint32_t& first) noexcept;
  Handle create_in(std::uint32_t& place, const Spec& spec) noexcept;
  void spawn_in(std::uint32_t& place, std::span<const Spec> specs) noexcept;

 private:
  // The contents of the memory. They and the inline functions, except make(), are in
  // src/scheduler_memory.h.
  struct Record;
  struct Edge;
  struct PaddedWord;
  struct Pools;
  struct Layout;
  class ReadyRange;
  class Census;
  using Word = base::atomic<std::uint64_t>;

  static std::optional<Layout> layout_of(const Options& options);
  void place(std::span<std::byte> memory);
  void clear() noexcept;
  [[nodiscard]] inline Pools& pools() const noexcept;
  [[nodiscard]] inline StackWords words_of_channel(unsigned channel) const noexcept;
  [[nodiscard]] inline StackWords words_of_free_tasks() const noexcept;
  [[nodiscard]] inline Contended contended() const noexcept;
  [[nodiscard]] inline unsigned free_lists() const noexcept;
  [[nodiscard]] inline FreePlaces free_tasks() const noexcept;
  [[nodiscard]] inline IndexStack free_edges() const noexcept;
  [[nodiscard]] inline TwoStacks ready_tasks(unsigned channel) const noexcept;
  [[nodiscard]] inline ReadyChannels ready_channels() const noexcept;

  [[nodiscard]] inline TaskState state_at(std::uint32_t place) const noexcept;
  [[nodiscard]] inline bool exists(Handle task) const noexcept;
  [[nodiscard]] inline bool is_live(Handle task) const noexcept;
  [[nodiscard]] inline unsigned channel_of(std::uint32_t task) const noexcept;
  [[nodiscard]] inline bool is_spawned(Handle task) const noexcept;
  [[nodiscard]] inline Handle end_of(std::uint32_t edge) const noexcept;
  template <class F>
  void for_each_dependent(std::uint32_t task, const F& f) const;

  inline void expect(std::uint32_t place) const noexcept;
  [[nodiscard]] inline bool can_run(std::span<const Spec> specs) const noexcept;
  inline Handle make(std::uint32_t place, const Spec& spec) noexcept;
  inline void write(std::uint32_t place, const Spec& spec, const TaskState& state,
                    std::uint32_t first_edge) noexcept;
  template <class On>
  Status add_each(Handle task, std::size_t size, const On& on) noexcept;
  Status add_pending(Handle task, std::uint32_t count) noexcept;
  bool add_edge(std::uint32_t edge, Handle task, Handle on) noexcept;
  bool fulfil(Handle task, std::uint32_t count) noexcept;
  inline Status make_ready(Handle task, bool& queued) noexcept;
  Status make_ready_again(Handle task, std::uint64_t seen, bool& queued) noexcept;
  [[nodiscard]] Status not_started(Handle task) const noexcept;
  [[nodiscard]] Status not_ready(Handle task) const noexcept;
  bool revoke(Handle task) noexcept;

  inline std::uint32_t execute_next(unsigned channel, From from) noexcept;
  inline std::uint32_t take(unsigned channel, std::uint32_t most, From from,
                            std::uint32_t* taken) noexcept;
  inline std::uint32_t take_from(unsigned channel, std::uint32_t most,
                                 std::uint32_t* taken) noexcept;
  std::uint32_t take_from_others(unsigned channel, std::uint32_t most,
                                 std::uint32_t* taken) noexcept;
  inline void run(std::uint32_t task, ReadyRange& ready, FreeRange<TwoStacks>& freed) noexcept;
  bool block(std::uint32_t task) noexcept;
  inline void finish(std::uint32_t task, std::uint32_t generation, ReadyRange& ready) noexcept;
  inline std::uint32_t close(std::uint32_t task, std::uint32_t generation) noexcept;
  template <class F>
  void give_back_edges(std::uint32_t first, const F& f) noexcept;

  [[nodiscard]] std::vector<std::uint32_t> stuck_dependencies() const;

  template <class F>
  void for_each_head(const F& f) const;
  void copy_task(std::uint32_t task, const TaskScheduler& source) noexcept;
  void tell_ready(unsigned channel) const noexcept;

  Options options_;
  std::unique_ptr<std::byte, void (*)(std::byte*)> owned_;
  const Invoke invoke_ = nullptr;  // null: bodies are called directly
  std::byte* memory_ = nullptr;
  std::size_t channels_at_ = 0;     // offset in the memory, in bytes
  std::size_t channel_stride_ = 0;  // bytes
  std::size_t channel_word_ = 0;    // bytes
  Record* records_ = nullptr;       // of the tasks
  base::atomic<std::uint32_t>* task_links_ = nullptr;
  base::atomic<std::uint8_t>* task_channels_ = nullptr;
  Edge* edges_ = nullptr;
  base::atomic<std::uint32_t>* edge_links_ = nullptr;
  base::atomic<const char*>* names_ = nullptr;  // null unless Options::named
};

// A scheduler whose tasks run on the workers of an Executor, instead of threads that call
// execute().
//
// Guarantees: each ready task runs; workers sleep while no task is ready. At most `runs` tasks run
// at the same time, by default as many as the executor may have threads; each run prefers one
// channel, and no channel starves. A run keeps its worker as long as tasks are ready: an executor
// that also has other work needs more threads than that.
//
//   rt::Executor executor;
//   TaskRunner runner(executor, {.tasks = 1024, .dependencies = 4096});
//   runner.scheduler().create(specs, tasks);
//   runner.scheduler().ready(tasks);
//   runner.wait();
//
// The effects of the tasks are visible after wait(). Any thread may use the scheduler, as always;
// but making tasks ready may wake a thread, which takes a lock. The executor must outlive the
// runner.
//
// A child of fork() has none of the executor's threads, so there only execute() runs the tasks of a
// copy. wait() throws base::Error if a task is ready, or was running in the parent; the destructor
// does not wait.
class TaskRunner {
 public:
  // Runs up to `runs` tasks at the same time; 0: executor.max_threads(). options.on_ready is still
  // called. Throws like the scheduler's constructor, and base::Error if the executor has no thread
  // and can start none.
  TaskRunner(rt::Executor& executor, const TaskScheduler::Options& options, unsigned runs = 0);
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;
  // Waits like wait(); tasks that are blocked or wait for others never run. No other thread may use
  // the scheduler.
  ~TaskRunner();

  [[nodiscard]] TaskScheduler& scheduler() noexcept;

  // Waits until no task is ready and the runner runs none; other threads may change that
  // immediately. Blocked tasks do not count, nor tasks that other threads execute() themselves. A
  // worker of the executor runs other tasks meanwhile, but a task of this scheduler must not call
  // this.
  void wait();

 private:
  class Pump;
  class Pumps;

  const std::unique_ptr<Pumps> pumps_;  // and the scheduler
};

}  // namespace fathom::sched
