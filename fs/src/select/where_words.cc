// WhereWords: splits a text at blanks and operators.

#include "select/where_words.h"

#include <algorithm>

#include "fathom/fs/where.h"

namespace fathom::fs {

namespace {

// The longest first.
struct WhereMark {
  std::string_view written;
  std::string_view usual;
  WhereWord::Kind kind = WhereWord::Kind::mark;
};
constexpr WhereMark kMarks[] = {
    {"&&", "and", WhereWord::Kind::word},
    {"||", "or", WhereWord::Kind::word},
    {"==", "="},
    {"!=", "!="},
    {"<>", "!="},
    {"<=", "<="},
    {">=", ">="},
    {"=", "="},
    {"<", "<"},
    {">", ">"},
    {"~", "~"},
    {"(", "("},
    {")", ")"},
    {",", ","},
    {"!", "not", WhereWord::Kind::word},
};

constexpr std::string_view kBlanks = " \t\n\r";
constexpr std::string_view kEndsWord = " \t\n\r=<>~(),'\"&|";

// Everything up to the closing quote; a doubled quote stands for one.
WhereWord quoted_word(std::string_view text, std::size_t& at) {
  const char quote = text[at];
  WhereWord word{WhereWord::Kind::quoted, {}, at + 1};
  for (++at; at < text.size(); ++at) {
    if (text[at] != quote) {
      word.text += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == quote) {
      word.text += text[at++];
    } else {
      ++at;
      return word;
    }
  }
  throw WhereError(word.column, "the quote is not closed");
}

WhereWord next_word(std::string_view text, std::size_t& at) {
  if (text[at] == '\'' || text[at] == '"') return quoted_word(text, at);
  const std::string_view rest = text.substr(at);
  for (const WhereMark& mark : kMarks) {
    if (!rest.starts_with(mark.written)) continue;
    WhereWord word{mark.kind, std::string(mark.usual), at + 1};
    at += mark.written.size();
    return word;
  }
  // A value may contain a single "!".
  const std::size_t length =
      std::min({rest.find_first_of(kEndsWord), rest.find("!="), rest.size()});
  if (length == 0) {
    throw WhereError(at + 1, "'" + std::string(1, rest.front()) + "' must be doubled");
  }
  WhereWord word{WhereWord::Kind::word, std::string(rest.substr(0, length)), at + 1};
  at += length;
  return word;
}

}  // namespace

std::vector<WhereWord> split_where(std::string_view text) {
  std::vector<WhereWord> words;
  std::size_t at = 0;
  for (;;) {
    at = std::min(text.find_first_not_of(kBlanks, at), text.size());
    if (at == text.size()) break;
    words.push_back(next_word(text, at));
  }
  words.push_back({WhereWord::Kind::end, {}, text.size() + 1});
  return words;
}

}  // namespace fathom::fs
