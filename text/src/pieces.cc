// Pieces: grapheme clusters, by the character data of utf8proc.

#include "fathom/text/pieces.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>

namespace fathom::text {

namespace {

// The bytes of the first character; 1 if it is not UTF-8.
std::size_t decode_first(std::string_view text, utf8proc_int32_t& character) {
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &character);
  return length > 0 ? static_cast<std::size_t>(length) : 1;
}

bool is_ascii(char byte) {
  return static_cast<unsigned char>(byte) < 0x80;
}

}  // namespace

std::optional<Pieces::Piece> Pieces::next() {
  if (rest_.empty()) return std::nullopt;
  std::size_t end = 1;
  unsigned width = 1;
  // Two ASCII characters never join, and are nearly all there is.
  if (!is_ascii(rest_[0]) || (rest_.size() > 1 && !is_ascii(rest_[1]))) {
    utf8proc_int32_t before = 0;
    utf8proc_int32_t state = 0;
    end = decode_first(rest_, before);
    width = static_cast<unsigned>(utf8proc_charwidth(before));
    while (end < rest_.size()) {
      utf8proc_int32_t character = 0;
      const std::size_t length = decode_first(rest_.substr(end), character);
      if (utf8proc_grapheme_break_stateful(before, character, &state)) break;
      width += static_cast<unsigned>(utf8proc_charwidth(character));
      before = character;
      end += length;
    }
  }
  const Piece piece{rest_.substr(0, end), std::clamp(width, 1U, 2U)};
  rest_.remove_prefix(end);
  return piece;
}

}  // namespace fathom::text
