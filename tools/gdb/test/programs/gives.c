// Leaks blocks that less known functions of the C library allocate for their caller.

#define _GNU_SOURCE
#include <mntent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

static void forget_mounts(void) { setmntent("/proc/mounts", "r"); }
static void forget_own_attributes(void) {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
}
static void forget_attributes(void) {
  pthread_attr_t attributes;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(0, &processors);
  pthread_attr_init(&attributes);
  pthread_attr_setaffinity_np(&attributes, sizeof processors, &processors);
}
static void forget_processors(void) { CPU_ALLOC(4096); }
static void forget_word(void) {
  char* word;
  sscanf("word", "%ms", &word);
}
static void forget_wide_word(void) {
  wchar_t* word;
  swscanf(L"word", L"%mls", &word);
}

int main(void) {
  forget_mounts();
  forget_own_attributes();
  forget_attributes();
  forget_processors();
  forget_word();
  forget_wide_word();
  return 0;
}
