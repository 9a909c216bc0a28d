// Child: starting other programs, reading their output, and waiting for them.

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/fd.h"

namespace fathom::bench {

// What is written to `in` can be read from `out`. Children do not inherit it.
struct Pipe {
  Pipe();

  base::Fd out;
  base::Fd in;
};

// A child's standard input, output and error. Missing ones are inherited from this program.
struct Streams {
  const base::Fd* input = nullptr;
  const base::Fd* output = nullptr;
  const base::Fd* error = nullptr;
};

// Starts the program at this path, or with this name in PATH, with these arguments.
pid_t start_child(const std::string& program, std::vector<std::string> arguments,
                  const Streams& streams);

// Waits for the child; returns its exit code, or 128 + the signal number if a signal ended it.
int wait_for_child(pid_t child);

// Appends the output of the pipe to `text`, up to its end, or until the text contains `enough` (if
// not empty). Throws if nothing arrives for a minute.
void read_text(const base::Fd& from, std::string& text, std::string_view enough = {});

}  // namespace fathom::bench
