// What the command says to people beside its results: sentences on standard error.

#pragma once

#include <string_view>

#include "fathom/base/error.h"

namespace fathom::cli {

// The command line asks for what cannot be done. what() is one sentence: what is wrong, and what to
// do instead.
class UsageError : public base::Error {
 public:
  using base::Error::Error;
};

// Prints "fathom: ", the sentence and a newline, in one write. A standard error that takes nothing
// is no error: there is no one to tell.
void print_message(std::string_view sentence);

// Writes all of the text as it is, whatever signals come, and waits for room even where the
// descriptor does not block. The errno of the first failure, or 0.
int write_fully(int fd, std::string_view text);

}  // namespace fathom::cli
