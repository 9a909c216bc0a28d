// LastWords: the terminate handler.

#include "fathom/base/last_words.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "crash_signals.h"
#include "error_chain.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error_text.h"
#include "fathom/base/stack.h"
#include "fathom/base/trace.h"

namespace fathom::base {

namespace {

LastWordsOptions how;

void write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(how.descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// `error` is the exception being handled, which is not necessarily what ends the program.
std::string last_words(const std::exception_ptr& error, const Stack& here) {
  const ErrorTextOptions options{.color = how.color};
  const bool other = ends_for_other_reason(here);
  std::string text = "terminate: ";
  if (!error) {
    text += "called without an exception\n";
  } else if (!other) {
    text += "unhandled exception: " + error_text(error, options);
  } else {
    text += "called while handling: " + error_text(error, options);
  }
  // The stack of a throw that nothing handles is that of its trace.
  if (other || trace_of(error) == nullptr) {
    text += "  stack of terminate():\n" + stack_text(here, options);
  }
  return text;
}

// The shortest message, which does not allocate: the program may be ending because memory ran out.
void write_fewest_words(const std::exception_ptr& error) noexcept {
  write_all("terminate: unhandled exception, and not enough memory to describe it\n");
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& known) {
    write_all("  ");
    if (const char* const what = known.what()) write_all(what);
    write_all("\n");
  } catch (...) {
    write_all("  not a std::exception\n");
  }
}

// Whether this thread may print. Other threads wait for the end of the program; a thread that
// enters a second time has failed while it printed.
bool may_speak() noexcept {
  static atomic<long> speaker{0};
  const long thread = ::syscall(SYS_gettid);
  long first = 0;
  if (speaker.compare_exchange_strong(first, thread, memory_order_relaxed)) return true;
  if (first == thread) return false;
  for (;;) ::pause();
}

[[noreturn]] void on_terminate() noexcept {
  if (may_speak()) {
    const Stack here = Stack::here();
    const std::exception_ptr error = std::current_exception();
    try {
      write_all(last_words(error, here));
    } catch (...) {
      write_fewest_words(error);
    }
    leave_abort_alone();
  }
  std::abort();
}

}  // namespace

void report_uncaught(LastWordsOptions options) {
  how = options;
  std::set_terminate(on_terminate);
}

}  // namespace fathom::base
