// Leaks one block of 40 bytes, then ends in the way that its argument names.

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void count_signal(int number) { ++signals; }

static void leak(void) { malloc(40); }

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "free and crash") == 0) {
    free(malloc(40));
    *(volatile int*)8 = 1;
  }
  leak();
  if (strcmp(way, "return") == 0) return 3;
  if (strcmp(way, "exit") == 0) exit(4);
  if (strcmp(way, "_exit") == 0) _exit(5);
  if (strcmp(way, "quick_exit") == 0) quick_exit(6);
  if (strcmp(way, "pthread_exit") == 0) pthread_exit(NULL);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "crash") == 0) *(volatile int*)8 = 1;
  if (strcmp(way, "exec") == 0) execl(arguments[0], arguments[0], "return", (char*)NULL);
  if (strcmp(way, "failed exec") == 0) {
    execl("/nowhere/nothing", "nothing", (char*)NULL);
    leak();
    return 7;
  }
  if (strcmp(way, "system") == 0) return WTERMSIG(system("echo waits; exec cat"));
  if (strcmp(way, "signal the group") == 0) {
    signal(SIGINT, count_signal);
    kill(0, SIGINT);
    return signals;
  }
  if (strcmp(way, "death signal") == 0) {
    int number = -1;
    prctl(PR_GET_PDEATHSIG, &number);
    return number;
  }
  if (strcmp(way, "wait") == 0) {
    puts("waits");
    fflush(stdout);
    for (;;) pause();
  }
  return 0;
}
