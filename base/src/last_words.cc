// LastWords: the terminate handler, which prints and logs.

#include "fathom/base/last_words.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crash_signals.h"
#include "error_chain.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/base/error_text.h"
#include "fathom/base/retry.h"
#include "fathom/base/stack.h"
#include "fathom/base/trace.h"
#include "signal_text.h"
#include "syslog_socket.h"
#include "this_thread.h"

namespace fathom::base {

namespace {

LastWordsOptions how;

void write_all(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written =
        retry([&] { return ::write(how.descriptor, text.data(), text.size()); });
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// `error` is the exception being handled, which is not necessarily what ends the program.
struct Ending {
  std::exception_ptr error;
  Stack here;
};

struct Opening {
  explicit Opening(const Ending& ending) {
    const bool other = ends_for_other_reason(ending.here);
    if (!ending.error) {
      text = "terminate: called without an exception";
    } else {
      text = other ? "terminate: called while handling: " : "terminate: unhandled exception: ";
    }
    needs_stack = other || trace_of(ending.error) == nullptr;
  }

  std::string text;
  bool needs_stack;  // the stack of a throw that nothing handles is that of its trace
};

constexpr const char* kStackTitle = "  stack of terminate():";

std::string last_words(const Ending& ending) {
  const ErrorTextOptions options{.color = how.color};
  const Opening opening(ending);
  std::string text = opening.text;
  text += ending.error ? error_text(ending.error, options) : "\n";
  if (opening.needs_stack) {
    text += std::string(kStackTitle) + '\n' + stack_text(ending.here, options);
  }
  return text;
}

// The same for the log.
std::vector<std::string> last_lines(const Ending& ending) {
  const Opening opening(ending);
  std::vector<std::string> lines = {""};
  if (ending.error) lines = syslog_lines(ending.error);
  lines.front().insert(0, opening.text);
  if (!opening.needs_stack) return lines;
  lines.emplace_back(kStackTitle);
  for (std::string& line : syslog_lines(ending.here)) lines.push_back(std::move(line));
  return lines;
}

const char* program_name() noexcept {
  return how.program != nullptr ? how.program : ::program_invocation_short_name;
}

constexpr std::string_view kFewestWords =
    "terminate: unhandled exception, and not enough memory to describe it";

void log(const Ending& ending) noexcept {
  if (how.syslog == nullptr) return;
  SyslogSocket socket(how.syslog, program_name());
  try {
    for (const std::string& line : last_lines(ending)) socket.send(line);
  } catch (...) {
    socket.send(kFewestWords);
  }
}

// The shortest message, which does not allocate: the program may be ending because memory ran out.
void write_fewest_words(const std::exception_ptr& error) noexcept {
  write_all(kFewestWords);
  write_all("\n");
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& known) {
    SignalText text(how.descriptor);
    text.add("  ");
    if (const char* const what = known.what()) text.add_printable(what);
    text.add("\n");
  } catch (...) {
    write_all("  not a std::exception\n");
  }
}

// Whether this thread may print. Other threads wait for the end of the program; a thread that
// enters a second time has failed while it printed.
bool may_speak() noexcept {
  static atomic<std::uint64_t> speaker{0};
  const std::uint64_t me = this_thread();
  std::uint64_t first = speaker.load(memory_order_relaxed);
  while (!is_of_this_process(first)) {
    if (speaker.compare_exchange_weak(first, me, memory_order_relaxed)) return true;
  }
  if (first == me) return false;
  for (;;) ::pause();
}

[[noreturn]] void on_terminate() noexcept {
  if (may_speak()) {
    const Ending ending{std::current_exception(), Stack::here()};
    try {
      write_all(last_words(ending));
    } catch (...) {
      write_fewest_words(ending.error);
    }
    log(ending);
    leave_abort_alone();
  }
  std::abort();
}

}  // namespace

void report_uncaught(LastWordsOptions options) {
  if (options.syslog != nullptr && !SyslogSocket::is_path(options.syslog)) {
    throw Error("cannot log to a socket at '" + std::string(options.syslog) +
                "': its path must have 1 to 107 bytes");
  }
  how = options;
  std::set_terminate(on_terminate);
}

}  // namespace fathom::base
