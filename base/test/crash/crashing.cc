// Crashes in the way that its argument names; the program under test of crash_report_test.cc.

#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/base/crash_report.h"
#include "fathom/base/error_text.h"
#include "fathom/base/last_words.h"
#include "fathom/base/throw.h"

namespace {

using namespace fathom::base;

// Keeps the caller on the stack: prevents a tail call at the end of a function.
void stay() {
  asm volatile("" ::: "memory");
}

__attribute__((noinline)) void follow_wild_pointer() {
  volatile int* volatile wild = reinterpret_cast<volatile int*>(16);
  *wild = 1;
  stay();
}

__attribute__((noinline)) void crash_here() {
  follow_wild_pointer();
  stay();
}

void call_nothing() {
  void (*volatile nothing)() = nullptr;
  nothing();
  stay();
}

__attribute__((noinline)) int overflow_stack(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  const int deeper = overflow_stack(depth + 1);
  return deeper + room[0];
}

void divide_by_zero() {
#if defined(__x86_64__)
  volatile int zero = 0;
  volatile int one = 1;
  one = one / zero;
#else
  std::raise(SIGFPE);  // this processor does not trap division by zero
#endif
}

void meet_a_breakpoint() {
#if defined(__x86_64__)
  asm volatile("int3");
#else
  std::raise(SIGTRAP);
#endif
}

// Reads a mapped file beyond its end, after it was truncated.
void read_past_the_end() {
  std::FILE* const file = std::tmpfile();
  if (file == nullptr || ::ftruncate(::fileno(file), 4096) != 0) return;
  auto* const bytes =
      static_cast<volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, ::fileno(file), 0));
  if (::ftruncate(::fileno(file), 0) != 0) return;
  (void)bytes[0];
}

// No page table contains a non-canonical address; the processor refuses it without a page fault.
void follow_impossible_pointer() {
  volatile int* volatile wild = reinterpret_cast<volatile int*>(std::uintptr_t{1} << 63);
  *wild = 1;
}

// A child of vfork() shares the memory of its parent until it exits.
void crash_after_a_borrowing_child() {
  const pid_t child = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child == 0) {
    crash_here();
    ::_exit(1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) ::_exit(9);
  crash_here();
}

sigjmp_buf way_back;

void jump_back(int /*signal*/) {
  siglongjmp(way_back, 1);
}

// The program's own handler of SIGFPE lets it continue.
void crash_after_a_crash_that_is_survived() {
  if (sigsetjmp(way_back, 1) == 0) std::raise(SIGFPE);
  crash_here();
}

void in_a_thread(void (*function)()) {
  std::thread(function).join();
}

void overflow_a_threads_stack() {
  std::thread([] {
    const CrashStack stack;
    overflow_stack(0);
  }).join();
}

void overflow_a_workers_stack() {
  std::thread([] {
    const CrashStack stack(CrashStack::IfWanted{});
    overflow_stack(0);
  }).join();
}

// Deep enough that the report takes some time.
__attribute__((noinline)) void crash_below(int calls) {
  if (calls == 0) {
    crash_here();
  } else {
    crash_below(calls - 1);
  }
  stay();
}

// All threads get to the point of their crash before any of them crashes.
void crash_at_once() {
  constexpr int kThreads = 8;
  static atomic<int> missing{kThreads};
  const auto crash = [] {
    missing.fetch_sub(1, memory_order_relaxed);
    while (missing.load(memory_order_relaxed) > 0) cpu_relax();
    crash_below(2000);
  };
  std::thread threads[kThreads];
  for (std::thread& thread : threads) thread = std::thread(crash);
  for (std::thread& thread : threads) thread.join();
}

// One thread holds the lock of the list of modules until the program ends; another one crashes.
void crash_while_modules_are_locked() {
  static atomic<bool> locked{false};
  std::thread holder([] {
    ::dl_iterate_phdr(
        [](dl_phdr_info*, std::size_t, void*) -> int {
          locked.store(true, memory_order_relaxed);
          for (;;) ::pause();
        },
        nullptr);
  });
  while (!locked.load(memory_order_relaxed)) cpu_relax();
  crash_here();
  holder.join();
}

__attribute__((noinline)) void throw_traced_error() {
  FATHOM_THROW(std::runtime_error, "a test error");
}

void throw_within_noexcept() noexcept {
  throw_traced_error();
}

// The exception is thrown in one thread and rethrown in another, where nothing handles it.
void rethrow_elsewhere() {
  std::exception_ptr kept;
  std::thread([&kept] {
    try {
      throw_traced_error();
    } catch (...) {
      kept = std::current_exception();
    }
  }).join();
  std::rethrow_exception(kept);
}

struct Trap : std::exception {
  const char* what() const noexcept override {
    crash_here();
    return "never said";
  }
};

struct Fuse : std::exception {
  const char* what() const noexcept override { std::terminate(); }
};

struct Silent : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

// One thread never finishes its last words; a child that is forked meanwhile has its own.
void end_a_child_during_last_words() {
  static atomic<bool> speaking{false};
  struct Endless : std::exception {
    const char* what() const noexcept override {
      speaking.store(true, memory_order_relaxed);
      for (;;) ::pause();
    }
  };
  std::thread([] { throw Endless(); }).detach();
  while (!speaking.load(memory_order_relaxed)) cpu_relax();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // ends a child that waits for the other thread
    std::terminate();
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) ::_exit(9);
  ::_exit(WIFSIGNALED(status) ? WTERMSIG(status) : 9);
}

// What it says would colour a terminal, and turn the rest of the line around.
#define MISLEADING "\x1b\n\xc2\x9b\xe2\x80\xae\xff na\xc3\xafve"

bool memory_is_out = false;

struct Greedy : std::exception {
  Greedy() { memory_is_out = true; }
  const char* what() const noexcept override { return MISLEADING; }
};

void crash_in_a_thread_with_a_misleading_name() {
  ::prctl(PR_SET_NAME, MISLEADING);
  crash_here();
}

// The destructor of the thread ends the program; the exception has been caught.
void forget_a_thread_in_a_handler() {
  try {
    throw_traced_error();
  } catch (const std::exception&) {
    const std::thread forgotten([] { ::pause(); });
  }
}

void print_a_caught_error() {
  try {
    throw_traced_error();
  } catch (const std::exception& error) {
    std::fputs(error_text(error).c_str(), stdout);
  }
}

void print_a_caught_chain() {
  try {
    try {
      throw_traced_error();
    } catch (...) {
      FATHOM_THROW_NESTED(std::logic_error, "outer error");
    }
  } catch (const std::exception& error) {
    std::fputs(error_text(error).c_str(), stdout);
  }
}

const std::map<std::string, std::function<void()>> kWays = {
    {"segv", crash_here},
    {"bus", read_past_the_end},
    {"fpe", divide_by_zero},
    {"ill", [] { __builtin_trap(); }},
    {"breakpoint", [] { std::raise(SIGTRAP); }},
    {"breakpoint-instruction", meet_a_breakpoint},
    {"abort", [] { std::abort(); }},
    {"sent", [] { ::kill(::getpid(), SIGSEGV); }},
    {"nothing", call_nothing},
    {"overflow", [] { overflow_stack(0); }},
    {"thread", [] { in_a_thread(crash_here); }},
    {"thread-overflow", overflow_a_threads_stack},
    {"worker-overflow", overflow_a_workers_stack},
    {"impossible", follow_impossible_pointer},
    {"vfork", crash_after_a_borrowing_child},
    {"survived", crash_after_a_crash_that_is_survived},
    {"at-once", crash_at_once},
    {"modules", crash_while_modules_are_locked},
    {"throw", throw_traced_error},
    {"throw-plain", [] { throw std::out_of_range("plain"); }},
    {"throw-int", [] { throw 3; }},
    {"throw-noexcept", throw_within_noexcept},
    {"throw-thread", [] { in_a_thread(throw_traced_error); }},
    {"rethrow", rethrow_elsewhere},
    {"terminate", [] { std::terminate(); }},
    {"handler", forget_a_thread_in_a_handler},
    {"silent", [] { throw Silent(); }},
    {"trap", [] { throw Trap(); }},
    {"fuse", [] { throw Fuse(); }},
    {"greedy", [] { throw Greedy(); }},
    {"misleading", crash_in_a_thread_with_a_misleading_name},
    {"child", end_a_child_during_last_words},
    {"caught", print_a_caught_error},
    {"chain", print_a_caught_chain},
};

void exit_with_7(int /*signal*/) {
  ::_exit(7);
}

}  // namespace

// Not inline, because GCC warns of a free() of what operator new() returned.
__attribute__((noinline)) void* operator new(std::size_t size) {
  void* const block = memory_is_out ? nullptr : std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
__attribute__((noinline)) void operator delete(void* block) noexcept {
  std::free(block);
}
__attribute__((noinline)) void operator delete(void* block, std::size_t /*size*/) noexcept {
  std::free(block);
}

// crashing WAY [handler | syslog PATH [PROGRAM]]: "handler" installs a handler of SIGSEGV first;
// "syslog" logs uncaught exceptions to the socket at PATH.
int main(int argc, char** argv) {
  if (argc < 2) return 2;
  LastWordsOptions last_words;
  if (argc > 2 && std::string_view(argv[2]) == "handler") std::signal(SIGSEGV, exit_with_7);
  if (argc > 3) last_words.syslog = argv[3];
  if (argc > 4) last_words.program = argv[4];
  if (std::string_view(argv[1]) == "survived") std::signal(SIGFPE, jump_back);
  report_crashes();
  report_uncaught(last_words);
  kWays.at(argv[1])();
  return 0;
}
