// Wrapped: words set in lines that end where a terminal does.
//
//   Wrapped text(2, 80);
//   text.add("left out: 3 entries");
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

  // Each line has so many columns at most, of which the margin is blank; that of the first line is
  // left to the caller. kEndless: everything is one line.
  Wrapped(unsigned margin, unsigned columns) : margin_(margin), columns_(columns) {}

  // Words with blanks between, in ASCII.
  void add(std::string_view words);
  // One that is never broken, whatever is in it, of so many columns.
  void add_word(std::string_view word, unsigned width);

  // The columns of a line beside its margin.
  [[nodiscard]] unsigned room() const { return columns_ > margin_ ? columns_ - margin_ : 0; }

  // Without a newline at its end.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const unsigned margin_;
  const unsigned columns_;
  std::string text_;
  unsigned used_ = 0;  // columns of the last line, beside its margin
};

// Short for a Wrapped with these words.
[[nodiscard]] std::string wrapped(std::string_view words, unsigned margin, unsigned columns);

}  // namespace fathom::cli
