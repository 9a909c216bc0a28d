// Handle: a move-only item, as a file descriptor or a job is. A move leaves the source without a
// number, and the destructor looks whether there is one.

#pragma once

#include <utility>

#include "rt/suite.h"

namespace fathom::bench {

class Handle {
 public:
  Handle() = default;
  explicit Handle(Item number) noexcept : number_(number) {}
  Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (number_ != 0) benchmark::DoNotOptimize(number_);
  }

  explicit operator Item() const noexcept { return number_; }

 private:
  Item number_ = 0;
};

}  // namespace fathom::bench
