// Messages: writing to descriptors, standard error among them.

#include "message.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace fathom::cli {

namespace {

// Ignores errors: the next write() reports them.
void wait_for_room(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  ::poll(&waiting, 1, -1);
}

}  // namespace

int write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait_for_room(fd);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void print_message(std::string_view sentence) {
  write_fully(STDERR_FILENO, "fathom: " + std::string(sentence) + '\n');
}

}  // namespace fathom::cli
