// Wrapped: words wrapped at the width of a terminal.
//
//   Wrapped text(2, 80);
//   text.add("Excluded 3 entries");
//   text.add_word(label.fitted(text.room(), "..."), label.width());
//   "  " + text.text()

#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace fathom::cli {

class Wrapped {
 public:
  static constexpr unsigned kEndless = std::numeric_limits<unsigned>::max();

  // Each line has at most that many columns, of which the first `margin` are blank. The caller
  // writes the margin of the first line. kEndless: everything is one line.
  Wrapped(unsigned margin, unsigned columns) : margin_(margin), columns_(columns) {}

  // Adds words separated by spaces, in ASCII.
  void add(std::string_view words);
  // Adds one word of that many columns, which is never broken, even if it contains spaces.
  void add_word(std::string_view word, unsigned width);

  // The columns of a line without its margin.
  [[nodiscard]] unsigned room() const { return columns_ > margin_ ? columns_ - margin_ : 0; }

  // The lines, without a newline at the end.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const unsigned margin_;
  const unsigned columns_;
  std::string text_;
  unsigned used_ = 0;  // columns of the last line, without its margin
};

// Short for a Wrapped with only these words.
[[nodiscard]] std::string wrapped(std::string_view words, unsigned margin, unsigned columns);

}  // namespace fathom::cli
