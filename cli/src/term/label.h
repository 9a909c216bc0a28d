// Label: a name made safe to print, and measured.
//
// Names are bytes, and may hold anything but NUL and '/': a newline, a sequence that clears the
// screen, a letter that turns the line around. What is no plain visible character is escaped, as
// C would write it, on a terminal and off it alike: control characters (\n \t \x1b), bytes that
// are no UTF-8 (\xff), controls and marks of direction beyond ASCII (\u0085 \u202e), code points
// that Unicode has not assigned, whose width no one knows, the backslash itself (\\), a blank that
// a name begins or ends with (\x20), and where the locale is not UTF-8 all that is not ASCII. Hence
// two names never look alike because of what was escaped.
//
// A path is several names: a slash ends one.
//
//   Label("two\nlines", true).text()          == "two\\nlines"
//   Label("a-long-name", true).fitted(7, "..") == "a-l..me"

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::cli {

class Label {
 public:
  // unicode: more than ASCII may be shown as it is; see Terminal::unicode.
  Label(std::string_view name, bool unicode);

  [[nodiscard]] const std::string& text() const { return text_; }

  // In columns of a terminal.
  [[nodiscard]] unsigned width() const { return width_; }

  // The text, its middle replaced with the ellipsis if that is needed to fit in the columns. It is
  // cut only between what a reader takes for characters: neither an accent nor half an escape is
  // left behind. The ellipsis has as many columns as bytes, or is the single character U+2026.
  [[nodiscard]] std::string fitted(unsigned columns, std::string_view ellipsis) const;

 private:
  // What must stay together: a character with its combining marks, or an escape.
  struct Piece {
    std::size_t begin;  // in text_; it ends where the next one begins
    unsigned width;
  };

  void add_piece(std::string_view text, unsigned width);
  void add_to_last(std::string_view text, unsigned width);

  std::string text_;
  std::vector<Piece> pieces_;
  unsigned width_ = 0;  // the sum of the pieces'
};

// Short for Label(name, unicode).text().
[[nodiscard]] std::string escaped(std::string_view name, bool unicode);

// For messages: as the locale has it.
[[nodiscard]] std::string escaped(std::string_view name);

}  // namespace fathom::cli
