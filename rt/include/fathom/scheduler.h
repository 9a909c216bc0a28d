/* The task scheduler of fathom::rt for C99 and later.
 *
 * fathom/rt/task_scheduler.h says what it promises; each function here is one of there, and may be
 * called by any thread. Nothing is allocated: the scheduler lives in the caller's memory.
 *
 *   size_t size = fathom_scheduler_size(&options);
 *   void* memory = aligned_alloc(FATHOM_SCHEDULER_ALIGNMENT, size);
 *   fathom_scheduler* scheduler = fathom_scheduler_init(&options, memory, size);
 *   fathom_tasks_create(scheduler, 2, specs, tasks);
 *   fathom_tasks_ready(scheduler, 2, tasks, NULL);
 *   while (fathom_execute_one(scheduler, 0)) {}
 *   free(memory);
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
  FATHOM_STARTED,        /* it is ready, runs or is blocked: too late for this */
  FATHOM_ALREADY,        /* it is ready already, or was told so while it runs */
  FATHOM_WAITING,        /* it becomes ready by itself, after those that it depends on */
  FATHOM_HAS_DEPENDENTS, /* others still depend on it */
  FATHOM_INVALID, /* a channel that does not exist, no function, or a task that depends on itself */
  FATHOM_BUSY     /* some thread is in a call, or a task runs */
} fathom_status;

typedef enum fathom_outcome { FATHOM_DONE, FATHOM_BLOCKED } fathom_outcome;

/* Must not throw, where it is C++. */
typedef fathom_outcome (*fathom_body)(fathom_scheduler* scheduler, fathom_task task, void* context);
typedef void (*fathom_on_ready)(void* context, unsigned channel, uint32_t count);

typedef struct fathom_spec {
  fathom_body body;
  void* context;
  unsigned channel;
} fathom_spec;

typedef struct fathom_scheduler_options {
  uint32_t tasks;           /* that exist at one time; 1 or more */
  uint32_t dependencies;    /* that are not fulfilled yet, at one time */
  unsigned channels;        /* 1 to 256 */
  fathom_on_ready on_ready; /* may be null */
  void* on_ready_context;
} fathom_scheduler_options;

#define FATHOM_SCHEDULER_ALIGNMENT 128

/* Bytes, a multiple of the alignment; 0 if the options are out of range. */
size_t fathom_scheduler_size(const fathom_scheduler_options* options);

/* Null if the options are out of range, or the memory is too small or not aligned. Nothing has to
 * be undone: the memory may go when no task runs and no thread is in a call. */
fathom_scheduler* fathom_scheduler_init(const fathom_scheduler_options* options, void* memory,
                                        size_t size);

/* All of them or none; up to 64 by one compare-and-swap. OK, FULL, INVALID. */
fathom_status fathom_tasks_create(fathom_scheduler* scheduler, size_t count,
                                  const fathom_spec* specs, fathom_task* tasks);

/* OK, FULL, STALE, STARTED. */
fathom_status fathom_task_add_dependencies(fathom_scheduler* scheduler, fathom_task task,
                                           size_t count, const fathom_task* on);

/* These go on until one cannot be done: how many were is stored where `done` points to, if that is
 * not null, and the result says what is with the next. */

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

/* Makes `to`, of the same numbers, a copy of `from`. OK, INVALID, BUSY. */
fathom_status fathom_scheduler_copy(fathom_scheduler* to, const fathom_scheduler* from);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
