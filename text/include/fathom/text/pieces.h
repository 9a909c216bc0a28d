// Pieces: text that is ready to be shown, divided into what a terminal shows in one place.
//
//   for (Pieces rest("e\u0301x"); const auto piece = rest.next();) put(piece->bytes, piece->width);

#pragma once

#include <optional>
#include <string_view>

namespace fathom::text {

class Pieces {
 public:
  // A character with its combining marks, and its columns: 1, or 2 if it is wide.
  struct Piece {
    std::string_view bytes;
    unsigned width = 0;
  };

  // The text must be printable, as Label::text() is.
  explicit Pieces(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::optional<Piece> next();

 private:
  std::string_view rest_;
};

}  // namespace fathom::text
