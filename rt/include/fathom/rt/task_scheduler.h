// TaskScheduler: tasks that wait for one another, in memory that is taken once.
//
// A task is a function and a pointer, numbered by a handle. It is created, told on which others it
// depends, and runs after the last of those has finished; one that depends on nothing runs after
// ready(). The scheduler owns no threads: whoever calls execute() runs tasks. After construction
// it allocates nothing, and no call ever waits for another thread: all of it is lock-free.
//
// Guarantees: a task that became ready runs exactly once for each time it did, never on two
// threads at a time, and never before those that it depends on have finished. What they did, and
// what happened before ready(), is visible to it. A finished task gives its place back; from then
// on its handle is stale, and calls say so until 2^32 - 1 further tasks have had the same place.
// That there is no room is said only when there is none at some moment of the call.
//
// Tasks are in channels. execute() prefers one channel, and takes from the others, in their order
// from there, what it does not find in it. In a channel no task waits for ever: while threads take
// from it, each task that is ready is overtaken by no more than twice as many as can exist, and
// kMostAtOnce for each thread that is taking meanwhile. Otherwise the order is not promised: what
// one call makes ready runs in its order, later calls tend to come first.
//
//   TaskScheduler scheduler({.tasks = 1024, .dependencies = 4096});
//   TaskScheduler::Handle parts[2], whole;
//   scheduler.create({{&load, &a}, {&load, &b}}, parts);
//   scheduler.create({{&join, &ab}}, {&whole, 1});
//   scheduler.add_dependencies(whole, parts);
//   scheduler.ready(parts);
//   while (scheduler.execute_one(0)) {}      // on as many threads as you like
//
// All of it may be called from any thread and from tasks, but for what says otherwise; the
// scheduler must outlive all calls. The design is that of D. Engberg's Bikeshed (channels, batches,
// chains of indices), with tags and generations of 32 bits instead of 9, a place in line for each
// task, and edges that may be added while the task at their end runs.

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

class FreeRange;
class IndexStack;
class ReadyTasks;
struct TaskState;
enum class Contended : std::uint8_t;

class TaskScheduler {
 public:
  // A task. A default one is none, and stale everywhere.
  struct Handle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
    friend bool operator==(const Handle&, const Handle&) = default;
  };

  // What a body says at its end: it is done; or it waits for something else and is to run again
  // after the next ready() of its task, which may have come while it still ran, or after the
  // dependencies that it added to itself.
  enum class Outcome : std::uint8_t { done, blocked };

  using Body = Outcome (*)(TaskScheduler& scheduler, Handle task, void* context) noexcept;

  struct Spec {
    Body body = nullptr;
    void* context = nullptr;  // the body's
    unsigned channel = 0;
    const char* name = nullptr;  // kept only with Options::named; not copied
  };

  enum class Status : std::uint8_t {
    ok,
    full,            // no room for so many
    stale,           // no such task, or no longer
    started,         // it is ready, or was: too late for this
    already,         // it is ready already, or was told so while it runs
    waiting,         // it becomes ready by itself, after those that it depends on
    has_dependents,  // others still depend on it
    invalid,         // a channel that does not exist, no body, a task that depends on itself, or
                     // spans that do not fit each other
    busy,            // some thread is in a call, or a task runs
  };

  // How far a call came: those before `done` were dealt with. `status` says what is with the next.
  struct Result {
    Status status = Status::ok;
    std::size_t done = 0;
    explicit operator bool() const noexcept { return status == Status::ok; }
  };

  // Tasks of one channel have become ready: called after that, on the thread that made them so, for
  // those whose threads sleep while there is nothing to do. Must not call the scheduler.
  struct OnReady {
    void (*call)(void* context, unsigned channel, std::uint32_t count) noexcept = nullptr;
    void* context = nullptr;
  };

  struct Options {
    std::uint32_t tasks = 0;         // that exist at one time; 1 or more
    std::uint32_t dependencies = 0;  // that are not fulfilled yet, at one time
    unsigned channels = 1;           // 1 to kMostChannels
    OnReady on_ready = {};
    bool named = false;  // keeps names, 8 bytes a task

    // For measurements: what it costs to do without. Each channel's words on cache lines of their
    // own, and a pause of the processor after a lost race.
    bool aligned_channels = true;
    bool pauses = true;
  };

  static constexpr unsigned kMostChannels = 256;
  static constexpr std::size_t kAlignment = 128;    // of the memory
  static constexpr std::uint32_t kMostAtOnce = 64;  // that execute() takes

  // How much memory the constructor needs; nothing if the options are out of range, or if it is
  // more than can be addressed.
  [[nodiscard]] static std::optional<std::size_t> memory_size(const Options& options);

  // Takes the memory from the heap. Throws base::Error for options out of range, std::bad_alloc.
  explicit TaskScheduler(const Options& options);
  // In the caller's memory, which must live as long. Throws base::Error if it is too small or not
  // aligned.
  TaskScheduler(const Options& options, std::span<std::byte> memory);
  TaskScheduler(const TaskScheduler&) = delete;
  TaskScheduler& operator=(const TaskScheduler&) = delete;
  ~TaskScheduler();  // no task runs, and no thread is in a call; tasks that are left never run

  // Creates all of them or none, by one compare-and-swap; if none, the handles are none's.
  // ok; full; invalid.
  Status create(std::span<const Spec> specs, std::span<Handle> tasks) noexcept;
  Status create(std::initializer_list<Spec> specs, std::span<Handle> tasks) noexcept {
    return create(std::span(specs.begin(), specs.size()), tasks);
  }

  // Makes a task wait for others: for all that have not finished. It must not be ready. One that is
  // blocked runs again after the last of them. A body may give its own task further dependencies
  // and return `blocked`.
  //
  // When the last has finished the task is ready: so all are named in one call, or before any of
  // them can finish. If all have finished already it is ready when this returns; nothing happens
  // where none is named. A handle that is stale counts as one that has finished, so also that of a
  // task that was freed. A task may wait for 2^28 - 1 others at one time.
  // ok; full; stale: of the task, or a dependency that is no handle at all; started; invalid.
  Status add_dependencies(Handle task, std::span<const Handle> on) noexcept;

  // Makes tasks ready that wait for nothing, or that are blocked. Those of one channel that follow
  // each other cost one compare-and-swap. A task that runs is told, and runs once more if it then
  // returns `blocked`.
  // ok; stale; waiting; already.
  Result ready(std::span<const Handle> tasks) noexcept;
  Status ready(Handle task) noexcept { return ready(std::span(&task, 1)).status; }

  // Moves tasks that are not ready. One that runs is moved for its next run, if it then returns
  // `blocked`. No other call may make them ready meanwhile.
  // ok; stale; started; invalid.
  Result set_channel(std::span<const Handle> tasks, unsigned channel) noexcept;

  // Gives back tasks that were never ready. Those that depend on them come first, in the same call
  // or an earlier one. What they depend on goes on; the room for that is given back as it finishes.
  // No other call may deal with them meanwhile.
  // ok; stale; started; has_dependents.
  Result free(std::span<const Handle> tasks) noexcept;

  // Whose tasks execute() may take.
  enum class From : std::uint8_t { any_channel, this_channel };

  // Runs up to `most` tasks (at most kMostAtOnce) that are ready, of one channel: how many. They
  // are taken together, so nobody else can run them while one before them runs, and their places
  // are free again at the end: for long tasks take one at a time.
  std::uint32_t execute(unsigned channel, std::uint32_t most,
                        From from = From::any_channel) noexcept;
  bool execute_one(unsigned channel, From from = From::any_channel) noexcept {
    return execute(channel, 1, from) != 0;
  }

  // Runs a task that is ready, then one of its channel whose last dependency that was, and so on,
  // up to `most` (at most kMostAtOnce): how many. What follows a task is then run by the same
  // thread, which has at hand what the task left, and nobody else is woken for it.
  std::uint32_t execute_line(unsigned channel, std::uint32_t most,
                             From from = From::any_channel) noexcept;

  // Whether some task is ready: a hint, that a task's becoming so may follow at once. After a
  // seq_cst fence it sees each that became ready before another thread's such fence.
  [[nodiscard]] bool has_ready() const noexcept;

  [[nodiscard]] const Options& options() const noexcept { return options_; }

  // The name that the task was created with; null without one, or if it is stale.
  [[nodiscard]] const char* name(Handle task) const noexcept;

  // While nothing else is called: tasks of which each depends on the next, and the last on the
  // first, so that none of them can ever run, nor be freed; empty if there are none. Allocates.
  [[nodiscard]] std::vector<Handle> find_cycle() const;

  // Becomes a copy of a scheduler of the same numbers of tasks, dependencies and channels: the same
  // handles, contexts and tasks that are ready, which its own callback is told. Nothing else may
  // use this one meanwhile, and its own handles from before mean nothing any more. If the source is
  // not at rest this one is left without tasks.
  // ok; invalid; busy.
  Status copy_from(const TaskScheduler& source) noexcept;

 protected:
  // For interfaces in other languages: calls what was given as a body, which is a function of
  // another type then.
  using Invoke = Outcome (*)(TaskScheduler& scheduler, Body body, Handle task,
                             void* context) noexcept;
  TaskScheduler(const Options& options, std::span<std::byte> memory, Invoke invoke);

  // And create() in steps: takes places, all or none, and gives the first; then makes a task in a
  // place, in each of them, and goes on to the next.
  std::optional<std::uint32_t> take_places(std::uint32_t count) noexcept;
  Handle create_in(std::uint32_t& place, const Spec& spec) noexcept;

 private:
  // What stands in the memory: see src/scheduler/memory.h, where the inline functions are, too, but
  // for make().
  struct Record;
  struct Edge;
  struct Pools;
  struct Layout;
  class ReadyRange;
  class Census;
  using Word = base::atomic<std::uint64_t>;

  static std::optional<Layout> layout_of(const Options& options);
  void place(std::span<std::byte> memory);
  void clear() noexcept;
  [[nodiscard]] inline Pools& pools() const noexcept;
  [[nodiscard]] inline Word& word_of_channel(unsigned channel, unsigned word) const noexcept;
  [[nodiscard]] inline Contended contended() const noexcept;
  [[nodiscard]] inline IndexStack free_tasks() const noexcept;
  [[nodiscard]] inline IndexStack free_edges() const noexcept;
  [[nodiscard]] inline ReadyTasks ready_tasks(unsigned channel) const noexcept;

  [[nodiscard]] inline TaskState state_at(std::uint32_t place) const noexcept;
  [[nodiscard]] inline bool exists(Handle task) const noexcept;
  [[nodiscard]] inline bool is_live(Handle task) const noexcept;
  [[nodiscard]] inline unsigned channel_of(std::uint32_t task) const noexcept;
  [[nodiscard]] inline Handle end_of(std::uint32_t edge) const noexcept;
  template <class F>
  void for_each_dependent(std::uint32_t task, const F& f) const;

  inline Handle make(std::uint32_t place, const Spec& spec) noexcept;
  Status add_pending(Handle task, std::uint32_t count) noexcept;
  bool add_edge(std::uint32_t edge, Handle task, Handle on) noexcept;
  bool fulfil(Handle task, std::uint32_t count) noexcept;
  Status make_ready(Handle task, bool& queued) noexcept;
  [[nodiscard]] Status not_started(Handle task) const noexcept;
  [[nodiscard]] Status not_ready(Handle task) const noexcept;
  bool revoke(Handle task) noexcept;

  std::uint32_t take(unsigned channel, std::uint32_t most, From from,
                     std::uint32_t* taken) noexcept;
  void run(std::uint32_t task, ReadyRange& ready, FreeRange& freed) noexcept;
  bool block(std::uint32_t task) noexcept;
  void finish(std::uint32_t task, std::uint32_t generation, ReadyRange& ready) noexcept;
  std::uint32_t close(std::uint32_t task, std::uint32_t generation) noexcept;
  template <class F>
  void give_back_edges(std::uint32_t first, const F& f) noexcept;

  [[nodiscard]] std::vector<std::uint32_t> stuck_dependencies() const;

  template <class F>
  void for_each_head(const F& f) const;
  void copy_task(std::uint32_t task, const TaskScheduler& source) noexcept;
  void tell_ready(unsigned channel) const noexcept;

  Options options_;
  std::unique_ptr<std::byte, void (*)(std::byte*)> owned_;
  const Invoke invoke_ = nullptr;  // null: bodies are what they say
  std::byte* memory_ = nullptr;
  std::size_t channels_at_ = 0;     // bytes into the memory
  std::size_t channel_stride_ = 0;  // bytes
  std::size_t channel_word_ = 0;    // bytes
  Record* records_ = nullptr;       // of the tasks
  base::atomic<std::uint32_t>* task_links_ = nullptr;
  base::atomic<std::uint8_t>* task_channels_ = nullptr;
  Edge* edges_ = nullptr;
  base::atomic<std::uint32_t>* edge_links_ = nullptr;
  base::atomic<const char*>* names_ = nullptr;  // null without
};

}  // namespace fathom::rt
