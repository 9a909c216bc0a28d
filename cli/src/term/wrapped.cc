// Wrapped: greedy line breaking.

#include "term/wrapped.h"

#include <algorithm>

namespace fathom::cli {

void Wrapped::add(std::string_view words) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    add_word(word, static_cast<unsigned>(word.size()));
  }
}

void Wrapped::add_word(std::string_view word, unsigned width) {
  if (used_ != 0 && width >= room() - std::min(used_, room())) {
    text_ += '\n' + std::string(margin_, ' ');
    used_ = 0;
  }
  if (used_ != 0) {
    text_ += ' ';
    ++used_;
  }
  text_ += word;
  used_ += width;
}

std::string wrapped(std::string_view words, unsigned margin, unsigned columns) {
  Wrapped text(margin, columns);
  text.add(words);
  return text.text();
}

}  // namespace fathom::cli
