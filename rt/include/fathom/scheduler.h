/* The task scheduler of fathom::rt for C99 and later.
 *
 * fathom/rt/task_scheduler.h says what it promises; each function here is one of there, and may be
 * called by any thread. The scheduler lives in the caller's memory, and allocates nothing but for
 * the moment of a fathom_find_cycle(). Structs are zero where nothing is said.
 *
 *   size_t size = fathom_scheduler_size(&options);
 *   void* memory = aligned_alloc(FATHOM_SCHEDULER_ALIGNMENT, size);
 *   fathom_scheduler* scheduler = fathom_scheduler_init(&options, memory, size);
 *   fathom_tasks_create(scheduler, 2, specs, tasks);
 *   fathom_tasks_ready(scheduler, 2, tasks, NULL);
 *   while (fathom_execute_one(scheduler, 0)) {}
 *   free(memory);
 *
 * Without an allocation, FATHOM_SCHEDULER_SIZE() is a constant:
 *
 *   static char memory[FATHOM_SCHEDULER_SIZE(1024, 4096, 1, 0)]
 *       __attribute__((aligned(FATHOM_SCHEDULER_ALIGNMENT)));
 *
 * Who comes from Bikeshed: tasks are freed before those that they depend on, and never once they
 * have been ready; dependencies are added to one task a call; a body is not told its channel; and a
 * clone is fathom_scheduler_init() with the same options, then fathom_scheduler_copy().
 * fathom_execute_channel() with `most` 1 is Bikeshed_ExecuteOne(). What asserted there is a status
 * here.
 *
 * Links with fathom_rt, fathom's C++ library, and the C++ runtime.
 */

#ifndef FATHOM_SCHEDULER_H
#define FATHOM_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): as C writes names */

typedef struct fathom_scheduler fathom_scheduler;

/* A task. One that is all zero is none. */
typedef struct fathom_task {
  uint32_t index;
  uint32_t generation;
} fathom_task;

typedef enum fathom_status {
  FATHOM_OK,
  FATHOM_FULL,           /* no room for so many */
  FATHOM_STALE,          /* no such task, or no longer */
  FATHOM_STARTED,        /* it is ready, or was: too late for this */
  FATHOM_ALREADY,        /* it is ready already, or was told so while it runs */
  FATHOM_WAITING,        /* it becomes ready by itself, after those that it depends on */
  FATHOM_HAS_DEPENDENTS, /* others still depend on it */
  FATHOM_INVALID, /* a channel that does not exist, no function, or a task that depends on itself */
  FATHOM_BUSY     /* some thread is in a call, or a task runs */
} fathom_status;

typedef enum fathom_outcome { FATHOM_DONE, FATHOM_BLOCKED } fathom_outcome;

/* Neither may throw, where it is C++. on_ready must not call the scheduler. */
typedef fathom_outcome (*fathom_body)(fathom_scheduler* scheduler, fathom_task task, void* context);
typedef void (*fathom_on_ready)(void* context, unsigned channel, uint32_t count);

typedef struct fathom_spec {
  fathom_body body;
  void* context;
  unsigned channel;
  const char* name; /* kept only with `named`; may be null, and is not copied */
} fathom_spec;

typedef struct fathom_scheduler_options {
  uint32_t tasks;           /* that exist at one time; 1 or more */
  uint32_t dependencies;    /* that are not fulfilled yet, at one time */
  unsigned channels;        /* 1 to 256 */
  fathom_on_ready on_ready; /* may be null */
  void* on_ready_context;
  int named; /* not 0: keeps names, 8 bytes a task */
} fathom_scheduler_options;

#define FATHOM_SCHEDULER_ALIGNMENT 128

/* As many bytes as such a scheduler needs at the most, as a constant where its arguments are. */
#define FATHOM_SCHEDULER_SIZE(tasks, dependencies, channels, named)       \
  ((size_t)1280 + (size_t)(channels) * (3 * FATHOM_SCHEDULER_ALIGNMENT) + \
   (size_t)(tasks) * (21 + sizeof(void*) * ((named) ? 3 : 2)) + (size_t)(dependencies)*12)

/* As many as it does need, a multiple of the alignment; 0 if the options are out of range. */
size_t fathom_scheduler_size(const fathom_scheduler_options* options);

/* Null if the options are out of range, or the memory is too small or not aligned. Nothing has to
 * be undone: the memory may go when no task runs and no thread is in a call. */
fathom_scheduler* fathom_scheduler_init(const fathom_scheduler_options* options, void* memory,
                                        size_t size);

/* All of them or none, by one compare-and-swap; if none, all tasks are zero. OK, FULL, INVALID. */
fathom_status fathom_tasks_create(fathom_scheduler* scheduler, size_t count,
                                  const fathom_spec* specs, fathom_task* tasks);

/* OK, FULL, STALE, STARTED, INVALID. */
fathom_status fathom_task_add_dependencies(fathom_scheduler* scheduler, fathom_task task,
                                           size_t count, const fathom_task* on);

/* These go on until one cannot be done: how many were is stored where `done` points to, if that is
 * not null, and the result says what is with the next. They deal with 64 tasks at a time: of more
 * the first are ready, or free, before the last were looked at. */

/* OK, STALE, WAITING, ALREADY. */
fathom_status fathom_tasks_ready(fathom_scheduler* scheduler, size_t count,
                                 const fathom_task* tasks, size_t* done);
/* OK, STALE, STARTED, INVALID. */
fathom_status fathom_tasks_set_channel(fathom_scheduler* scheduler, size_t count,
                                       const fathom_task* tasks, unsigned channel, size_t* done);
/* OK, STALE, STARTED, HAS_DEPENDENTS. */
fathom_status fathom_tasks_free(fathom_scheduler* scheduler, size_t count, const fathom_task* tasks,
                                size_t* done);

/* Run up to so many tasks, at most 64, or one, of the channel or else of the next: how many. */
uint32_t fathom_execute(fathom_scheduler* scheduler, unsigned channel, uint32_t most);
int fathom_execute_one(fathom_scheduler* scheduler, unsigned channel);

/* The same, of this channel alone. */
uint32_t fathom_execute_channel(fathom_scheduler* scheduler, unsigned channel, uint32_t most);

/* Run a task, then one of its channel whose last dependency that was, and so on, up to so many, at
 * most 64: how many. The first is of the channel or else of the next; or of this channel alone. */
uint32_t fathom_execute_line(fathom_scheduler* scheduler, unsigned channel, uint32_t most);
uint32_t fathom_execute_channel_line(fathom_scheduler* scheduler, unsigned channel, uint32_t most);

/* Whether some task is ready: a hint, that a task's becoming so may follow at once. */
int fathom_has_ready(const fathom_scheduler* scheduler);

/* The name that the task was created with; null without one, or if it is stale. */
const char* fathom_task_name(const fathom_scheduler* scheduler, fathom_task task);

/* While nothing else is called: tasks of which each depends on the next, and the last on the first,
 * so that none of them can ever run. How many they are; the first `room` of them are stored. 0 if
 * there are none; FATHOM_NO_MEMORY if there was none to find out. */
#define FATHOM_NO_MEMORY SIZE_MAX
size_t fathom_find_cycle(const fathom_scheduler* scheduler, size_t room, fathom_task* cycle);

/* Makes `to`, of the same numbers, a copy of `from`: the same tasks and contexts; its own on_ready
 * is told what is ready. Nothing else may use `to` meanwhile. If `from` is not at rest, `to` has no
 * tasks then. OK, INVALID, BUSY. */
fathom_status fathom_scheduler_copy(fathom_scheduler* to, const fathom_scheduler* from);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
