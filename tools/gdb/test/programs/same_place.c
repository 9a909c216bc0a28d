// A child calls malloc from places that its parent reaches only later. Both leak 40 bytes.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void leak(void) { malloc(40); }

static void use(void) {
  free(malloc(61));
  leak();
}

int main(void) {
  const pid_t child = fork();
  int status;
  if (child != 0 && (waitpid(child, &status, 0) != child || status != 0)) abort();
  use();
  _exit(0);
}
