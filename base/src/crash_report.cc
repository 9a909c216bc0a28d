// CrashReport: the signal handler, which only makes async-signal-safe calls.

#include "fathom/base/crash_report.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <iterator>

#include "crash_signals.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "module.h"
#include "registers.h"
#include "sanitized.h"
#include "signal_text.h"
#include "this_thread.h"
#include "unwound.h"

namespace fathom::base {

namespace {

struct Signal {
  int number;
  const char* name;
};

constexpr Signal kSignals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
                               {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}};

// The state of the handler, set before the handler is installed.
struct State {
  struct sigaction before[std::size(kSignals)] = {};  // the previous action of each signal
  int descriptor = 2;
  // The reporting thread and its process, as from this_thread(); 0: no report is in progress.
  atomic<std::uint64_t> teller{0};
};

// Constant-initialized, so that the handler never runs an initializer.
constinit State state;
static_assert(atomic<std::uint64_t>::is_always_lock_free);

std::size_t index_of(int signal) noexcept {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    if (kSignals[i].number == signal) return i;
  }
  return 0;
}

bool was_sent(const siginfo_t& info) noexcept {
  return info.si_code <= 0;
}

// A heuristic: a frame may be larger than this, and a wild pointer may be as near, but both are
// rare.
bool is_stack_overflow(const siginfo_t& info, const Registers& registers) noexcept {
  constexpr std::uintptr_t kNear = 64 * 1024;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return info.si_signo == SIGSEGV && registers.sp != 0 && address + kNear > registers.sp &&
         address < registers.sp + kNear;
}

void add_cause(SignalText& text, const siginfo_t& info, const Registers& registers) noexcept {
  if (was_sent(info)) {
    // A program raises these itself.
    const bool is_own = info.si_signo == SIGABRT || info.si_signo == SIGTRAP;
    if (!is_own || info.si_pid != ::getpid())
      text.add(", sent by process ").add_decimal(static_cast<std::uint64_t>(info.si_pid));
  } else if (info.si_signo == SIGTRAP) {
    // A breakpoint concerns no address but its own, which the first call has.
  } else if (info.si_code == SI_KERNEL) {
    text.add(" at an address that the processor does not report");
  } else if (is_stack_overflow(info, registers)) {
    text.add(": stack overflow at ").add_hex(reinterpret_cast<std::uintptr_t>(info.si_addr));
  } else {
    text.add(" at ").add_hex(reinterpret_cast<std::uintptr_t>(info.si_addr));
  }
}

void add_thread(SignalText& text) noexcept {
  char name[16] = "";  // the longest name that Linux allows
  text.add(", thread ").add_decimal(static_cast<std::uint64_t>(thread_number()));
  if (::prctl(PR_GET_NAME, name) != 0 || name[0] == '\0') return;
  text.add(" ").add_path(name);
}

// Drops the handler itself and the frames that called it.
void drop_handler(Unwound& calls, const Registers& registers) noexcept {
  const std::uintptr_t* const end = calls.frames() + calls.count();
  const std::uintptr_t* const at = std::find(calls.frames(), end, registers.pc);
  if (registers.sp != 0 && at != end) calls.drop(static_cast<std::size_t>(at - calls.frames()));
}

// After a jump to an address without code, the only trace of the caller is the return address.
std::uintptr_t caller_of_nothing(const Registers& registers) noexcept {
  if (registers.sp == 0 || module_of(registers.pc).path != nullptr) return 0;
  std::uintptr_t caller = registers.caller;
  if (caller == 0) {
    iovec to{&caller, sizeof caller};
    iovec from{reinterpret_cast<void*>(registers.sp), sizeof caller};
    if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) != sizeof caller) return 0;
  }
  return module_of(caller - 1).path == nullptr ? 0 : caller - 1;
}

void add_frame(SignalText& text, std::uintptr_t frame) noexcept {
  const Module module = module_of(frame);
  text.add("  ");
  if (module.path != nullptr) text.add_path(module.path).add("+");
  text.add_hex(frame - module.base).add("\n");
}

// The length of the run of equal frames from `at` on: a recursion.
std::size_t run_of(const Unwound& calls, std::size_t at) noexcept {
  std::size_t end = at + 1;
  while (end < calls.count() && calls.frames()[end] == calls.frames()[at]) ++end;
  return end - at;
}

// Whether an earlier frame belongs to the same module.
bool was_named(const Unwound& calls, std::size_t at, const Module& module) noexcept {
  for (std::size_t i = 0; i < at; ++i) {
    if (module_of(calls.frames()[i]).path == module.path) return true;
  }
  return false;
}

// Adds one addr2line command per module, with all of its addresses on the stack.
void add_commands(SignalText& text, const Unwound& calls) noexcept {
  for (std::size_t i = 0; i < calls.count(); i += run_of(calls, i)) {
    const Module module = module_of(calls.frames()[i]);
    if (module.path == nullptr || was_named(calls, i, module)) continue;
    text.add("addr2line -Cfipe ").add_path(module.path);
    for (std::size_t j = i; j < calls.count(); j += run_of(calls, j)) {
      const Module other = module_of(calls.frames()[j]);
      if (other.path == module.path) text.add(" ").add_hex(calls.frames()[j] - other.base);
    }
    text.add("\n");
  }
}

void add_calls(SignalText& text, const Unwound& calls) noexcept {
  for (std::size_t i = 0; i < calls.count(); i += run_of(calls, i)) {
    add_frame(text, calls.frames()[i]);
    const std::size_t again = run_of(calls, i) - 1;
    if (again > 0) text.add("  repeated ").add_decimal(again).add(" more times\n");
  }
  if (calls.left_out() == 0) return;
  text.add("  and ").add_decimal(calls.left_out()).add(" outer calls");
  text.add(calls.left_out() >= Stack::kMaxCounted - Stack::kMaxFrames ? " or more\n" : "\n");
}

void tell(const siginfo_t& info, const void* context) noexcept {
  const Registers registers = registers_of(context);
  SignalText text(state.descriptor);
  text.add("crash: ").add(kSignals[index_of(info.si_signo)].name);
  add_cause(text, info, registers);
  add_thread(text);
  text.add("\n").flush();  // so that this much is written even if the rest fails
  Unwound calls;
  calls.unwind(0);
  drop_handler(calls, registers);
  if (const std::uintptr_t caller = caller_of_nothing(registers)) calls.add(caller);
  add_calls(text, calls);
  text.add("To find functions and lines, run:\n");
  add_commands(text, calls);
}

// Restores the previous action. The kernel delivers the signal when the handler returns, with the
// registers of the crash and the original siginfo.
void end_as_before(int signal, siginfo_t* info) noexcept {
  ::sigaction(signal, &state.before[index_of(signal)], nullptr);
  if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread_number(), signal, info) != 0) {
    ::raise(signal);
  }
}

// Waits until the reporting thread has ended the program or has let it continue. Neither may ever
// happen if its write() blocks.
void wait_for(std::uint64_t teller) noexcept {
  constexpr int kRest = 10;  // ms
  constexpr int kMostRests = 1000;
  for (int i = 0; i < kMostRests; ++i) {
    // [C1] pairs with on_crash()'s release.
    if (state.teller.load(memory_order_acquire) != teller) return;
    (void)::poll(nullptr, 0, kRest);
  }
}

// Whether this thread may report. If another thread is reporting, waits for it.
bool may_tell() noexcept {
  const std::uint64_t me = this_thread();
  std::uint64_t teller = state.teller.load(memory_order_relaxed);
  while (!is_of_this_process(teller)) {
    if (state.teller.compare_exchange_weak(teller, me, memory_order_relaxed)) return true;
  }
  if (teller != me) wait_for(teller);  // otherwise this thread crashed while it reported
  return false;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  if (may_tell()) {
    tell(*info, context);
    // [C1] release: a handler that was installed before ours may let the program continue. Then the
    // waiting threads go on, and the next crash is reported as well.
    if (state.before[index_of(signal)].sa_handler != SIG_DFL) {
      state.teller.store(0, memory_order_release);
    }
  }
  end_as_before(signal, info);
  errno = kept;
}

// The first call of a function may resolve its symbol lazily, which takes a lock or allocates: call
// everything that the handler needs once, in advance.
void warm_up() noexcept {
  find_program();
  Unwound calls;
  calls.unwind(0);
  for (std::size_t i = 0; i < calls.count(); ++i) (void)module_of(calls.frames()[i]);
}

}  // namespace

void leave_abort_alone() noexcept {
  if (is_of_this_process(state.teller.load(memory_order_relaxed))) return;
  struct sigaction now;
  if (::sigaction(SIGABRT, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) == 0 || now.sa_sigaction != on_crash) return;
  ::sigaction(SIGABRT, &state.before[index_of(SIGABRT)], nullptr);
}

void report_crashes(int descriptor) {
  if (kSanitized) return;
  static const CrashStack* const stack = new CrashStack;  // never destroyed
  (void)stack;
  static const bool installed = [descriptor] {
    state.descriptor = descriptor;
    warm_up();
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      struct sigaction ours = {};
      ours.sa_sigaction = on_crash;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
      ::sigemptyset(&ours.sa_mask);
      // First save the old action, so that the handler always finds it.
      if (::sigaction(kSignals[i].number, nullptr, &state.before[i]) != 0 ||
          ::sigaction(kSignals[i].number, &ours, nullptr) != 0) {
        throw SystemError("cannot report crashes", errno);
      }
    }
    return true;
  }();
  (void)installed;
}

}  // namespace fathom::base
