// A parent that leaks 10 bytes and its child that leaks 20 end at the same time: by a signal to
// both with the argument "killed", else by returning from main.

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** arguments) {
  const int killed = count > 1 && strcmp(arguments[1], "killed") == 0;
  malloc(10);
  if (killed) setpgid(0, 0);
  const pid_t child = fork();
  if (child == 0) {
    malloc(20);
    if (killed) kill(0, SIGKILL);
    return 3;
  }
  int status;
  if (waitpid(child, &status, 0) != child) abort();
  return 4;
}
