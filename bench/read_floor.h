// ReadFloor: the least work of finding duplicates: reading each candidate once and hashing it.
//
// fs::scan() finds the files that have the same size as another. They are read completely,
// directory by directory, each opened relative to its directory, which is cheapest; nothing is
// compared or kept.
//
//   const ReadSums sums = read_floor("/srv", 2);

#pragma once

#include <cstdint>
#include <string>

namespace fathom::bench {

struct ReadSums {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  // of all bytes, so that the compiler cannot skip anything
  std::uint64_t failed = 0;
  double seconds = 0;  // excluding the scan
};

// Throws base::Error if the root cannot be scanned.
[[nodiscard]] ReadSums read_floor(const std::string& root, unsigned threads);

}  // namespace fathom::bench
