// Runs a program in which the system call membarrier fails, as in containers that forbid it and on
// kernels without it, so that tests use the other fences of the light event count.
//
//   without_membarrier PROGRAM [ARGUMENT...]
//
// Exits as the program does, or with kSkipped and the reason if membarrier cannot be refused.

#include <cstdio>

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace {

constexpr int kSkipped = 77;
constexpr int kNotFound = 127;

// The filter does not check the architecture: the number of the call is the same in all programs
// that this machine's compiler builds, and no other call is refused.
bool refuse_membarrier() {
  std::array<sock_filter, 4> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int skip(const char* reason) {
  std::printf("skipped: %s\n", reason);
  return kSkipped;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return kNotFound;
  if (!refuse_membarrier()) return skip(std::strerror(errno));
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
