// IgnoreRules: the names that a scan excludes, or the only ones that it counts, written like git's
// ignore files.
//
// Guarantees: the answers are those of git for a .gitignore in the root (gitignore(5), git 2.39),
// except that letters are always case-sensitive. Names are bytes. The time for a match is
// proportional to the length of the path times that of the pattern, for every pattern.
//
//   build        a name, at any depth
//   /build       only in the root          src/*.o     a path from the root; * and ? stop at /
//   build/       only directories          **/x a/**/b a/**    any number of directories
//   !keep.o      included again: the last rule that matches decides
//   # comment    \# \! and a backslash elsewhere remove the special meaning
//
// An entry in an excluded directory cannot be included again: the directory is never opened. One
// thread adds the rules; after that any number of threads may match paths.
//
//   IgnoreRules rules;
//   rules.add_text("*.o\n!keep.o\n/build/\n");
//   rules.ignores("src/main.o", /*directory=*/false);  // true

#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fathom::fs {

// One parsed pattern. * and ? stop at a slash.
class Glob {
 public:
  explicit Glob(std::string_view pattern);

  [[nodiscard]] bool matches(std::string_view text) const;

  // Whether the pattern ends within a set or after a backslash, or names an unknown class, so that
  // it matches nothing.
  [[nodiscard]] bool malformed() const { return never_; }

 private:
  enum class Kind : std::uint8_t {
    byte,         // this one
    any,          // any byte except a slash
    one_of,       // any of a set, which never holds a slash
    star,         // any number of bytes other than slashes
    directories,  // any number of names, each with its slash
    rest,         // at least one byte, which may be a slash
  };
  struct Token {
    Kind kind;
    char byte = 0;          // of byte
    std::uint16_t set = 0;  // of one_of: its index in sets_
  };

  void compile(std::string_view pattern);
  std::size_t compile_set(std::string_view pattern, std::size_t at);
  [[nodiscard]] bool accepts(const Token& token, char byte) const;

  std::vector<Token> tokens_;
  std::vector<std::bitset<256>> sets_;
  bool never_ = false;  // the pattern is malformed: it matches nothing
};

class IgnoreRules {
 public:
  // A whole file, or one line of it.
  void add_text(std::string_view text);
  void add_line(std::string_view line);

  [[nodiscard]] bool empty() const { return rules_.empty(); }

  // A hash of the texts that add_text() was given, in their order; 0 without any.
  [[nodiscard]] std::uint64_t text_hash() const { return text_hash_; }

  // Whether a rule examines more than the last name of a path, so that ignores() needs the whole
  // path.
  [[nodiscard]] bool need_paths() const { return need_paths_; }

  // The path of an entry from its root, without a slash at either end. If !need_paths(), its last
  // name suffices.
  [[nodiscard]] bool ignores(std::string_view path, bool directory) const;

 private:
  struct Rule {
    Glob glob;
    bool whole_path = false;  // rather than the last name
    bool directories_only = false;
    bool negated = false;
  };

  std::vector<Rule> rules_;
  bool need_paths_ = false;
  std::uint64_t text_hash_ = 0;
};

}  // namespace fathom::fs
