// A thread allocates in the library that the first argument names. While it is in malloc, which is this program's own, a
// forked child unloads that library, if it has it, and loads a second one in its place. Exits with the child's code: 0
// if the code there is intact. A third argument: the child is forked before the first library is loaded.

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char memory[1 << 20];
static size_t used;
static int in_malloc[2], may_return[2], place[2];  // pipes
static void* library;
static void (*leak)(void);

void* malloc(size_t size) {
  if (size == 61 && (write(in_malloc[1], "", 1) != 1 || read(may_return[0], &(char){0}, 1) != 1)) abort();
  return memory + __atomic_fetch_add(&used, (size + 31) / 16 * 16, __ATOMIC_RELAXED);
}
void* calloc(size_t count, size_t size) { return malloc(count * size); }
void* realloc(void* block, size_t size) {
  void* to = malloc(size);
  return block == NULL ? to : memcpy(to, block, size);
}
void free(void* block) { (void)block; }

static void* load(const char* path) {
  void* loaded = dlopen(path, RTLD_NOW);
  if (loaded == NULL) abort();
  return loaded;
}

static int is_intact(const char* path) {
  uintptr_t before;
  if (read(place[0], &before, sizeof before) != sizeof before) abort();
  if (library != NULL) dlclose(library);
  uint64_t (*sum)(void) = (uint64_t(*)(void))dlsym(load(path), "sum");
  if (before - (uintptr_t)sum > 700) return 0;  // elsewhere, so the sum shows nothing
  return sum() == 64 * 0x0101010101010101;
}

static pid_t fork_child(const char* path) {
  const pid_t child = fork();
  if (child == 0) _exit(is_intact(path) ? 0 : 2);
  return child;
}

static void* run(void* nothing) {
  leak();
  return nothing;
}

int main(int count, char** arguments) {
  if (count < 3 || pipe(in_malloc) != 0 || pipe(may_return) != 0 || pipe(place) != 0) abort();
  pid_t child = count > 3 ? fork_child(arguments[2]) : 0;
  library = load(arguments[1]);
  leak = (void (*)(void))dlsym(library, "leak_in_plugin");
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  if (read(in_malloc[0], &(char){0}, 1) != 1) abort();
  if (child == 0) child = fork_child(arguments[2]);
  int status;
  if (write(place[1], &leak, sizeof leak) != sizeof leak || waitpid(child, &status, 0) != child) abort();
  if (write(may_return[1], "", 1) != 1) abort();
  pthread_join(thread, NULL);
  return WEXITSTATUS(status);
}
