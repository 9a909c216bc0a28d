// Rows: a table as Python sees it.

#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/fs/table.h"
#include "fathom/store/arrow.h"
#include "unlocked.h"

namespace fathom::python {

namespace nb = nanobind;

class Rows {
 public:
  // `owner` keeps alive what the table refers to.
  Rows(std::shared_ptr<const void> owner, fs::Table table)
      : owner_(std::move(owner)), table_(std::move(table)) {}

  [[nodiscard]] std::vector<std::string> columns() const;
  [[nodiscard]] std::size_t size() const { return table_.rows(); }
  [[nodiscard]] std::uint64_t too_long() const { return table_.too_long(); }
  // The cells of a row. Paths are decoded as by os.fsdecode(); times are seconds since the epoch.
  [[nodiscard]] nb::list row(std::size_t index) const;
  [[nodiscard]] nb::object stream() const;

 private:
  std::shared_ptr<const void> owner_;
  fs::Table table_;
};

// A stream as the capsule that __arrow_c_stream__ returns. `fill` makes it, and is called without
// the lock.
template <class Fill>
nb::object stream_capsule(const Fill& fill) {
  auto stream = std::make_unique<ArrowArrayStream>();
  without_lock([&] { fill(*stream); });
  return nb::capsule(stream.release(), "arrow_array_stream", [](void* held) noexcept {
    const std::unique_ptr<ArrowArrayStream> unread(static_cast<ArrowArrayStream*>(held));
    if (unread->release != nullptr) unread->release(unread.get());
  });
}

// A path as os.fsdecode() makes it, and the reverse.
[[nodiscard]] nb::object decoded(const std::string& path);
[[nodiscard]] std::string encoded(nb::handle path);

}  // namespace fathom::python
