// Where: a condition on entries, written like the WHERE of SQL.
//
//   age > 90d and owner = ana and not path ~ '/srv/keep/**'
//   kind = file and (ext in (iso, img) or size >= 1.5GiB)
//
//   expression  = != < <= > >= ~ in (..), combined with and, or, not and parentheses
//   ~           matches a pattern as in .gitignore: * and ? stop at a slash, ** does not
//   values      10G 1.5GiB (sizes), 90d 12h 2w (ages), 2026-01-31 2026-01-31T08:00 (times),
//               0644 (modes), file dir link other (kinds); quoted, if they contain blanks or
//               operators: 'it''s', "a b"
//   aliases     == && || ! <>; keywords and fields in any case
//
// A path is that of the entry as it is shown. With an absolute one, a relative one is also compared
// as an absolute one, below the directory in which the expression was parsed, and if $PWD is
// another name of that, also below $PWD. Other symbolic links are not resolved. Absolute paths, and
// those that ~ compares, are also compared without the empty names and "." that they contain. An
// absolute path is unknown where ".." comes after a name.
//
// A value that is not known, such as the owner in a saved scan without owners, selects nothing,
// also under `not`: the logic has three values, as in SQL.
//
//   const Where where = Where::parse("size > 1G and age > 30d");
//   where.selects(facts, now);

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/base/moment.h"
#include "fathom/fs/ignore.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

enum class WhereField : std::uint8_t {
  size,     // apparent, in bytes; of a directory, with everything in it
  used,     // the same, on disk
  age,      // since the last modification; of it or anything in it
  mtime,    // of the entry itself
  newest,   // the time of that modification
  owner,    // a name
  group,    // a name
  uid,      //
  gid,      //
  mode,     // the permissions
  kind,     //
  ext,      // the part of the name after the last dot, in lower case
  name,     //
  path,     //
  depth,    // 0 for a root
  links,    // names of the inode
  entries,  // of a directory, everything in it and itself
  rule,     // of fathom clean
  cls,      // "class": of fathom clean
};

// std::monostate: unknown. Unsigned numbers of bytes, counts, ids and modes; signed numbers of
// seconds, since the epoch or of an age; texts, which live until the next question.
using WhereValue = std::variant<std::monostate, std::uint64_t, std::int64_t, std::string_view>;

// What is known about one entry.
class WhereFacts {
 public:
  virtual ~WhereFacts() = default;
  [[nodiscard]] virtual WhereValue value(WhereField field) const = 0;
};

// An expression that cannot be parsed. what() begins with the column: "column 5: there is no ...".
class WhereError : public base::Error {
 public:
  WhereError(std::size_t column, const std::string& sentence,
             base::SourceLocation where = base::SourceLocation::current())
      : base::Error("column " + std::to_string(column) + ": " + sentence, where), column_(column) {}

  [[nodiscard]] std::size_t column() const { return column_; }  // of bytes, from 1

 private:
  std::size_t column_;
};

// Why an expression must not use a field, as the end of a sentence about it: "belongs to `fathom
// clean`". Empty if it may.
using WhereRefusal = std::string_view (*)(WhereField field);

class Where {
 public:
  // Throws WhereError, also for a field for which `refusal` has a reason.
  [[nodiscard]] static Where parse(std::string_view text, WhereRefusal refusal = nullptr);

  // `now`: the time to which ages are relative, in seconds since the epoch. Takes time in
  // proportion to the expression.
  [[nodiscard]] bool selects(const WhereFacts& facts, std::int64_t now) const;

  // The texts with which a field is compared as a whole, not as patterns, so that a command can
  // refuse those that the field never has. Valid as long as this.
  [[nodiscard]] std::vector<std::string_view> texts(WhereField field) const;

 private:
  friend class WhereParser;

  enum class Compare : std::uint8_t { equal, unequal, less, at_most, more, at_least, like };

  // A value to compare with, as its field has it.
  struct Literal {
    std::uint64_t number = 0;  // of sizes, counts, ids and modes
    std::int64_t seconds = 0;  // of ages
    base::Moment moment;       // of times
    std::string text;          // of all others
    Glob glob{""};             // of ~
    // Of an absolute path: the directories where relative paths of entries begin, the first without
    // symbolic links.
    std::vector<std::string> folders;
  };

  // An expression is stored as it is computed: operands, then their operator.
  struct Step {
    enum class Kind : std::uint8_t { compare, conjunction, disjunction, negation };
    Kind kind = Kind::compare;
    WhereField field = WhereField::size;
    Compare compare = Compare::equal;
    std::vector<Literal> literals;  // more than one: of in, any of which is equal
  };

  enum class Truth : std::uint8_t { no, unknown, yes };

  [[nodiscard]] static Truth compared(const Step& step, const WhereFacts& facts, std::int64_t now);
  [[nodiscard]] static Truth truth_of(bool holds) { return holds ? Truth::yes : Truth::no; }
  [[nodiscard]] static Truth holds(const Step& step, const Literal& literal,
                                   const WhereValue& value, std::int64_t now);
  [[nodiscard]] static bool text_holds(const Step& step, const Literal& literal,
                                       std::string_view text);
  // Patterns and the paths that they match are compared without "./" or a slash at the beginning.
  [[nodiscard]] static std::string_view without_beginning(std::string_view path);
  [[nodiscard]] static Truth path_holds(const Step& step, const Literal& literal,
                                        std::string_view path);

  std::vector<Step> steps_;
};

// How the values of a field are written and compared.
enum class WhereType : std::uint8_t { bytes, number, mode, age, time, kind, text };

struct WhereFieldInfo {
  std::string_view name;
  WhereField field;
  WhereType type;
  std::string_view meaning;  // for the help
};

// How a Where calls a kind: "file", "dir", "link", "other".
[[nodiscard]] std::string_view kind_word(Kind kind);

// All fields, in the order of WhereField.
[[nodiscard]] const std::vector<WhereFieldInfo>& where_fields();

}  // namespace fathom::fs
