// Descriptor: owns a file descriptor and closes it.

#pragma once

#include <unistd.h>

namespace fathom::cli {

class Descriptor {
 public:
  // Takes ownership. A negative value means no descriptor.
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace fathom::cli
