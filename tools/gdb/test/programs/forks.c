// A parent, its child and its grandchild, each with leaks of its own. The child frees a block that it inherited.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void leak_in_parent(void) { malloc(1001); }
static void leak_in_child(void) {
  malloc(2002);
  malloc(2002);
}
static void leak_in_grandchild(void) { calloc(1, 3003); }

static void wait_for(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) != child) abort();
}

int main(void) {
  void* inherited = malloc(77);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      leak_in_grandchild();
      free(inherited);
      _exit(6);
    }
    wait_for(grandchild);
    leak_in_child();
    free(inherited);
    exit(5);
  }
  wait_for(child);
  leak_in_parent();
  free(inherited);
  return 4;
}
