// Glob: compiles a pattern to tokens, and matches with backtracking to the last star only.

#include <algorithm>
#include <cctype>
#include <utility>

#include "fathom/fs/ignore.h"

namespace fathom::fs {

namespace {

// The POSIX classes such as [[:alpha:]], for ASCII, because names are bytes.
constexpr std::pair<std::string_view, int (*)(int)> kClasses[] = {
    {"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank},
    {"cntrl", std::iscntrl}, {"digit", std::isdigit}, {"graph", std::isgraph},
    {"lower", std::islower}, {"print", std::isprint}, {"punct", std::ispunct},
    {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit},
};

bool add_class(std::string_view name, std::bitset<256>& set) {
  for (const auto& [known, contains] : kClasses) {
    if (name != known) continue;
    for (int byte = 0; byte < 128; ++byte) {
      if (contains(byte) != 0) set.set(static_cast<std::size_t>(byte));
    }
    return true;
  }
  return false;
}

std::size_t index_of(char byte) {
  return static_cast<unsigned char>(byte);
}

}  // namespace

Glob::Glob(std::string_view pattern) {
  compile(pattern);
  if (never_) tokens_.clear();
}

void Glob::compile(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size() && !never_;) {
    const char byte = pattern[at];
    // Two or more stars that are alone between slashes are special; other runs of stars are
    // equivalent to one.
    const std::size_t stars = std::min(pattern.find_first_not_of('*', at), pattern.size()) - at;
    const bool special = stars >= 2 && (at == 0 || pattern[at - 1] == '/');
    if (special && pattern.substr(at + stars).starts_with('/')) {
      tokens_.push_back({Kind::directories});
      at += stars + 1;
    } else if (special && at + stars == pattern.size()) {
      tokens_.push_back({Kind::rest});
      at += stars;
    } else if (stars > 0) {
      tokens_.push_back({Kind::star});
      at += stars;
    } else if (byte == '?') {
      tokens_.push_back({Kind::any});
      ++at;
    } else if (byte == '[') {
      at = compile_set(pattern, at + 1);
    } else if (byte == '\\') {
      never_ = at + 1 == pattern.size();
      if (!never_) tokens_.push_back({Kind::byte, pattern[at + 1]});
      at += 2;
    } else {
      tokens_.push_back({Kind::byte, byte});
      ++at;
    }
  }
}

// Parses the part behind a '['; returns where the pattern continues.
std::size_t Glob::compile_set(std::string_view pattern, std::size_t at) {
  std::bitset<256> set;
  const bool inverted = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (inverted) ++at;
  // The next byte, without the backslash that quotes it.
  const auto next = [&](std::size_t& place) {
    if (place < pattern.size() && pattern[place] == '\\') ++place;
    if (place < pattern.size()) return pattern[place++];
    never_ = true;
    return '\0';
  };
  for (bool first = true; !never_; first = false) {
    if (at >= pattern.size()) {
      never_ = true;
    } else if (pattern[at] == ']' && !first) {
      break;
    } else if (pattern.substr(at).starts_with("[:")) {
      const std::size_t end = pattern.find(":]", at + 2);
      if (end == std::string_view::npos) {
        set.set(index_of('['));
        ++at;
      } else {
        never_ = !add_class(pattern.substr(at + 2, end - at - 2), set);
        at = end + 2;
      }
    } else {
      const char low = next(at);
      char high = low;
      if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
        ++at;
        high = next(at);
      }
      for (std::size_t byte = index_of(low); byte <= index_of(high); ++byte) set.set(byte);
    }
  }
  if (inverted) set.flip();
  set.reset(index_of('/'));
  tokens_.push_back({Kind::one_of, 0, static_cast<std::uint16_t>(sets_.size())});
  sets_.push_back(set);
  return at + 1;
}

bool Glob::accepts(const Token& token, char byte) const {
  switch (token.kind) {
    case Kind::byte:
      return token.byte == byte;
    case Kind::any:
      return byte != '/';
    case Kind::one_of:
      return sets_[token.set].test(index_of(byte));
    default:
      return false;
  }
}

// On a mismatch, goes back to the last star and, once that star has reached a slash, to the last
// run of directories. Earlier choices never have to be revised: a star that ends in the same name,
// and a run of directories that ends earlier, leave the same possibilities.
bool Glob::matches(std::string_view text) const {
  if (never_) return false;
  struct Choice {
    std::size_t token = std::string_view::npos;  // after which the pattern continues; npos: none
    std::size_t text = 0;                        // where it continued the last time
  };
  Choice star;
  Choice run;
  std::size_t token = 0;
  std::size_t at = 0;
  for (;;) {
    const Kind kind = token < tokens_.size() ? tokens_[token].kind : Kind::byte;
    if (token < tokens_.size() && kind == Kind::star) {
      star = {++token, at};
      continue;
    }
    if (token < tokens_.size() && kind == Kind::directories) {
      run = {++token, at};
      star = {};
      continue;
    }
    if (token < tokens_.size() && kind == Kind::rest && at < text.size()) return true;
    if (token == tokens_.size() && at == text.size()) return true;
    if (token < tokens_.size() && at < text.size() && accepts(tokens_[token], text[at])) {
      ++token;
      ++at;
      continue;
    }
    if (star.token != std::string_view::npos && star.text < text.size() && text[star.text] != '/') {
      token = star.token;
      at = ++star.text;
    } else if (run.token != std::string_view::npos) {
      const std::size_t slash = text.find('/', run.text);
      if (slash == std::string_view::npos) return false;
      token = run.token;
      at = run.text = slash + 1;
      star = {};
    } else {
      return false;
    }
  }
}

}  // namespace fathom::fs
