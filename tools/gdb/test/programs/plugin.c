// A library that a program loads when it runs.

#include <stdlib.h>

void leak_in_plugin(void) { malloc(61); }
