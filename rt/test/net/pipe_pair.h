// PipePair: a pipe; the destructor closes both ends.

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "fathom/base/error.h"

namespace fathom::rt::testing {

class PipePair {
 public:
  PipePair() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
      throw base::SystemError("cannot create a pipe", errno);
    }
    in_ = ends[0];
    out_ = ends[1];
  }
  PipePair(const PipePair&) = delete;
  PipePair& operator=(const PipePair&) = delete;
  ~PipePair() {
    close_in();
    close_out();
  }

  [[nodiscard]] int in() const { return in_; }
  [[nodiscard]] int out() const { return out_; }

  void write() { static_cast<void>(!::write(out_, "x", 1)); }
  // Returns whether there was a byte.
  bool read() {
    char byte = 0;
    return ::read(in_, &byte, 1) == 1;
  }
  void close_in() { close(in_); }
  void close_out() { close(out_); }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }

  int in_;
  int out_;
};

}  // namespace fathom::rt::testing
