// Fd: owns an open file descriptor, and closes it with the object.
//
//   base::Fd file(::open(path, O_RDONLY | O_CLOEXEC));
//   if (!file) throw base::SystemError("cannot open the file", errno);
//   ::read(file.get(), ...);

#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fathom::base {

class Fd {
 public:
  Fd() noexcept = default;
  // Takes ownership of a descriptor. A negative one means none.
  explicit Fd(int descriptor) noexcept : descriptor_(descriptor) {}
  Fd(Fd&& other) noexcept : descriptor_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return descriptor_ >= 0; }
  // Negative if there is none.
  [[nodiscard]] int get() const noexcept { return descriptor_; }

  // Passes the ownership to the caller.
  [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

  // Closes the descriptor and takes ownership of another one. errno stays as it is, so that an
  // earlier failure can still be reported.
  void reset(int descriptor = -1) noexcept {
    const int before = errno;
    static_cast<void>(close());
    errno = before;
    descriptor_ = descriptor;
  }

  // Closes the descriptor. Returns 0 or an errno: network filesystems report some errors of writing
  // only now. The descriptor is closed in any case.
  [[nodiscard]] int close() noexcept {
    const int descriptor = release();
    return descriptor < 0 || ::close(descriptor) == 0 ? 0 : errno;
  }

 private:
  int descriptor_ = -1;
};

}  // namespace fathom::base
