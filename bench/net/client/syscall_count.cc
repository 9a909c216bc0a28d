// SyscallCount: attaching strace -c and parsing its summary.

#include "net/client/syscall_count.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "fathom/base/error.h"
#include "net/client/child.h"

namespace fathom::bench {

bool SyscallCount::available() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::string folder;
  while (std::getline(folders, folder, ':')) {
    if (::access((folder + "/strace").c_str(), X_OK) == 0) return true;
  }
  return false;
}

SyscallCount::SyscallCount(pid_t process) {
  Pipe words;
  strace_ =
      start_child("strace", {"-f", "-c", "-p", std::to_string(process)}, {.error = &words.in});
  words.in.reset();
  words_ = std::move(words.out);
  read_text(words_, said_, " attached");
  if (said_.find(" attached") != std::string::npos) return;
  wait_for_child(std::exchange(strace_, -1));
  throw base::Error("strace is not permitted here: " + said_.substr(0, said_.find('\n')));
}

SyscallCount::~SyscallCount() {
  if (strace_ > 0) finish();
}

// The last line ends in "total"; the count is its fourth word.
std::uint64_t SyscallCount::finish() {
  ::kill(strace_, SIGINT);
  read_text(words_, said_);
  wait_for_child(std::exchange(strace_, -1));
  std::istringstream lines(said_);
  std::string line;
  std::uint64_t calls = 0;
  while (std::getline(lines, line)) {
    if (!line.ends_with(" total")) continue;
    std::istringstream words(line);
    std::string ignored;
    words >> ignored >> ignored >> ignored >> calls;
  }
  return calls;
}

}  // namespace fathom::bench
