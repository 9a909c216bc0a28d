// WhereParser: turns words into the steps of a Where, with one stack for operators and no
// recursion, so that parentheses may be nested as deeply as a user likes.

#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/where.h"
#include "select/where_words.h"

namespace fathom::fs {

class WhereParser {
 public:
  WhereParser(std::string_view text, WhereRefusal refusal)
      : words_(split_where(text)), refusal_(refusal) {}

  // Throws WhereError.
  [[nodiscard]] Where parse();

 private:
  using Step = Where::Step;
  using Literal = Where::Literal;
  using Compare = Where::Compare;

  // An operator that waits for its right operand, or an open parenthesis.
  struct Waiting {
    Step::Kind kind = Step::Kind::compare;
    bool parenthesis = false;
    std::size_t column = 1;
  };

  [[nodiscard]] const WhereWord& next() const { return words_[at_]; }
  [[nodiscard]] bool is_word(std::string_view text) const;
  [[nodiscard]] bool is_mark(std::string_view text) const;
  [[noreturn]] void fail(const std::string& sentence) const;
  // "'x'", or "the end".
  [[nodiscard]] std::string shown_next() const;

  void read_operand();
  [[nodiscard]] bool read_operator();
  void read_comparison();
  // Empty if the expression may use the field.
  [[nodiscard]] std::string_view refusal_of(const WhereFieldInfo& field) const;
  // The fields that the expression may use.
  [[nodiscard]] std::string names_of_fields() const;
  [[nodiscard]] const WhereFieldInfo& read_field();
  [[nodiscard]] Compare read_compare(const WhereFieldInfo& field);
  void read_list(const WhereFieldInfo& field, Step& step);
  [[nodiscard]] Literal read_value(const WhereFieldInfo& field, Compare compare);
  [[nodiscard]] std::string kind_value(const std::string& text) const;
  void close_parenthesis();
  void apply_waiting(Step::Kind down_to);
  void apply_last();

  const std::vector<WhereWord> words_;
  const WhereRefusal refusal_;  // or nullptr
  std::size_t at_ = 0;
  std::vector<Waiting> waiting_;
  Where where_;
};

}  // namespace fathom::fs
