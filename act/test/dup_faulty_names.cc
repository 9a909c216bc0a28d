// FaultyNames: the calls that it intercepts.

#include "dup_faulty_names.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <optional>

namespace fathom::act {

namespace {

std::optional<Names> active;

int fails(int code) {
  errno = code;
  return -1;
}

}  // namespace

FaultyNames::FaultyNames(Names names) {
  active = names;
}

FaultyNames::~FaultyNames() {
  active.reset();
}

}  // namespace fathom::act

extern "C" {

// Names that the linker generates. NOLINTBEGIN(readability-identifier-naming)
int __real_linkat(int from, const char* old_name, int to, const char* new_name, int flags);
int __real_unlinkat(int folder, const char* name, int flags);
int __real_renameat(int from, const char* old_name, int to, const char* new_name);
long __real_syscall(long number, ...);

int __wrap_linkat(int from, const char* old_name, int to, const char* new_name, int flags) {
  using namespace fathom::act;
  if (active == Names::move_only) return fails(EPERM);
  return __real_linkat(from, old_name, to, new_name, flags);
}

int __wrap_unlinkat(int folder, const char* name, int flags) {
  using namespace fathom::act;
  if (active == Names::stay) return fails(EPERM);
  return __real_unlinkat(folder, name, flags);
}

int __wrap_renameat(int from, const char* old_name, int to, const char* new_name) {
  using namespace fathom::act;
  if (active == Names::stay) return fails(EPERM);
  return __real_renameat(from, old_name, to, new_name);
}

// Passes on more arguments than it may have received.
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...) {
  using namespace fathom::act;
  if (number == SYS_renameat2 && active) return fails(active == Names::stay ? EPERM : EINVAL);
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
