// CrashStack: where a handler of signals runs, such as that of report_crashes() (crash_report.h),
// while this is there, in the thread that made it: a thread whose own stack is full has no other
// place.
//
// Destroy it in the same thread, the last one first; what was there before is there again then.
// It takes some microseconds, and 64 KiB of addresses. Does nothing under AddressSanitizer and
// ThreadSanitizer.
//
//   void run_thread() {
//     const CrashStack stack;
//   }
//   void run_worker() {  // in a library, which does not know what the program has asked for
//     const CrashStack stack(CrashStack::IfWanted{});
//   }

#pragma once

#include <csignal>
#include <cstddef>

namespace fathom::base {

class CrashStack {
 public:
  // Makes none unless SIGSEGV has a handler by now that runs on such a stack, nor without memory
  // for it. To find out that nobody asks for one costs a system call.
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

  void* memory_ = nullptr;  // with a page in front that cannot be written; nullptr: there is none
  std::size_t size_ = 0;    // of all of it
  stack_t before_ = {};     // this thread's
};

}  // namespace fathom::base
