// Error: the exceptions that Fathom throws, with a message for users and the stack of the throw.
//
// Each has a Trace: trace_of() finds it, error_text() (error_text.h) prints it. Constructing one
// records the stack, which takes microseconds: use exceptions for failures, not for frequent
// events. Copying one never throws, so any thread may keep it and rethrow it.
//
//   int fd = ::open(path.c_str(), O_RDONLY);
//   if (fd < 0) throw SystemError("cannot open " + path, errno);
//   // what(): "cannot open x: No such file or directory"

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "fathom/base/source_location.h"
#include "fathom/base/trace.h"

namespace fathom::base {

// Any failure that Fathom reports. what() is one line, the message alone, without a full stop. It
// may quote untrusted bytes: escape them when printing it. A zero byte, which would end it, is
// replaced by "\x00".
class Error : public std::runtime_error, public Trace {
 public:
  explicit Error(const std::string& message, SourceLocation where = SourceLocation::current())
      : std::runtime_error(without_zeros(message)), Trace(where) {}

 private:
  static std::string without_zeros(std::string_view message) {
    std::string shown;
    for (const char byte : message) byte == '\0' ? shown += "\\x00" : shown += byte;
    return shown;
  }
};

// A failed system call. what() is the given text, a colon, and the system's message for the errno.
class SystemError : public Error {
 public:
  // `code` is an errno. Read errno before anything can change it: building `what` from several
  // strings allocates, which leaves errno unchanged only if it succeeds.
  SystemError(const std::string& what, int code, SourceLocation where = SourceLocation::current())
      : Error(what + ": " + std::generic_category().message(code), where), code_(code) {}

  // The errno, such as ENOENT.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace fathom::base
