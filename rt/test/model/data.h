// Data: a value that is not atomic, in a scenario. Accesses that nothing orders are a race.

#pragma once

#include <utility>

#include "model/checker.h"

namespace fathom::model {

template <class T>
class Data {
 public:
  Data() : Data(T{}) {}
  Data(T value) : value_(value) { write_plain(this); }  // NOLINT: as the value itself
  Data(const Data& other) : Data(other.get()) {}
  // Moving changes what is moved from, as for most that is worth moving.
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
  operator T() const { return get(); }  // NOLINT: as the value itself

 private:
  T take() {
    write_plain(this);
    return value_;
  }

  T value_;
};

}  // namespace fathom::model
