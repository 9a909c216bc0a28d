// Loads the library that its argument names, calls it and unloads it. Then it loads a second one in its place, and exits
// with 0 if the code there is intact; or, without a second one, it forks a child that allocates.

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == NULL) abort();
  return library;
}

static uintptr_t call_and_unload(const char* path) {
  void* library = load(path);
  void (*leak)(void) = (void (*)(void))dlsym(library, "leak_in_plugin");
  leak();
  dlclose(library);
  return (uintptr_t)leak;
}

static int is_intact(const char* path, uintptr_t before) {
  uint64_t (*sum)(void) = (uint64_t(*)(void))dlsym(load(path), "sum");
  if (before - (uintptr_t)sum > 700) return 0;  // elsewhere, so the sum shows nothing
  return sum() == 64 * 0x0101010101010101;
}

static void leak_in_child(void) { malloc(300); }
static void leak_in_parent(void) { malloc(12); }

int main(int count, char** arguments) {
  if (count < 2) return 1;
  const uintptr_t before = call_and_unload(arguments[1]);
  if (count > 2) return is_intact(arguments[2], before) ? 0 : 2;
  const pid_t child = fork();
  if (child == 0) {
    leak_in_child();
    _exit(0);
  }
  if (waitpid(child, NULL, 0) != child) abort();
  leak_in_parent();
  return 0;
}
