// Messages: writing to descriptors, standard error among them.

#include "term/message.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "fathom/base/retry.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

constexpr std::string_view kProgram = "fathom: ";

// Ignores errors: the next write() reports them.
void wait_for_room(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  ::poll(&waiting, 1, -1);
}

}  // namespace

int write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const int error = write_once(fd, text);
    if (error == EAGAIN || error == EWOULDBLOCK) {
      wait_for_room(fd);
    } else if (error != 0) {
      return error;
    }
  }
  return 0;
}

int write_once(int fd, std::string_view& text) {
  const ssize_t written = base::retry([&] { return ::write(fd, text.data(), text.size()); });
  if (written < 0) return errno;
  text.remove_prefix(static_cast<std::size_t>(written));
  return 0;
}

std::size_t message_lines(std::string_view sentence, unsigned columns) {
  return (kProgram.size() + sentence.size() + columns - 1) / columns;
}

void print_message(std::string_view sentence, std::string_view lines) {
  std::string text(kProgram);
  text += safe(sentence);
  text += lines;
  write_fully(STDERR_FILENO, text + '\n');
}

}  // namespace fathom::cli
