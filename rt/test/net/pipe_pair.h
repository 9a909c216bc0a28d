// PipePair: a pipe; the destructor closes both ends.

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"

namespace fathom::rt::testing {

class PipePair {
 public:
  PipePair() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
      throw base::SystemError("cannot create a pipe", errno);
    }
    in_.reset(ends[0]);
    out_.reset(ends[1]);
  }

  [[nodiscard]] int in() const { return in_.get(); }
  [[nodiscard]] int out() const { return out_.get(); }

  void write() { static_cast<void>(!::write(out(), "x", 1)); }
  // Returns whether there was a byte.
  bool read() {
    char byte = 0;
    return ::read(in(), &byte, 1) == 1;
  }
  void close_in() { in_.reset(); }
  void close_out() { out_.reset(); }

 private:
  base::Fd in_;
  base::Fd out_;
};

}  // namespace fathom::rt::testing
