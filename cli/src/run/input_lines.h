// InputLines: the lines of standard input, until a signal comes.

#pragma once

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "fathom/base/retry.h"
#include "run/interrupt.h"

namespace fathom::cli {

class InputLines {
 public:
  explicit InputLines(const Interrupt& interrupt) : interrupt_(interrupt) {}

  // Without its end.
  std::optional<std::string> next() {
    while (!ended_ && bytes_.find('\n') == std::string::npos) {
      if (!interrupt_.wait_to_read(STDIN_FILENO)) return std::nullopt;
      if (read_more()) continue;
      ended_ = true;  // a terminal would go on
      // The Enter is missing: the end of input was typed to get out.
      if (::isatty(STDIN_FILENO) != 0) bytes_.clear();
    }
    if (bytes_.empty()) return std::nullopt;
    const std::size_t end = std::min(bytes_.find('\n'), bytes_.size());
    std::string line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    return line;
  }

  // What was typed or pasted into a terminal, and is in no line of next() yet. A long text arrives
  // in pieces: it has ended when nothing comes for a moment.
  void forget_typed() {
    if (::isatty(STDIN_FILENO) == 0) return;
    constexpr int kMoment = 100;  // milliseconds
    bytes_.clear();
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (base::retry([&] { return ::poll(&input, 1, kMoment); }) > 0 && read_more()) {
      bytes_.clear();
      ::tcflush(STDIN_FILENO, TCIFLUSH);
    }
  }

 private:
  bool read_more() {
    std::array<char, 4096> room{};
    const ssize_t length =
        base::retry([&] { return ::read(STDIN_FILENO, room.data(), room.size()); });
    if (length <= 0) return false;
    bytes_.append(room.data(), static_cast<std::size_t>(length));
    return true;
  }

  const Interrupt& interrupt_;
  std::string bytes_;  // that were read, and are in no line yet
  bool ended_ = false;
};

}  // namespace fathom::cli
