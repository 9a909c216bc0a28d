// Fd: an open descriptor, which is closed with the object.

#pragma once

#include <unistd.h>

#include <utility>

namespace fathom::fs {

class Fd {
 public:
  Fd() = default;
  // Takes ownership of a descriptor; a negative one means none.
  explicit Fd(int descriptor) : descriptor_(descriptor) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      descriptor_ = std::exchange(other.descriptor_, -1);
    }
    return *this;
  }

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] explicit operator bool() const { return descriptor_ >= 0; }

 private:
  void reset() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  int descriptor_ = -1;
};

}  // namespace fathom::fs
