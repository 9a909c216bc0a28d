// Starts other programs in all ways that C offers, and leaks 15 bytes itself.

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  if (system("exit 3") != 3 << 8) abort();
  FILE* pipe = popen("echo told", "r");
  char line[16];
  if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL || pclose(pipe) != 0) abort();
  const pid_t child = fork();
  if (child == 0) {
    malloc(16);
    execl("/bin/sh", "sh", "-c", "exit 2", (char*)NULL);
    _exit(1);
  }
  int status;
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 2) abort();
  malloc(15);
  return 0;
}
