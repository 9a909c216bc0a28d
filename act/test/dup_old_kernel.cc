// A kernel before 5.6 without exchange: openat2 and renameat2 return ENOSYS.
//
// Intercepts syscall() with the linker's --wrap.

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

extern "C" {

// Names that the linker generates. NOLINTBEGIN(readability-identifier-naming)
long __real_syscall(long number, ...);

// Passes on more arguments than it may have received.
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...) {
  if (number == SYS_openat2 || number == SYS_renameat2) {
    errno = ENOSYS;
    return -1;
  }
  va_list list;
  va_start(list, number);
  long argument[6];
  for (long& value : argument) value = va_arg(list, long);
  va_end(list);
  return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                        argument[5]);
}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
