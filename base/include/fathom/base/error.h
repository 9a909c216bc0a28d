// The exceptions that Fathom throws: a message for people, and where it was thrown.
//
// Each has a Trace: trace_of() finds it, error_text() (error_text.h) prints it. Making one takes
// the stack, which is for what goes wrong, not for what happens a million times. Copying one never
// throws, so any thread may keep it and throw it again.
//
//   int fd = ::open(path.c_str(), O_RDONLY);
//   if (fd < 0) throw SystemError("cannot open " + path, errno);
//   // what(): "cannot open x: No such file or directory"

#pragma once

#include <stdexcept>
#include <string>
#include <system_error>

#include "fathom/base/source_location.h"
#include "fathom/base/trace.h"

namespace fathom::base {

// Anything that Fathom itself reports. what() is the message alone, one line, without a full stop.
class Error : public std::runtime_error, public Trace {
 public:
  explicit Error(const std::string& message, SourceLocation where = SourceLocation::current())
      : std::runtime_error(message), Trace(where) {}
};

// What the operating system refused. what() is the given text, a colon, and the system's own words.
class SystemError : public Error {
 public:
  // `code` is an errno. Read errno before anything else may change it: building `what` from several
  // strings allocates, which on success leaves it alone.
  SystemError(const std::string& what, int code, SourceLocation where = SourceLocation::current())
      : Error(what + ": " + std::generic_category().message(code), where), code_(code) {}

  // The errno, such as ENOENT.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

}  // namespace fathom::base
