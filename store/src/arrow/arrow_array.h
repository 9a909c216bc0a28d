// Arrays of the Arrow C data interface, made from values of columns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/store/arrow.h"
#include "parquet/schema.h"

namespace fathom::store {

// The types of which arrays are made; each has a row in arrow_array.cc.
enum class ArrowType : std::uint8_t {
  uint8,
  uint16,
  uint32,
  uint64,
  int64,
  float64,  // Values::numbers has the bits
  boolean,  // 0 or 1
  seconds,  // a point in time, since the epoch
  string,
  binary,
};

struct ArrowField {
  std::string name;
  ArrowType type;
  bool optional = false;
};

// The schema of a table with these columns. Belongs to the caller until it is released.
[[nodiscard]] ArrowSchema arrow_schema(const std::vector<ArrowField>& fields);

// An array that is released unless a reader takes it.
class OwnedArray {
 public:
  OwnedArray() = default;
  explicit OwnedArray(const ArrowArray& array) : array_(array) {}
  OwnedArray(OwnedArray&& other) noexcept : array_(other.take()) {}
  OwnedArray& operator=(OwnedArray&& other) noexcept {
    std::swap(array_, other.array_);
    return *this;
  }
  ~OwnedArray() {
    if (array_.release != nullptr) array_.release(&array_);
  }

  [[nodiscard]] ArrowArray take() { return std::exchange(array_, {}); }

 private:
  ArrowArray array_{};
};

// The values of a column in `rows` rows. If Values::present is empty, none is missing. The array
// has a copy of all bytes.
[[nodiscard]] OwnedArray arrow_array(ArrowType type, std::size_t rows, const Values& values);

// A batch of a table. Takes the columns, each of which has that many rows.
[[nodiscard]] OwnedArray arrow_batch(std::size_t rows, std::vector<OwnedArray> columns);

}  // namespace fathom::store
