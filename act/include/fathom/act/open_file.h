// OpenFile: a file that a process has open. Its bytes become free only when it is closed.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fathom::act {

struct OpenFile {
  std::string path;         // absolute
  std::uint64_t bytes = 0;  // on the disk
  std::uint64_t process = 0;
  std::string program;  // its short name
};

[[nodiscard]] inline std::uint64_t bytes_of(const std::vector<OpenFile>& files) {
  std::uint64_t bytes = 0;
  for (const OpenFile& file : files) bytes += file.bytes;
  return bytes;
}

}  // namespace fathom::act
