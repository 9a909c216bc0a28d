// BreakLimit: the last word, and the signal.

#include "fathom/diag/break_limit.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "fathom/base/fd.h"
#include "fathom/base/retry.h"

namespace fathom::diag {

namespace {

// Whether a debugger traces this process, according to the system.
bool has_debugger() noexcept {
  const base::Fd status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  if (!status) return false;
  std::array<char, 4096> text{};
  const ssize_t size = base::retry([&] { return ::read(status.get(), text.data(), text.size()); });
  const std::string_view all(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  constexpr std::string_view kTracer = "TracerPid:\t";
  const std::size_t at = all.find(kTracer);
  return at != std::string_view::npos && !all.substr(at + kTracer.size()).starts_with("0\n");
}

long id_of_this_thread() noexcept {
#ifdef __linux__
  return ::syscall(SYS_gettid);
#else
  return ::getpid();
#endif
}

void print_reason(const char* reason) noexcept {
  std::array<char, 16> name{};
  static_cast<void>(::pthread_getname_np(::pthread_self(), name.data(), name.size()));
  std::array<char, 512> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "break: %s (thread %ld %s)\n%s", reason, id_of_this_thread(),
      name.data(),
      has_debugger() ? ""
                     : "break: no debugger is attached, so SIGTRAP usually ends the program\n");
  if (size <= 0) return;
  const std::size_t length = std::min(static_cast<std::size_t>(size), text.size() - 1);
  static_cast<void>(base::retry([&] { return ::write(STDERR_FILENO, text.data(), length); }));
}

// Raises it even if the thread blocks it: a pending signal would stop the program elsewhere.
void raise_trap() noexcept {
  sigset_t trap;
  sigset_t before;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &trap, &before);
  static_cast<void>(std::raise(SIGTRAP));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

std::optional<std::int64_t> BreakLimit::take(std::int64_t value) noexcept {
  std::int64_t limit = limit_.load(base::memory_order_relaxed);
  while (limit < value) {
    if (!limit_.compare_exchange_weak(limit, kNone, base::memory_order_relaxed)) continue;
    times_.fetch_add(1, base::memory_order_relaxed);
    return limit;
  }
  return std::nullopt;
}

void BreakLimit::stop(const char* reason) noexcept {
  const int kept = errno;
  print_reason(reason);
  raise_trap();
  errno = kept;
}

bool BreakLimit::claim() noexcept {
  // [B1] acquire: pairs with the release in give_up(), so that what this Break stores comes after
  // what the last one did.
  if (claimed_.exchange(true, base::memory_order_acquire)) return false;
  times_.store(0, base::memory_order_relaxed);
  return true;
}

void BreakLimit::give_up() noexcept {
  limit_.store(kNone, base::memory_order_relaxed);
  // [B1] release: otherwise the store above might disarm the next Break.
  claimed_.store(false, base::memory_order_release);
}

}  // namespace fathom::diag
