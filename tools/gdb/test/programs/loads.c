// Loads the library that its argument names, calls it and unloads it, twice.

#include <dlfcn.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  if (count < 2) return 1;
  for (int i = 0; i < 2; i++) {
    void* library = dlopen(arguments[1], RTLD_NOW);
    if (library == NULL) abort();
    ((void (*)(void))dlsym(library, "leak_in_plugin"))();
    dlclose(library);
  }
  return 0;
}
