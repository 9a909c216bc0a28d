// CrashReport: what a program says when a signal ends it.
//
// For SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT: the signal, the address, the thread, and the
// calls as modules and offsets, with the commands that turn these into functions and lines. Then
// the program ends as it would have without: by the same signal, with a core dump where there are
// any.
//
// The handler allocates nothing, takes no lock and writes with write() alone, so that it also works
// when the crash is within malloc(); see base/src/unwound.h for what that asks of the system.
// Several threads that crash at once make one report.
//
//   int main() {
//     report_crashes();
//   }
//   void run_thread() {
//     const CrashStack stack;  // reports a stack overflow of this thread, too
//   }
//
// What was there before report_crashes(), such as a handler of the program's own, is called
// afterwards. Under AddressSanitizer and ThreadSanitizer it does nothing: theirs tell more.

#pragma once

#include <csignal>
#include <cstddef>

namespace fathom::base {

// For the whole program, written to the descriptor. The calling thread gets a CrashStack for the
// rest of its life. A second call does nothing. Throws SystemError.
void report_crashes(int descriptor = 2);

// Where the handler runs while this is there, in the thread that made it: a thread whose own stack
// is full has no other place. Destroy it in the same thread, the last one first; what was there
// before is there again then.
class CrashStack {
 public:
  // Throws SystemError.
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  void* memory_ = nullptr;  // with a page in front that cannot be written; nullptr: there is none
  std::size_t size_ = 0;    // of all of it
  stack_t before_ = {};     // this thread's
};

}  // namespace fathom::base
