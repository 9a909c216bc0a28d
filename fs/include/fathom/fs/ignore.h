// IgnoreRules: which names a scan leaves out, written as git's ignore files are.
//
// Guarantees: the answers are those of git for a .gitignore in the root (gitignore(5), git 2.39),
// but that letters are never folded. Names are bytes. Matching takes time in proportion to the
// length of the path times that of the pattern, whatever the pattern is.
//
//   build        a name, at any depth
//   /build       only in the root          src/*.o     a path from the root; * and ? stop at /
//   build/       only directories          **/x a/**/b a/**    any number of directories
//   !keep.o      not left out after all: the last rule that matches decides
//   # comment    \# \! and a backslash elsewhere take the special meaning away
//
// What is left out with a directory cannot be brought back: the directory is never opened.
// Rules are added by one thread, and then asked by any number.
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

// One pattern, taken apart. * and ? stop at a slash.
class Glob {
 public:
  explicit Glob(std::string_view pattern);

  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  enum class Kind : std::uint8_t {
    byte,         // this one
    any,          // any but a slash
    one_of,       // any of a set, which never holds a slash
    star,         // any number of bytes that are no slashes
    directories,  // any number of names, each with its slash
    rest,         // at least one byte, slashes among them
  };
  struct Token {
    Kind kind;
    char byte = 0;          // of byte
    std::uint16_t set = 0;  // of one_of: its place among sets_
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

  // Whether some rule looks at more than the last name of a path, so that ignores() has to be given
  // all of it.
  [[nodiscard]] bool need_paths() const { return need_paths_; }

  // The path of an entry from its root, without a slash at either end; if !need_paths() its last
  // name will do.
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
};

}  // namespace fathom::fs
