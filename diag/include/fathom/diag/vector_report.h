// VectorReport: what the profiled vectors of a program have cost, by the place that made them.
//
//   print(vector_report().text());

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::diag {

// Of all vectors that were made there. What one does is added when it grows, is copied, or ends.
struct VectorUsage {
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::uint64_t element_bytes = 0;

  std::uint64_t vectors = 0;
  std::uint64_t live = 0;    // that have not ended
  std::uint64_t copies = 0;  // of whole vectors, to or from here
  std::uint64_t copied_bytes = 0;
  std::uint64_t moves = 0;          // of whole vectors, to here; costs nothing
  std::uint64_t reallocations = 0;  // that had elements to take along
  std::uint64_t reallocated_bytes = 0;
  std::uint64_t finds = 0;      // calls of find() and contains()
  std::uint64_t compared = 0;   // elements that those looked at
  std::uint64_t shifted = 0;    // elements that had to move for insert() and erase()
  std::uint64_t peak_size = 0;  // elements, of one vector at one time
  std::uint64_t peak_capacity = 0;
  std::uint64_t unused_bytes = 0;  // capacity that was never filled, of those that have ended
};

struct VectorReport {
  std::vector<VectorUsage> sites;  // those that moved most bytes first

  // For people: a line for each of at most so many places.
  [[nodiscard]] std::string text(std::size_t most = 20) const;
};

[[nodiscard]] VectorReport vector_report();

}  // namespace fathom::diag
