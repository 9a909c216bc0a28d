// Text of an exception: its class, its message, where it was thrown, the calls that led there, and
// the same of what caused it (std::nested_exception), the innermost cause last.
//
// What comes from elsewhere (messages, names of functions and files) is made safe to print: control
// characters, marks of direction and what is no UTF-8 are escaped (\n, \x1b, \xe2\x80\xae). Sources
// of Fathom are named from its own folder on, others by their last folders. Calls of what takes the
// trace are left out, and so is what calls main() or a thread's function.
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
  bool color = false;       // with ANSI's colours, for a terminal
  std::size_t frames = 32;  // of each stack, the innermost; what was left out is counted
};

// For people: several lines, each with its newline.
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

// The lines of the calls alone.
[[nodiscard]] std::string stack_text(const Stack& stack, ErrorTextOptions options = {});

// For syslog: the same without colours, one record for each line, without newlines and of at most
// kMaxSyslogBytes bytes. Hand each to syslog(LOG_ERR, "%s", line.c_str()), or print it with the
// prefix "<3>" where the journal reads standard error.
inline constexpr std::size_t kMaxSyslogBytes = 900;
[[nodiscard]] std::vector<std::string> syslog_lines(const std::exception& error,
                                                    ErrorTextOptions options = {});
[[nodiscard]] std::vector<std::string> syslog_lines(const std::exception_ptr& error,
                                                    ErrorTextOptions options = {});

// For systemd's journal: one record of fields, each a line NAME=value, as `logger --journald` reads
// them from its standard input and as the journal's socket takes them. MESSAGE, PRIORITY (3),
// CODE_FILE, CODE_LINE and CODE_FUNC are the journal's own names; FATHOM_TYPE is the class, and
// FATHOM_TRACE, once for each line of error_text(), the rest.
[[nodiscard]] std::string journal_record(const std::exception& error,
                                         ErrorTextOptions options = {});
[[nodiscard]] std::string journal_record(const std::exception_ptr& error,
                                         ErrorTextOptions options = {});

}  // namespace fathom::base
