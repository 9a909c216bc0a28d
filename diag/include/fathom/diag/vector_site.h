// VectorSite: a place that constructs profiled vectors, and their counts. Only for ProfiledVector.

#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/base/source_location.h"
#include "fathom/diag/vector_report.h"

namespace fathom::diag {

// The counts of one vector since they were last added to its site.
struct VectorCounts {
  std::uint64_t reallocations = 0;
  std::uint64_t reallocated_bytes = 0;
  std::uint64_t shifted = 0;
  std::size_t peak_size = 0;
  std::size_t peak_capacity = 0;
};

// Never destroyed. Thread-safe.
class VectorSite {
 public:
  // Returns the same site for the same place and size. Takes a lock, once per vector.
  static VectorSite& at(base::SourceLocation where, std::size_t element_bytes);

  void begin() noexcept { add(vectors_, 1); }
  void copied(std::uint64_t bytes) noexcept {
    add(copies_, 1);
    add(copied_bytes_, bytes);
  }
  void moved() noexcept { add(moves_, 1); }
  void searched(std::uint64_t compared) noexcept {
    add(finds_, 1);
    add(compared_, compared);
  }
  void take(const VectorCounts& counts) noexcept;
  void reserved(std::uint64_t bytes, std::uint64_t used_bytes) noexcept {
    add(reserved_bytes_, bytes);
    add(reserve_used_bytes_, used_bytes);
  }
  void end(std::uint64_t unused_bytes) noexcept {
    add(ended_, 1);
    add(unused_bytes_, unused_bytes);
  }

  [[nodiscard]] VectorUsage usage() const;

 private:
  using Sum = base::atomic<std::uint64_t>;

  VectorSite(base::SourceLocation where, std::size_t element_bytes)
      : where_(where), element_bytes_(element_bytes) {}

  static void add(Sum& sum, std::uint64_t by) noexcept {
    if (by != 0) sum.fetch_add(by, base::memory_order_relaxed);
  }
  static void raise(Sum& most, std::uint64_t to) noexcept;

  const base::SourceLocation where_;
  const std::size_t element_bytes_;
  Sum vectors_{0};
  Sum ended_{0};
  Sum copies_{0};
  Sum copied_bytes_{0};
  Sum moves_{0};
  Sum reallocations_{0};
  Sum reallocated_bytes_{0};
  Sum finds_{0};
  Sum compared_{0};
  Sum shifted_{0};
  Sum peak_size_{0};
  Sum peak_capacity_{0};
  Sum unused_bytes_{0};
  Sum reserved_bytes_{0};
  Sum reserve_used_bytes_{0};
};

}  // namespace fathom::diag
