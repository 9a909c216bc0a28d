// Data: a non-atomic value in a scenario. Unordered accesses are a race.

#pragma once

#include <utility>

#include "model/checker.h"

namespace fathom::model {

template <class T>
class Data {
 public:
  Data() : Data(T{}) {}
  Data(T value) : value_(value) { write_plain(this); }  // NOLINT: converts like the value itself
  Data(const Data& other) : Data(other.get()) {}
  // Moving writes to the source, as for most types with a move constructor.
  Data(Data&& other) noexcept : Data(other.take()) {}
  Data& operator=(const Data& other) {
    set(other.get());
    return *this;
  }
  Data& operator=(Data&& other) noexcept {
    set(other.take());
    return *this;
  }
  ~Data() { write_plain(this); }

  T get() const {
    read_plain(this);
    return value_;
  }
  void set(T value) {
    write_plain(this);
    value_ = value;
  }
  operator T() const { return get(); }  // NOLINT: converts like the value itself

 private:
  T take() {
    write_plain(this);
    return value_;
  }

  T value_;
};

}  // namespace fathom::model
