// Runs a program in which the system call membarrier fails, as in containers that forbid it and on
// kernels without it, so that tests use the other fences of the light event count.
//
//   without_membarrier PROGRAM [ARGUMENT...]
//
// Exits as the program does, or with kSkipped and the reason if membarrier cannot be refused.

#include <cstdio>

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "membarrier_filter.h"

namespace {

constexpr int kSkipped = 77;
constexpr int kNotFound = 127;

int skip(const char* reason) {
  std::printf("skipped: %s\n", reason);
  return kSkipped;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return kNotFound;
  if (!fathom::rt::testing::set_membarrier_action(SECCOMP_RET_ERRNO | EPERM))
    return skip(std::strerror(errno));
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) >= 0)
    return skip("membarrier still works");
  execv(arguments[1], arguments + 1);
  std::perror(arguments[1]);
  return kNotFound;
}

#else

int main() {
  std::puts("skipped: membarrier is not available");
  return 77;
}

#endif
