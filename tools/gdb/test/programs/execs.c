// Runs itself again by exec, in the way that its first argument names; the new program returns 3.
// With a second argument a child does that, and the program waits for it.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void become(const char* way, char* program) {
  char* arguments[] = {program, NULL};
  if (strcmp(way, "fexecve") == 0) fexecve(open(program, O_RDONLY | O_CLOEXEC), arguments, environ);
  if (strcmp(way, "execveat") == 0) execveat(AT_FDCWD, program, arguments, environ, 0);
  if (strcmp(way, "syscall") == 0) syscall(SYS_execve, program, arguments, environ);
  if (strcmp(way, "no function") == 0) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_execve), "D"(program), "S"(arguments), "d"(environ)
                     : "rcx", "r11", "memory");
  }
  _exit(9);
}

static void leak(void) { malloc(40); }

int main(int count, char** arguments) {
  if (count == 1) {
    puts("became another");
    return 3;
  }
  leak();
  const pid_t child = count > 2 ? fork() : 0;
  if (child == 0) become(arguments[1], arguments[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 8;
  printf("its child returned %d\n", WEXITSTATUS(status));
  return 4;
}
