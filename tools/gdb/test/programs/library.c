// Leaks blocks that the C library allocates for its caller, and makes it allocate blocks that it
// keeps.

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void leak_copy(void) { strdup("eleven byte"); }  // 12 with its end
static void leak_file(void) { fputs("x", fopen("/dev/null", "w")); }

static void leak_nothing(void) {
  const time_t now = 0;
  setlocale(LC_ALL, "C.UTF-8");
  setenv("TZ", "Europe/Berlin", 1);
  localtime(&now);
  printf("%s", "to a stream whose buffer stays\n");
  fclose(fopen("/dev/null", "r"));
  free(strdup("freed"));
}

int main(void) {
  leak_copy();
  leak_file();
  leak_nothing();
  return 0;
}
