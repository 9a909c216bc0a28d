// Source: where a format's text comes from, block by block, so that a file need not fit into
// memory.
//
//   NcduImport back = read_ncdu(descriptor_source(STDIN_FILENO));

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace fathom::fs {

// Fills the front of the room, which is never empty, and returns how many bytes; 0 at the end of
// the text. What it throws ends the reading.
using Source = std::function<std::size_t(std::span<char> room)>;

// Reads an open descriptor, which stays the caller's. Throws base::SystemError when it cannot.
[[nodiscard]] Source descriptor_source(int descriptor);

// Reads a text that must outlive the source.
[[nodiscard]] Source text_source(std::string_view text);

}  // namespace fathom::fs
