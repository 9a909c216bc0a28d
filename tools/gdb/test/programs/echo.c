// Writes its arguments and then its input to standard output, and a word to standard error.

#include <stdio.h>

int main(int count, char** arguments) {
  for (int i = 1; i < count; i++) printf("[%s]", arguments[i]);
  for (int c = getchar(); c != EOF; c = getchar()) putchar(c);
  fputs("error", stderr);
  return 9;
}
