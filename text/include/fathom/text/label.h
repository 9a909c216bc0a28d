// Label: a name that is safe to print, with its width.
//
// Names are bytes and may contain anything except NUL and '/': a newline, a sequence that clears
// the screen, a character that reverses the line. Everything that is not a plain visible character
// is escaped as in C, on a terminal and elsewhere: control characters (\n \t \x1b), bytes that are
// not UTF-8 (\xff), control and direction characters beyond ASCII (\u0085 \u202e), unassigned code
// points (their width is unknown), combining characters with none to combine with (\u0301), the
// backslash itself (\\), a space at the beginning or end of a name (\x20), and all non-ASCII
// characters if the locale is not UTF-8. Because the backslash is escaped, escaping never makes two
// names look the same.
//
// A path is a sequence of names, each ended by a slash.
//
//   Label("two\nlines", true).text()          == "two\\nlines"
//   Label("a-long-name", true).fitted(7, "..") == "a-l..me"

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::text {

class Label {
 public:
  // unicode: whether non-ASCII characters may be shown unescaped, on a terminal
  // that expects UTF-8.
  Label(std::string_view name, bool unicode);

  [[nodiscard]] const std::string& text() const { return text_; }

  // In columns of a terminal.
  [[nodiscard]] unsigned width() const { return width_; }

  // The text, with its middle replaced by the ellipsis if it does not fit in the columns. Cuts only
  // between graphemes and never inside an escape. The ellipsis is ASCII, or the single character
  // U+2026.
  [[nodiscard]] std::string fitted(unsigned columns, std::string_view ellipsis) const;

 private:
  // A unit that must not be cut: a character with its combining marks, or an escape.
  struct Piece {
    std::size_t begin;  // in text_; it ends where the next piece begins
    unsigned width;
  };

  void add_piece(std::string_view text, unsigned width);
  void add_to_last(std::string_view text, unsigned width);

  std::string text_;
  std::vector<Piece> pieces_;
  unsigned width_ = 0;  // sum of the widths of the pieces
};

// Short for Label(name, unicode).text().
[[nodiscard]] std::string escaped(std::string_view name, bool unicode);

// A sentence in which names may be escaped already. Escapes everything that a name would not show
// either, except backslashes and blanks, so escaping it again changes nothing.
[[nodiscard]] std::string safe(std::string_view sentence, bool unicode);

}  // namespace fathom::text
