// Label: escaping and measuring names, by the character data of utf8proc.

#include "fathom/text/label.h"

#include <fmt/format.h>
#include <utf8proc.h>

namespace fathom::text {

namespace {

constexpr utf8proc_int32_t kZeroWidthNonJoiner = 0x200c;
constexpr utf8proc_int32_t kZeroWidthJoiner = 0x200d;

bool needs_escape(utf8proc_int32_t character) {
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CC:  // control characters, including C1
    case UTF8PROC_CATEGORY_CN:  // unassigned
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:  // line and paragraph separators
    case UTF8PROC_CATEGORY_ZP:
      return true;
    case UTF8PROC_CATEGORY_CF:  // invisible, including direction; Persian and emoji need joiners
      return character != kZeroWidthNonJoiner && character != kZeroWidthJoiner;
    default:
      return character == '\\';
  }
}

std::string escape(utf8proc_int32_t character) {
  switch (character) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  if (character < 0x80) return fmt::format("\\x{:02x}", character);
  if (character < 0x10000) return fmt::format("\\u{:04x}", character);
  return fmt::format("\\U{:08x}", character);
}

bool is_printable_ascii(char byte) {
  return byte >= ' ' && byte <= '~' && byte != '\\';
}

// The first character of a text that is not empty; of a byte that is not UTF-8, the byte.
struct First {
  std::string_view bytes;
  utf8proc_int32_t character = 0;
  bool is_valid = true;
};

First first_of(std::string_view text) {
  if (is_printable_ascii(text.front())) return {text.substr(0, 1), text.front(), true};
  utf8proc_int32_t character = 0;
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &character);
  if (length > 0) return {text.substr(0, static_cast<std::size_t>(length)), character, true};
  return {text.substr(0, 1), static_cast<unsigned char>(text.front()), false};
}

std::string escape(const First& first) {
  return first.is_valid ? escape(first.character) : fmt::format("\\x{:02x}", first.character);
}

bool is_blank(utf8proc_int32_t character) {
  return character == ' ' || utf8proc_category(character) == UTF8PROC_CATEGORY_ZS;
}

// The columns of an ellipsis: one per byte, except for U+2026, which has three bytes.
unsigned columns_of(std::string_view ellipsis) {
  return ellipsis == "\u2026" ? 1 : static_cast<unsigned>(ellipsis.size());
}

}  // namespace

Label::Label(std::string_view name, bool unicode) {
  bool begins = true;             // at the start of a name in the path
  utf8proc_int32_t previous = 0;  // 0: the next character begins a piece
  utf8proc_int32_t state = 0;
  while (!name.empty()) {
    const First first = first_of(name);
    const utf8proc_int32_t character = first.character;
    name.remove_prefix(first.bytes.size());

    const bool starts = begins;
    const bool outer = starts || name.empty() || name.front() == '/';
    begins = character == '/';
    const bool foreign = !unicode && character >= 0x80;
    const auto width = static_cast<unsigned>(utf8proc_charwidth(character));
    const bool joins =
        previous != 0 && !utf8proc_grapheme_break_stateful(previous, character, &state);
    const bool strays = width == 0 && (starts || !joins);  // to what was on the screen before it
    if (!first.is_valid || foreign || strays || needs_escape(character) ||
        (outer && is_blank(character))) {
      const std::string text = escape(first);
      add_piece(text, static_cast<unsigned>(text.size()));
      previous = 0;
      continue;
    }
    if (joins) {
      add_to_last(first.bytes, width);
    } else {
      add_piece(first.bytes, width);
      state = 0;
    }
    previous = character;
  }
}

std::string Label::fitted(unsigned columns, std::string_view ellipsis) const {
  if (width_ <= columns) return text_;
  const unsigned dots = columns_of(ellipsis);
  if (dots > columns) return std::string(columns, '.');

  std::size_t head = 0;  // pieces before the ellipsis
  unsigned used = dots;
  const unsigned middle = dots + (columns - dots + 1) / 2;
  while (used + pieces_[head].width <= middle) used += pieces_[head++].width;
  std::size_t tail = pieces_.size();  // the first piece after it
  while (used + pieces_[tail - 1].width <= columns) used += pieces_[--tail].width;

  std::string text = text_.substr(0, pieces_[head].begin);
  text += ellipsis;
  if (tail < pieces_.size()) text += text_.substr(pieces_[tail].begin);
  return text;
}

void Label::add_piece(std::string_view text, unsigned width) {
  pieces_.push_back({text_.size(), width});
  text_ += text;
  width_ += width;
}

void Label::add_to_last(std::string_view text, unsigned width) {
  pieces_.back().width += width;
  text_ += text;
  width_ += width;
}

std::string escaped(std::string_view name, bool unicode) {
  return Label(name, unicode).text();
}

std::string safe(std::string_view sentence, bool unicode) {
  std::string text;
  while (!sentence.empty()) {
    const First first = first_of(sentence);
    sentence.remove_prefix(first.bytes.size());
    const bool foreign = !unicode && first.character >= 0x80;
    const bool hides = needs_escape(first.character) && first.character != '\\';
    if (!first.is_valid || foreign || hides) {
      text += escape(first);
    } else {
      text += first.bytes;
    }
  }
  return text;
}

}  // namespace fathom::text
