// ErrorText: formats an exception with its class, its message, where it was thrown, the stack, and
// the same for each of its causes (std::nested_exception); the innermost cause comes last.
//
// Untrusted text (messages, names of functions and files) is made safe to print: control
// characters, bidirectional marks and invalid UTF-8 are escaped (\n, \x1b, \xe2\x80\xae). Source
// files of Fathom are shown relative to its root, others with their last folders. The frames that
// record the trace, and those that call main() or a thread's function, are omitted.
//
//   catch (const std::exception& error) {
//     std::fputs(error_text(error).c_str(), stderr);
//   }

#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "fathom/base/stack.h"

namespace fathom::base {

struct ErrorTextOptions {
  bool color = false;       // with ANSI colours, for a terminal
  std::size_t frames = 32;  // per stack, innermost first; the number of omitted frames is shown
};

// For people: several lines, each ending with a newline.
//
//   std::runtime_error: cannot read x
//     thrown in load() at fs/src/load.cc:70
//       0  fathom::fs::load(char const*) at fs/src/load.cc:70
//       1  main at cli/src/main.cc:110
//       and 3 outer calls
//   caused by fathom::base::SystemError: cannot open x: No such file or directory
[[nodiscard]] std::string error_text(const std::exception& error, ErrorTextOptions options = {});
[[nodiscard]] std::string error_text(const std::exception_ptr& error,
                                     ErrorTextOptions options = {});

// Only the lines of the stack.
[[nodiscard]] std::string stack_text(const Stack& stack, ErrorTextOptions options = {});

// For syslog: the same text without colours, one record per line, without newlines and at most
// kMaxSyslogBytes bytes long. Pass each to syslog(LOG_ERR, "%s", line.c_str()), or print it with
// the prefix "<3>" where the journal reads standard error.
inline constexpr std::size_t kMaxSyslogBytes = 900;
[[nodiscard]] std::vector<std::string> syslog_lines(const std::exception& error,
                                                    ErrorTextOptions options = {});
[[nodiscard]] std::vector<std::string> syslog_lines(const std::exception_ptr& error,
                                                    ErrorTextOptions options = {});
[[nodiscard]] std::vector<std::string> syslog_lines(const Stack& stack,
                                                    ErrorTextOptions options = {});

// For systemd's journal: one record of NAME=value lines, as `logger --journald` reads them from
// standard input and as the journal's socket accepts them. MESSAGE, PRIORITY (3), CODE_FILE,
// CODE_LINE and CODE_FUNC are the journal's own names; FATHOM_TYPE is the class, and each line of
// error_text() is one FATHOM_TRACE.
[[nodiscard]] std::string journal_record(const std::exception& error,
                                         ErrorTextOptions options = {});
[[nodiscard]] std::string journal_record(const std::exception_ptr& error,
                                         ErrorTextOptions options = {});

}  // namespace fathom::base
