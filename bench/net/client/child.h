// Other programs, run as children: started, listened to, waited for.

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/fd.h"

namespace fathom::bench {

// What is written into `in` comes out of `out`. No child inherits it by itself.
struct Pipe {
  Pipe();

  Fd out;
  Fd in;
};

// What a child has for standard input, output and error. Without one it has this program's.
struct Streams {
  const Fd* input = nullptr;
  const Fd* output = nullptr;
  const Fd* error = nullptr;
};

// Starts the program of this path, or of this name on the search path, with these arguments.
pid_t start_child(const std::string& program, std::vector<std::string> arguments,
                  const Streams& streams);

// Until it ended: its exit code, or 128 + the signal that ended it.
int wait_for_child(pid_t child);

// Adds to `text` what comes out of the pipe, up to its end, or until the text contains `enough` (if
// that is not empty). Throws when nothing comes for a minute.
void read_text(const Fd& from, std::string& text, std::string_view enough = {});

}  // namespace fathom::bench
