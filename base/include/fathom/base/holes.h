// Holes: the parts of a sparse file that are not stored and read as zeros.
//
//   const off_t next = base::data_from(file, offset);  // everything before it is zeros

#pragma once

#include <unistd.h>

#include <cerrno>

namespace fathom::base {

// The offset of the next byte that is not in a hole, from `offset` on, which is not beyond the end;
// the size of the file if a hole reaches its end. `offset` itself, too, if the system cannot tell.
// Moves the file's position. The last bytes of a hole may be counted as data.
inline off_t data_from(int file, off_t offset) {
#ifdef SEEK_DATA
  const off_t data = ::lseek(file, offset, SEEK_DATA);
  if (data >= offset) return data;
  if (data < 0 && errno != ENXIO) return offset;
  const off_t end = ::lseek(file, 0, SEEK_END);
  return end > offset ? end : offset;
#else
  static_cast<void>(file);
  return offset;
#endif
}

}  // namespace fathom::base
