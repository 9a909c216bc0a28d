// Source: the origin of a format's text, block by block, so that a file does not have to fit in
// memory.
//
//   NcduImport back = read_ncdu(descriptor_source(STDIN_FILENO));

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace fathom::fs {

// Fills the front of `room`, which is never empty, and returns the number of bytes; 0 at the end of
// the text. An exception from it ends the reading.
using Source = std::function<std::size_t(std::span<char> room)>;

// Reads an open descriptor, which the caller still owns. Throws base::SystemError on failure.
[[nodiscard]] Source descriptor_source(int descriptor);

// Reads a text that must outlive the source.
[[nodiscard]] Source text_source(std::string_view text);

}  // namespace fathom::fs
