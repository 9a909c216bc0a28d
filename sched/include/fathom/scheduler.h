/* TaskScheduler for C99 and later.
 *
 * fathom/sched/task_scheduler.h documents the guarantees; each function here corresponds to one
 * there, and may be called by any thread. The scheduler lives in the caller's memory and allocates
 * nothing, except during fathom_find_cycle(). Unless stated otherwise, initialize structs to zero.
 *
 *   size_t size = fathom_scheduler_size(&options);
 *   void* memory = aligned_alloc(FATHOM_SCHEDULER_ALIGNMENT, size);
 *   fathom_scheduler* scheduler = fathom_scheduler_init(&options, memory, size);
 *   fathom_tasks_create(scheduler, 2, specs, tasks);
 *   fathom_tasks_ready(scheduler, 2, tasks, NULL);
 *   while (fathom_execute_one(scheduler, 0)) {}
 *   free(memory);
 *
 * To avoid the allocation, use FATHOM_SCHEDULER_SIZE(), which is a constant expression:
 *
 *   static char memory[FATHOM_SCHEDULER_SIZE(1024, 4096, 1, 0)]
 *       __attribute__((aligned(FATHOM_SCHEDULER_ALIGNMENT)));
 *
 * Differences from Bikeshed: tasks are freed before those that they depend on, and never once they
 * have been ready; a call adds dependencies to one task; a body does not receive its channel; a
 * clone is fathom_scheduler_init() with the same options, then fathom_scheduler_copy().
 * fathom_execute_channel() with `most` 1 is Bikeshed_ExecuteOne(). Failed assertions of Bikeshed
 * are statuses here.
 *
 * Link with fathom_sched, fathom_rt, fathom_base and the C++ runtime. CMake does all of it for a
 * project(NAME C CXX) that links fathom::sched.
 */

#ifndef FATHOM_SCHEDULER_H
#define FATHOM_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): C naming conventions */

typedef struct fathom_scheduler fathom_scheduler;

/* A task. An all-zero value refers to no task. */
typedef struct fathom_task {
  uint32_t index;
  uint32_t generation;
} fathom_task;

typedef enum fathom_status {
  FATHOM_OK,
  FATHOM_FULL,           /* not enough room */
  FATHOM_STALE,          /* the task does not exist, or no longer */
  FATHOM_STARTED,        /* too late: the task is or was ready */
  FATHOM_ALREADY,        /* the task is ready already, or was made ready while it runs */
  FATHOM_WAITING,        /* the task becomes ready by itself, after its dependencies */
  FATHOM_HAS_DEPENDENTS, /* other tasks still depend on it */
  FATHOM_INVALID, /* a channel that does not exist, no function, or a task that depends on itself or
                     on a spawned one */
  FATHOM_BUSY     /* a thread is in a call, or a task runs */
} fathom_status;

typedef enum fathom_outcome { FATHOM_DONE, FATHOM_BLOCKED } fathom_outcome;

/* Must not throw, if written in C++. on_ready must not call the scheduler. */
typedef fathom_outcome (*fathom_body)(fathom_scheduler* scheduler, fathom_task task, void* context);
typedef void (*fathom_on_ready)(void* context, unsigned channel, uint32_t count);

typedef struct fathom_spec {
  fathom_body body;
  void* context;
  unsigned channel;
  const char* name; /* stored only with `named`; may be null, and is not copied */
} fathom_spec;

typedef struct fathom_scheduler_options {
  uint32_t tasks;           /* the maximum number at one time; 1 or more */
  uint32_t dependencies;    /* the maximum number of unfulfilled ones at one time */
  unsigned channels;        /* 1 to 256 */
  fathom_on_ready on_ready; /* may be null */
  void* on_ready_context;
  int named; /* nonzero: stores names, 8 bytes per task */
} fathom_scheduler_options;

#define FATHOM_SCHEDULER_ALIGNMENT 128

/* Of free places; for the next macro. */
#define FATHOM_SCHEDULER_LISTS(channels) \
  ((size_t)((channels) < 2 ? 1 : (channels) < 4 ? 2 : (channels) < 8 ? 4 : 8))

/* An upper bound of the bytes that a scheduler needs; constant if its arguments are constant. */
#define FATHOM_SCHEDULER_SIZE(tasks, dependencies, channels, named)                             \
  ((size_t)1280 +                                                                               \
   ((size_t)(channels) + FATHOM_SCHEDULER_LISTS(channels)) * (3 * FATHOM_SCHEDULER_ALIGNMENT) + \
   (size_t)(tasks) * (21 + sizeof(void*) * ((named) ? 3 : 2)) + (size_t)(dependencies)*12)

/* The exact number of bytes, a multiple of the alignment; 0 if the options are out of range. */
size_t fathom_scheduler_size(const fathom_scheduler_options* options);

/* Null if the options are out of range, or the memory is too small or not aligned. Nothing needs to
 * be undone: free the memory when no task runs and no thread is in a call. */
fathom_scheduler* fathom_scheduler_init(const fathom_scheduler_options* options, void* memory,
                                        size_t size);

/* Creates all tasks or none, usually with one compare-and-swap; if none, all handles are zero. OK,
 * FULL, INVALID. */
fathom_status fathom_tasks_create(fathom_scheduler* scheduler, size_t count,
                                  const fathom_spec* specs, fathom_task* tasks);

/* Creates tasks that are ready at once, all or none, and on which no task can depend: cheaper than
 * fathom_tasks_create() and fathom_tasks_ready(). OK, FULL, INVALID. */
fathom_status fathom_tasks_spawn(fathom_scheduler* scheduler, size_t count,
                                 const fathom_spec* specs);

/* OK, FULL, STALE, STARTED, INVALID. */
fathom_status fathom_task_add_dependencies(fathom_scheduler* scheduler, fathom_task task,
                                           size_t count, const fathom_task* on);

/* The next functions stop at the first task that fails, and return its status; they store the
 * number of preceding tasks in *done, unless `done` is null. They process 64 tasks at a time: the
 * first batches take effect before the last ones are examined. */

/* OK, STALE, WAITING, ALREADY. */
fathom_status fathom_tasks_ready(fathom_scheduler* scheduler, size_t count,
                                 const fathom_task* tasks, size_t* done);
/* OK, STALE, STARTED, INVALID. */
fathom_status fathom_tasks_set_channel(fathom_scheduler* scheduler, size_t count,
                                       const fathom_task* tasks, unsigned channel, size_t* done);
/* OK, STALE, STARTED, HAS_DEPENDENTS. */
fathom_status fathom_tasks_free(fathom_scheduler* scheduler, size_t count, const fathom_task* tasks,
                                size_t* done);

/* Runs up to `most` ready tasks, at most 64, or one, of the channel or, if it has none, of a
 * following one; returns how many. */
uint32_t fathom_execute(fathom_scheduler* scheduler, unsigned channel, uint32_t most);
int fathom_execute_one(fathom_scheduler* scheduler, unsigned channel);

/* The same, for this channel alone. */
uint32_t fathom_execute_channel(fathom_scheduler* scheduler, unsigned channel, uint32_t most);

/* Runs a task, then a task of its channel whose last dependency was the first, and so on, up to
 * `most`, at most 64; returns how many. The first task is from the channel or, if it has none, from
 * a following one; fathom_execute_channel_line() uses this channel alone. */
uint32_t fathom_execute_line(fathom_scheduler* scheduler, unsigned channel, uint32_t most);
uint32_t fathom_execute_channel_line(fathom_scheduler* scheduler, unsigned channel, uint32_t most);

/* Whether some task is ready: a hint, which may be outdated immediately. */
int fathom_has_ready(const fathom_scheduler* scheduler);

/* The name given at creation; null if none was given or the task is stale. */
const char* fathom_task_name(const fathom_scheduler* scheduler, fathom_task task);

/* Requires that nothing else is called. Finds tasks of which each depends on the next, and the last
 * on the first, so that none of them can ever run. Returns their number and stores the first `room`
 * of them; 0 if there is no cycle; FATHOM_NO_MEMORY if memory ran out. */
#define FATHOM_NO_MEMORY SIZE_MAX
size_t fathom_find_cycle(const fathom_scheduler* scheduler, size_t room, fathom_task* cycle);

/* Makes `to`, of the same sizes, a copy of `from`: the same tasks and contexts; the on_ready of
 * `to` is called for the ready tasks. Nothing else may use `to` meanwhile. If `from` is not at
 * rest, `to` is left without tasks. OK, INVALID, BUSY. */
fathom_status fathom_scheduler_copy(fathom_scheduler* to, const fathom_scheduler* from);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
