/* The scheduler from C, compiled as C99: prints what does not hold, and exits with 1 then. */

#include "fathom/scheduler.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++failures;                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

enum { kTasks = 200, kParts = 199 };

struct sum {
  int parts;
  int whole; /* the parts that the last task saw */
  int blocked;
};

static fathom_outcome add_part(fathom_scheduler* scheduler, fathom_task task, void* context) {
  struct sum* sum = context;
  (void)scheduler;
  (void)task;
  ++sum->parts;
  return FATHOM_DONE;
}

static fathom_outcome add_all(fathom_scheduler* scheduler, fathom_task task, void* context) {
  struct sum* sum = context;
  if (sum->blocked++ == 0) {
    EXPECT(fathom_tasks_ready(scheduler, 1, &task, NULL) == FATHOM_OK);
    return FATHOM_BLOCKED;
  }
  sum->whole = sum->parts;
  return FATHOM_DONE;
}

static void count_ready(void* context, unsigned channel, uint32_t count) {
  (void)channel;
  *(uint32_t*)context += count;
}

static fathom_scheduler* made(const fathom_scheduler_options* options, void** memory) {
  const size_t size = fathom_scheduler_size(options);
  *memory = aligned_alloc(FATHOM_SCHEDULER_ALIGNMENT, size);
  EXPECT(*memory != NULL);
  return fathom_scheduler_init(options, *memory, size);
}

/* Many tasks, more than one call takes at once, and one that waits for all. */
static void a_graph_runs(void) {
  uint32_t told = 0;
  const fathom_scheduler_options options = {kTasks, kParts, 2, count_ready, &told};
  void* memory = NULL;
  void* other_memory = NULL;
  fathom_scheduler* scheduler = made(&options, &memory);
  fathom_scheduler* copy = made(&options, &other_memory);
  struct sum sum = {0, 0, 0};
  fathom_spec specs[kTasks];
  fathom_task tasks[kTasks];
  size_t done = 0;
  for (int i = 0; i < kTasks; ++i) {
    specs[i].body = i < kParts ? add_part : add_all;
    specs[i].context = &sum;
    specs[i].channel = (unsigned)i % 2;
  }
  EXPECT(fathom_tasks_create(scheduler, kTasks, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_tasks_create(scheduler, 1, specs, tasks + kParts) == FATHOM_FULL);
  EXPECT(tasks[kParts].generation == 0);
  EXPECT(fathom_tasks_free(scheduler, kParts, tasks, &done) == FATHOM_OK && done == kParts);

  EXPECT(fathom_tasks_create(scheduler, kTasks, specs, tasks) == FATHOM_FULL); /* one is left */
  EXPECT(fathom_tasks_create(scheduler, kParts, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_scheduler_copy(copy, scheduler) == FATHOM_OK);
  EXPECT(fathom_tasks_ready(copy, kParts, tasks, &done) == FATHOM_OK && done == kParts);
  EXPECT(fathom_tasks_ready(copy, kParts, tasks, &done) == FATHOM_ALREADY && done == 0);
  while (fathom_execute(copy, 1, 64) != 0) {
  }
  EXPECT(sum.parts == kParts);
  EXPECT(told >= (uint32_t)kParts);
  EXPECT(fathom_tasks_free(scheduler, kParts, tasks, NULL) == FATHOM_OK);
  free(other_memory);
  free(memory);

  sum.parts = 0;
  scheduler = made(&options, &memory);
  EXPECT(fathom_tasks_create(scheduler, kTasks, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[kParts], kParts, tasks) == FATHOM_OK);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks + kParts, NULL) == FATHOM_WAITING);
  EXPECT(fathom_tasks_set_channel(scheduler, kTasks, tasks, 2, NULL) == FATHOM_INVALID);
  EXPECT(fathom_tasks_set_channel(scheduler, kTasks, tasks, 1, NULL) == FATHOM_OK);
  EXPECT(fathom_tasks_free(scheduler, 1, tasks, NULL) == FATHOM_HAS_DEPENDENTS);
  EXPECT(fathom_tasks_ready(scheduler, kParts, tasks, NULL) == FATHOM_OK);
  EXPECT(fathom_execute_channel(scheduler, 0, 1) == 0);
  while (fathom_execute_one(scheduler, 0)) {
  }
  EXPECT(sum.whole == kParts);
  EXPECT(sum.blocked == 2);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks, NULL) == FATHOM_STALE);
  free(memory);
}

static void wrong_memory_is_refused(void) {
  fathom_scheduler_options options = {3, 0, 1, NULL, NULL};
  const size_t size = fathom_scheduler_size(&options);
  char* memory = aligned_alloc(FATHOM_SCHEDULER_ALIGNMENT, size + FATHOM_SCHEDULER_ALIGNMENT);
  EXPECT(size > 0 && size % FATHOM_SCHEDULER_ALIGNMENT == 0);
  EXPECT(fathom_scheduler_init(&options, NULL, size) == NULL);
  EXPECT(fathom_scheduler_init(&options, memory + 8, size) == NULL);
  EXPECT(fathom_scheduler_init(&options, memory, size - 1) == NULL);
  EXPECT(fathom_scheduler_init(&options, memory, size) != NULL);
  free(memory);
  options.channels = 257;
  EXPECT(fathom_scheduler_size(&options) == 0);
  options.channels = 1;
  options.tasks = 0;
  EXPECT(fathom_scheduler_size(&options) == 0);
}

int main(void) {
  a_graph_runs();
  wrong_memory_is_refused();
  return failures == 0 ? 0 : 1;
}
