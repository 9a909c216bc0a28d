// Starts itself again in the way that its first argument names; there it has the argument "child",
// and leaks 99 bytes. The parent leaks 5 bytes. "foreign" and "double" start nothing, but free an
// address that malloc did not return, and a block twice. "two lines" starts a shell.

#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* given;  // by a child of vfork

static void wait_for(pid_t child) {
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
    abort();
}

static void start(const char* way, char* program) {
  char* words[] = {program, "child", "two words", NULL};
  char command[4096];
  snprintf(command, sizeof command, "%s child", program);
  pid_t child = 0;
  if (strcmp(way, "double") == 0) {
    void* block = malloc(2000);
    malloc(1);  // so that the block stays apart from free memory
    free(block);
    free(block);
    return;
  }
  if (strcmp(way, "foreign") == 0) {
    free(command + 16);
    return;
  }
  if (strcmp(way, "two lines") == 0) {
    if (system("true\ntrue") != 0) abort();
    return;
  }
  if (strcmp(way, "system") == 0) {
    if (WEXITSTATUS(system(command)) != 7) abort();
    return;
  }
  if (strcmp(way, "popen") == 0) {
    if (WEXITSTATUS(pclose(popen(command, "r"))) != 7) abort();
    return;
  }
  if (strcmp(way, "posix_spawn") == 0 &&
      posix_spawn(&child, program, NULL, NULL, words, environ) != 0)
    abort();
  if (strcmp(way, "posix_spawnp") == 0 &&
      posix_spawnp(&child, program, NULL, NULL, words, environ) != 0)
    abort();
  if (strcmp(way, "fork") == 0 && (child = fork()) == 0) {
    execv(program, words);
    _exit(1);
  }
  if (strcmp(way, "vfork") == 0 && (child = vfork()) == 0) {
    given = malloc(66);
    execv(program, words);
    _exit(1);
  }
  wait_for(child);
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "child") == 0) {
    malloc(99);
    return 7;
  }
  malloc(5);
  for (int argument = 1; argument < count; ++argument) start(arguments[argument], arguments[0]);
  if (given != NULL) free(given);
  return 0;
}
