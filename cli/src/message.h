// Messages: sentences for the user on standard error.

#pragma once

#include <string_view>

#include "fathom/base/error.h"

namespace fathom::cli {

// The command line is wrong. what() is one sentence that says what is wrong and what to do instead.
class UsageError : public base::Error {
 public:
  using base::Error::Error;
};

// Prints "fathom: ", the sentence and a newline, in one write. Ignores write errors.
void print_message(std::string_view sentence);

// Writes the whole text. Continues after signals, and waits if a non-blocking descriptor is full.
// Returns the errno of the first failure, or 0.
int write_fully(int fd, std::string_view text);

}  // namespace fathom::cli
