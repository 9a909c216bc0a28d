// A library that a program loads at run time.

#include <stdlib.h>

void leak_in_plugin(void) { malloc(61); }
