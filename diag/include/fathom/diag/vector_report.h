// VectorReport: the costs of a program's profiled vectors, by the place that constructed them.
//
//   print(vector_report().text());

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::diag {

// The sums of all vectors constructed at one place. A vector's counts are added when it grows, is
// copied, or is destroyed.
struct VectorUsage {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::uint64_t element_bytes = 0;

  std::uint64_t vectors = 0;
  std::uint64_t live = 0;    // not yet destroyed
  std::uint64_t copies = 0;  // of whole vectors, to or from this place
  std::uint64_t copied_bytes = 0;
  std::uint64_t moves = 0;          // of whole vectors; no cost
  std::uint64_t reallocations = 0;  // with elements to move
  std::uint64_t reallocated_bytes = 0;
  std::uint64_t finds = 0;      // calls of find() and contains()
  std::uint64_t compared = 0;   // elements that these compared
  std::uint64_t shifted = 0;    // elements moved by insert() and erase()
  std::uint64_t peak_size = 0;  // the most elements in one vector
  std::uint64_t peak_capacity = 0;
  std::uint64_t unused_bytes = 0;  // never filled capacity of destroyed vectors
  // Of memory that reserve() allocated, once the vector has left it: by growing, shrinking or
  // ending.
  std::uint64_t reserved_bytes = 0;      // what reserve() requested
  std::uint64_t reserve_used_bytes = 0;  // the part of it that elements have filled
};

struct VectorReport {
  std::vector<VectorUsage> sites;  // most moved bytes first

  // For people: one line for each of at most `most` places.
  [[nodiscard]] std::string text(std::size_t most = 20) const;
};

[[nodiscard]] VectorReport vector_report();

}  // namespace fathom::diag
