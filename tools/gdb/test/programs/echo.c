// Writes its arguments, then its input, to its output, and a word to its error.

#include <stdio.h>

int main(int count, char** arguments) {
  for (int i = 1; i < count; i++) printf("[%s]", arguments[i]);
  for (int c = getchar(); c != EOF; c = getchar()) putchar(c);
  fputs("error", stderr);
  return 9;
}
