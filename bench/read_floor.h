// The floor of finding duplicates: reading once what may be one, and hashing it.
//
// fs::scan() says which files have the size of another one. They are read directory by directory,
// whole, each by an open relative to its directory, which costs least; nothing is compared, nothing
// is kept.
//
//   const ReadSums sums = read_floor("/srv", 2);

#pragma once

#include <cstdint>
#include <string>

namespace fathom::bench {

struct ReadSums {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;  // of all: so that nothing is left out
  std::uint64_t failed = 0;
  double seconds = 0;  // without the scan
};

// Throws base::Error when the root cannot be scanned.
[[nodiscard]] ReadSums read_floor(const std::string& root, unsigned threads);

}  // namespace fathom::bench
