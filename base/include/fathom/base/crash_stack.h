// CrashStack: an alternate signal stack for the thread that constructs it, until it is destroyed.
//
// A thread whose stack has overflowed needs one to run a signal handler, such as that of
// report_crashes() (crash_report.h). Destroy it in the same thread, in reverse order of
// construction; that restores the previous alternate stack. It costs some microseconds and 64 KiB
// of address space. Under AddressSanitizer and ThreadSanitizer it does nothing.
//
//   void run_thread() {
//     const CrashStack stack;
//   }
//   void run_worker() {  // in a library, which does not know whether the program wants reports
//     const CrashStack stack(CrashStack::IfWanted{});
//   }

#pragma once

#include <csignal>
#include <cstddef>

namespace fathom::base {

class CrashStack {
 public:
  // Allocates a stack only if SIGSEGV has a handler that runs on an alternate stack, and does
  // nothing if memory runs out. The check costs one system call.
  struct IfWanted {};

  // Throws SystemError.
  CrashStack();
  explicit CrashStack(IfWanted) noexcept;
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  // An errno, or 0.
  int make() noexcept;

  void* memory_ = nullptr;  // begins with a guard page; nullptr: no stack was allocated
  std::size_t size_ = 0;    // of the memory with the guard page
  stack_t before_ = {};     // the thread's previous alternate stack
};

}  // namespace fathom::base
