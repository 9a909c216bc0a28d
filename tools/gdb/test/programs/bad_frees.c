// Makes the invalid free that its argument names, for which the C library aborts it.

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void* allocate(void) { return malloc(2000); }
static void release(void* block) { free(block); }
static void release_again(void* block) { free(block); }

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  int here[4] = {0};
  char* volatile block = allocate();
  if (strcmp(way, "double") == 0) {
    release(block);
    release_again(block);
  } else if (strcmp(way, "one place") == 0) {
    for (volatile int i = 0; i < 2; ++i) release(block);
  } else if (strcmp(way, "closedir") == 0) {
    release(block);
    DIR* directory = opendir("/");
    closedir(directory);
    closedir(directory);
  } else if (strcmp(way, "stack") == 0) {
    release(block);
    void* volatile foreign = here;
    release_again(foreign);
  } else if (strcmp(way, "inside") == 0) {
    release_again(block + 8);
  } else if (strcmp(way, "realloc") == 0) {
    release(block);
    block = realloc(block, 6000);
  } else if (strcmp(way, "none") == 0) {
    release(block);
  }
  return 0;
}
