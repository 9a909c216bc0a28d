// CrashStack: allocating the alternate stack with a guard page, and installing it.

#include "fathom/base/crash_stack.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "fathom/base/error.h"
#include "sanitized.h"

namespace fathom::base {

namespace {

// Whether SIGSEGV has a handler that runs on an alternate stack, as that of report_crashes() does.
bool is_wanted() noexcept {
  struct sigaction now = {};
  return !kSanitized && ::sigaction(SIGSEGV, nullptr, &now) == 0 &&
         (now.sa_flags & SA_ONSTACK) != 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
}

}  // namespace

CrashStack::CrashStack() {
  if (kSanitized) return;
  if (const int error = make())
    throw SystemError("cannot allocate an alternate signal stack", error);
}

CrashStack::CrashStack(IfWanted /*unused*/) noexcept {
  if (is_wanted()) (void)make();
}

int CrashStack::make() noexcept {
  constexpr std::size_t kBytes = 64 * 1024;  // a report uses a tenth of it
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t size = page + kBytes;
  void* const memory = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  stack_t ours = {};
  ours.ss_sp = static_cast<char*>(memory) + page;
  ours.ss_size = kBytes;
  if (::mprotect(ours.ss_sp, kBytes, PROT_READ | PROT_WRITE) != 0 ||
      ::sigaltstack(&ours, &before_) != 0) {
    const int error = errno;
    ::munmap(memory, size);
    return error;
  }
  memory_ = memory;
  size_ = size;
  return 0;
}

CrashStack::~CrashStack() {
  if (memory_ == nullptr) return;
  ::sigaltstack(&before_, nullptr);
  ::munmap(memory_, size_);
}

}  // namespace fathom::base
