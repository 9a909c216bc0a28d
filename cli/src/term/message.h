// Messages: sentences for the user on standard error.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "fathom/base/error.h"

namespace fathom::cli {

// The command line is wrong. what() is one sentence that says what is wrong and what to do instead.
class UsageError : public base::Error {
 public:
  using base::Error::Error;

  // With lines to print below the sentence, each of which begins with a newline.
  UsageError(const std::string& sentence, const std::string& lines,
             base::SourceLocation where = base::SourceLocation::current())
      : base::Error(sentence, where), lines_(std::make_shared<const std::string>(lines)) {}

  [[nodiscard]] std::string_view lines() const noexcept {
    return lines_ ? std::string_view(*lines_) : std::string_view();
  }

 private:
  std::shared_ptr<const std::string> lines_;  // shared, because copying must not throw
};

// The lines that print_message() takes on a terminal of that width, or slightly more: it counts
// bytes.
[[nodiscard]] std::size_t message_lines(std::string_view sentence, unsigned columns);

// Prints "fathom: ", the sentence, the lines and a newline, in one write. Ignores write errors.
//
// The sentence may quote a file, a plan or another program: it is made safe() here, for every
// message, and is always one line. The lines are printed as they are.
void print_message(std::string_view sentence, std::string_view lines = {});

// Writes the whole text. Continues after signals, and waits if a non-blocking descriptor is full.
// Returns the errno of the first failure, or 0.
int write_fully(int fd, std::string_view text);

// Writes what one system call takes, and removes that from the text. Returns 0 or an errno.
int write_once(int fd, std::string_view& text);

}  // namespace fathom::cli
