/* Tests of the scheduler's C interface, compiled as C99: prints failures, and then exits with 1. */

#include "fathom/scheduler.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ++failures;                                                             \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                         \
  } while (0)

enum { kTasks = 200, kParts = 199 };

struct sum {
  int parts;
  int whole; /* the number of parts that the last task saw */
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

/* More tasks than one call takes at a time, and one that depends on all of them. */
static void a_graph_runs(void) {
  uint32_t told = 0;
  const fathom_scheduler_options options = {.tasks = kTasks,
                                            .dependencies = kParts,
                                            .channels = 2,
                                            .on_ready = count_ready,
                                            .on_ready_context = &told};
  void* memory = NULL;
  void* other_memory = NULL;
  fathom_scheduler* scheduler = made(&options, &memory);
  fathom_scheduler* copy = made(&options, &other_memory);
  struct sum sum = {0, 0, 0};
  fathom_spec specs[kTasks];
  fathom_task tasks[kTasks];
  size_t done = 0;
  for (int i = 0; i < kTasks; ++i) {
    specs[i] = (fathom_spec){.body = i < kParts ? add_part : add_all, .context = &sum};
    specs[i].channel = (unsigned)i % 2;
  }
  EXPECT(fathom_tasks_create(scheduler, kTasks, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_tasks_create(scheduler, 1, specs, tasks + kParts) == FATHOM_FULL);
  EXPECT(tasks[kParts].generation == 0);
  EXPECT(fathom_tasks_free(scheduler, kParts, tasks, &done) == FATHOM_OK && done == kParts);

  EXPECT(fathom_tasks_create(scheduler, kTasks, specs, tasks) == FATHOM_FULL); /* one left */
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
  fathom_scheduler_options options = {.tasks = 3, .channels = 1};
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

enum { kRoom = 1000, kOthers = 900, kRounds = 5000 };

/* Two threads that continue until both have completed so many rounds. */
struct race {
  fathom_scheduler* scheduler;
  pthread_mutex_t mutex;
  int rounds[2];
};

static int goes_on(struct race* race, int thread) {
  int on;
  pthread_mutex_lock(&race->mutex);
  ++race->rounds[thread];
  on = race->rounds[0] <= kRounds || race->rounds[1] <= kRounds;
  pthread_mutex_unlock(&race->mutex);
  return on;
}

static void* create_some(void* context) {
  struct race* race = context;
  const fathom_spec spec = {.body = add_part};
  fathom_spec specs[kOthers];
  fathom_task tasks[kOthers];
  int refused = 0;
  for (int i = 0; i < kOthers; ++i) specs[i] = spec;
  while (goes_on(race, 0)) {
    if (fathom_tasks_create(race->scheduler, kOthers, specs, tasks) == FATHOM_OK) {
      fathom_tasks_free(race->scheduler, kOthers, tasks, NULL);
    } else {
      ++refused;
    }
  }
  EXPECT(refused == 0);
  return NULL;
}

/* One thread repeatedly requests more than there is: the other always finds room. */
static void many_tasks_are_created_or_none(void) {
  const fathom_scheduler_options options = {.tasks = kRoom, .channels = 1};
  const fathom_spec spec = {.body = add_part};
  fathom_spec specs[kRoom + 1];
  fathom_task tasks[kRoom + 1];
  fathom_task one;
  pthread_t other;
  int created = 0;
  void* memory = NULL;
  fathom_scheduler* scheduler = made(&options, &memory);
  struct race race = {.scheduler = scheduler, .mutex = PTHREAD_MUTEX_INITIALIZER};
  for (int i = 0; i <= kRoom; ++i) specs[i] = spec;
  EXPECT(fathom_tasks_create(scheduler, kRoom + 1, specs, tasks) == FATHOM_FULL);
  EXPECT(fathom_tasks_create(scheduler, 0, specs, tasks) == FATHOM_OK);
  specs[kRoom - 1].channel = 1;
  tasks[0].generation = 1;
  EXPECT(fathom_tasks_create(scheduler, kRoom, specs, tasks) == FATHOM_INVALID);
  EXPECT(tasks[0].generation == 0);
  specs[kRoom - 1].channel = 0;
  EXPECT(fathom_tasks_create(scheduler, 1, specs, &one) == FATHOM_OK);
  EXPECT(pthread_create(&other, NULL, create_some, &race) == 0);
  while (goes_on(&race, 1)) {
    created += fathom_tasks_create(scheduler, kRoom, specs, tasks) == FATHOM_OK;
  }
  pthread_join(other, NULL);
  pthread_mutex_destroy(&race.mutex);
  EXPECT(created == 0 && tasks[0].generation == 0);
  EXPECT(fathom_tasks_create(scheduler, kRoom - 1, specs, tasks) == FATHOM_OK);
  free(memory);
}

/* More tasks than are handled at a time, all or none. */
static void spawned_tasks_run(void) {
  const fathom_scheduler_options options = {.tasks = kTasks, .channels = 2};
  struct sum sum = {0, 0, 0};
  fathom_spec specs[kTasks + 1];
  void* memory = NULL;
  fathom_scheduler* scheduler = made(&options, &memory);
  for (int i = 0; i <= kTasks; ++i) specs[i] = (fathom_spec){.body = add_part, .context = &sum};
  EXPECT(fathom_tasks_spawn(scheduler, kTasks + 1, specs) == FATHOM_FULL);
  EXPECT(fathom_tasks_spawn(scheduler, 0, specs) == FATHOM_OK);
  specs[kTasks - 1].channel = 2;
  EXPECT(fathom_tasks_spawn(scheduler, kTasks, specs) == FATHOM_INVALID);
  EXPECT(!fathom_has_ready(scheduler));
  specs[kTasks - 1].channel = 1;
  for (int round = 1; round <= 2; ++round) {
    EXPECT(fathom_tasks_spawn(scheduler, kTasks, specs) == FATHOM_OK);
    EXPECT(fathom_tasks_spawn(scheduler, 1, specs) == FATHOM_FULL);
    while (fathom_execute(scheduler, 0, 7) != 0) continue;
    EXPECT(sum.parts == round * kTasks);
  }
  free(memory);
}

/* In memory whose size is a constant expression. */
static char fixed[FATHOM_SCHEDULER_SIZE(4, 4, 2, 1)]
    __attribute__((aligned(FATHOM_SCHEDULER_ALIGNMENT)));

static fathom_scheduler* made_fixed(void) {
  const fathom_scheduler_options options = {
      .tasks = 4, .dependencies = 4, .channels = 2, .named = 1};
  fathom_scheduler* scheduler = fathom_scheduler_init(&options, fixed, sizeof fixed);
  EXPECT(scheduler != NULL);
  return scheduler;
}

static void the_constant_is_enough_and_little_more(void) {
  const uint32_t counts[] = {1, 2, 31, 1000, 99999};
  const size_t kinds = sizeof counts / sizeof *counts;
  for (size_t t = 0; t < kinds; ++t) {
    for (size_t d = 0; d < kinds; ++d) {
      for (unsigned channels = 1; channels <= 256; channels += 51) {
        for (int named = 0; named < 2; ++named) {
          const fathom_scheduler_options options = {.tasks = counts[t],
                                                    .dependencies = counts[d] - 1,
                                                    .channels = channels,
                                                    .named = named};
          const size_t size = fathom_scheduler_size(&options);
          const size_t most = FATHOM_SCHEDULER_SIZE(counts[t], counts[d] - 1, channels, named);
          EXPECT(size <= most);
          EXPECT(most - size < 1280);
        }
      }
    }
  }
}

static void a_line_is_run_by_one_call(void) {
  fathom_scheduler* scheduler = made_fixed();
  struct sum sum = {0, 0, 0};
  fathom_spec specs[4];
  fathom_task tasks[4];
  for (unsigned i = 0; i < 4; ++i) {
    specs[i] = (fathom_spec){.body = add_part, .context = &sum, .channel = i == 3};
  }
  EXPECT(fathom_tasks_create(scheduler, 4, specs, tasks) == FATHOM_OK);
  for (int i = 1; i < 4; ++i) {
    EXPECT(fathom_task_add_dependencies(scheduler, tasks[i], 1, &tasks[i - 1]) == FATHOM_OK);
  }
  EXPECT(!fathom_has_ready(scheduler));
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks, NULL) == FATHOM_OK);
  EXPECT(fathom_has_ready(scheduler));
  EXPECT(fathom_execute_channel_line(scheduler, 1, 64) == 0);
  EXPECT(fathom_execute_channel_line(scheduler, 0, 2) == 2);
  EXPECT(fathom_execute_line(scheduler, 0, 64) == 1); /* the next task is in another channel */
  EXPECT(fathom_execute_line(scheduler, 0, 64) == 1);
  EXPECT(!fathom_has_ready(scheduler));
  EXPECT(sum.parts == 4);
}

static void a_cycle_is_told_by_names(void) {
  fathom_scheduler* scheduler = made_fixed();
  const char* const names[4] = {"a", "b", "c", "behind"};
  fathom_spec specs[4];
  fathom_task tasks[4];
  fathom_task cycle[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
  char told[4] = "";
  for (int i = 0; i < 4; ++i) specs[i] = (fathom_spec){.body = add_part, .name = names[i]};
  EXPECT(fathom_tasks_create(scheduler, 4, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[0], 1, &tasks[1]) == FATHOM_OK);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[1], 1, &tasks[2]) == FATHOM_OK);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[3], 1, &tasks[0]) == FATHOM_OK);
  EXPECT(fathom_find_cycle(scheduler, 4, cycle) == 0);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[2], 1, &tasks[0]) == FATHOM_OK);
  EXPECT(fathom_find_cycle(scheduler, 0, NULL) == 3);
  EXPECT(fathom_find_cycle(scheduler, 2, cycle) == 3);
  EXPECT(cycle[1].generation != 0 && cycle[2].generation == 0);
  EXPECT(fathom_find_cycle(scheduler, 4, cycle) == 3 && cycle[3].generation == 0);
  for (int i = 0; i < 3; ++i) told[i] = *fathom_task_name(scheduler, cycle[i]);
  EXPECT(strstr("abcab", told) != NULL);
  EXPECT(fathom_task_name(scheduler, cycle[3]) == NULL);
}

static fathom_outcome block_once(fathom_scheduler* scheduler, fathom_task task, void* context) {
  struct sum* sum = context;
  if (sum->blocked++ > 0) return FATHOM_DONE;
  EXPECT(fathom_tasks_set_channel(scheduler, 1, &task, 1, NULL) == FATHOM_OK);
  return FATHOM_BLOCKED;
}

/* A task that moves itself, and is then moved and given a dependency by others. */
static void a_blocked_task_may_be_moved_and_wait(void) {
  fathom_scheduler* scheduler = made_fixed();
  struct sum sum = {0, 0, 0};
  const fathom_spec specs[2] = {{.body = block_once, .context = &sum},
                                {.body = add_part, .context = &sum}};
  fathom_task tasks[2];
  EXPECT(fathom_tasks_create(scheduler, 2, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks, NULL) == FATHOM_OK);
  EXPECT(fathom_tasks_set_channel(scheduler, 1, tasks, 1, NULL) == FATHOM_STARTED);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[0], 1, &tasks[1]) == FATHOM_STARTED);
  EXPECT(fathom_execute_channel(scheduler, 0, 1) == 1);
  EXPECT(fathom_tasks_free(scheduler, 1, tasks, NULL) == FATHOM_STARTED);
  EXPECT(fathom_task_add_dependencies(scheduler, tasks[0], 1, &tasks[1]) == FATHOM_OK);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks, NULL) == FATHOM_WAITING);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks + 1, NULL) == FATHOM_OK);
  EXPECT(fathom_execute_channel(scheduler, 0, 64) == 1 && sum.parts == 1);
  EXPECT(fathom_execute_channel(scheduler, 0, 64) == 0);
  EXPECT(fathom_execute_channel(scheduler, 1, 64) == 1 && sum.blocked == 2);

  sum.blocked = 0;
  EXPECT(fathom_tasks_create(scheduler, 1, specs, tasks) == FATHOM_OK);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks, NULL) == FATHOM_OK);
  EXPECT(fathom_execute_channel(scheduler, 0, 1) == 1);
  EXPECT(fathom_tasks_set_channel(scheduler, 1, tasks, 0, NULL) == FATHOM_OK);
  EXPECT(fathom_tasks_ready(scheduler, 1, tasks, NULL) == FATHOM_OK);
  EXPECT(fathom_execute_channel(scheduler, 1, 1) == 0);
  EXPECT(fathom_execute_channel(scheduler, 0, 1) == 1 && sum.blocked == 2);
}

int main(void) {
  a_graph_runs();
  wrong_memory_is_refused();
  the_constant_is_enough_and_little_more();
  many_tasks_are_created_or_none();
  spawned_tasks_run();
  a_line_is_run_by_one_call();
  a_cycle_is_told_by_names();
  a_blocked_task_may_be_moved_and_wait();
  return failures == 0 ? 0 : 1;
}
