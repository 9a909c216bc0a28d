// WhereParser: operands and operators alternate; `not` binds more tightly than `and`, and `and`
// than `or`.

#include "select/where_parser.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/base/path.h"
#include "fathom/fs/extension.h"

namespace fathom::fs {

namespace {

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::uint64_t> whole_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

// Without symbolic links, and as the shell calls it.
std::vector<std::string> names_of_current_directory() {
  const auto physical = base::current_directory();
  if (!physical) return {};
  std::vector<std::string> names = {*physical};
  const char* const shown = std::getenv("PWD");
  const bool is_other = shown != nullptr && shown[0] == '/' && shown != *physical;
  if (is_other && base::real_path(shown) == physical) names.emplace_back(shown);
  return names;
}

// In the form of entries, for "exe", ".exe" and "EXE".
std::string extension_in(std::string text) {
  if (text.starts_with('.')) text.erase(0, 1);
  return lowered(std::move(text));
}

// What each kind may be called; the first is how facts call it.
constexpr std::string_view kKinds[][4] = {
    {"file", "f", "regular", "file"},
    {"dir", "d", "directory", "folder"},
    {"link", "l", "symlink", "link"},
    {"other", "o", "other", "other"},
};

}  // namespace

Where Where::parse(std::string_view text, WhereRefusal refusal) {
  return WhereParser(text, refusal).parse();
}

Where WhereParser::parse() {
  do {
    read_operand();
  } while (read_operator());
  while (!waiting_.empty()) {
    if (waiting_.back().parenthesis) {
      throw WhereError(waiting_.back().column, "the parenthesis is not closed");
    }
    apply_last();
  }
  return std::move(where_);
}

bool WhereParser::is_word(std::string_view text) const {
  return next().kind == WhereWord::Kind::word && same_word(next().text, text);
}

bool WhereParser::is_mark(std::string_view text) const {
  return next().kind == WhereWord::Kind::mark && next().text == text;
}

std::string WhereParser::shown_next() const {
  return next().kind == WhereWord::Kind::end ? "the end" : "'" + next().text + "'";
}

void WhereParser::fail(const std::string& sentence) const {
  throw WhereError(next().column, sentence);
}

// ---- Structure

// A comparison, with what precedes it.
void WhereParser::read_operand() {
  for (;; ++at_) {
    if (is_word("not")) {
      waiting_.push_back({Step::Kind::negation, false, next().column});
    } else if (is_mark("(")) {
      waiting_.push_back({Step::Kind::compare, true, next().column});
    } else {
      break;
    }
  }
  read_comparison();
}

// Closed parentheses, and an operator; false: the end.
bool WhereParser::read_operator() {
  for (; is_mark(")"); ++at_) close_parenthesis();
  if (next().kind == WhereWord::Kind::end) return false;
  Step::Kind kind = Step::Kind::conjunction;
  if (is_word("or")) {
    kind = Step::Kind::disjunction;
  } else if (!is_word("and")) {
    fail("'and' or 'or' must come before " + shown_next());
  }
  apply_waiting(kind);
  waiting_.push_back({kind, false, next().column});
  ++at_;
  return true;
}

void WhereParser::apply_last() {
  Step step;
  step.kind = waiting_.back().kind;
  where_.steps_.push_back(std::move(step));
  waiting_.pop_back();
}

// Applies the operators that bind at least as tightly as this one.
void WhereParser::apply_waiting(Step::Kind down_to) {
  while (!waiting_.empty() && !waiting_.back().parenthesis) {
    const bool is_looser =
        waiting_.back().kind == Step::Kind::disjunction && down_to == Step::Kind::conjunction;
    if (is_looser) return;
    apply_last();
  }
}

void WhereParser::close_parenthesis() {
  apply_waiting(Step::Kind::disjunction);
  if (waiting_.empty()) fail("no parenthesis is open");
  waiting_.pop_back();
  // A `not` before the parenthesis applies to what was in it.
  while (!waiting_.empty() && !waiting_.back().parenthesis &&
         waiting_.back().kind == Step::Kind::negation) {
    apply_last();
  }
}

// ---- Comparisons

void WhereParser::read_comparison() {
  const WhereFieldInfo& field = read_field();
  Step step;
  step.field = field.field;
  const bool negated = is_word("not");
  if (negated) ++at_;
  if (is_word("in")) {
    ++at_;
    read_list(field, step);
  } else {
    if (negated) fail("'in' must come after 'not'");
    step.compare = read_compare(field);
    step.literals.push_back(read_value(field, step.compare));
  }
  where_.steps_.push_back(std::move(step));
  if (!negated) return;
  Step negation;
  negation.kind = Step::Kind::negation;
  where_.steps_.push_back(std::move(negation));
}

std::string_view WhereParser::refusal_of(const WhereFieldInfo& field) const {
  return refusal_ == nullptr ? std::string_view() : refusal_(field.field);
}

std::string WhereParser::names_of_fields() const {
  std::string names;
  for (const WhereFieldInfo& info : where_fields()) {
    if (!refusal_of(info).empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

const WhereFieldInfo& WhereParser::read_field() {
  if (next().kind != WhereWord::Kind::word) {
    fail("a field must come here, not " + shown_next());
  }
  const auto& fields = where_fields();
  const auto found = std::find_if(fields.begin(), fields.end(), [this](const auto& info) {
    return same_word(info.name, next().text);
  });
  if (found == fields.end()) {
    fail("there is no field '" + next().text + "'; there are " + names_of_fields());
  }
  const std::string_view refusal = refusal_of(*found);
  if (!refusal.empty()) {
    fail("the field '" + std::string(found->name) + "' " + std::string(refusal));
  }
  ++at_;
  return *found;
}

Where::Compare WhereParser::read_compare(const WhereFieldInfo& field) {
  struct Row {
    std::string_view mark;
    Compare compare;
  };
  static constexpr Row kRows[] = {{"=", Compare::equal}, {"!=", Compare::unequal},
                                  {"<", Compare::less},  {"<=", Compare::at_most},
                                  {">", Compare::more},  {">=", Compare::at_least},
                                  {"~", Compare::like}};
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                       [this](const Row& one) { return is_mark(one.mark); });
  if (row == std::end(kRows)) {
    fail("one of = != < <= > >= ~ in must come after '" + std::string(field.name) + "', not " +
         shown_next());
  }
  const bool equality = row->compare == Compare::equal || row->compare == Compare::unequal;
  const bool is_text = field.type == WhereType::text;
  const bool is_moment = field.type == WhereType::age || field.type == WhereType::time;
  const bool is_name = is_text || field.type == WhereType::kind || field.type == WhereType::mode;
  if (row->compare == Compare::like && !is_text) {
    fail("'~' compares texts, and " + std::string(field.name) + " is not a text");
  }
  if (is_moment && equality) fail("times are compared with < <= > or >=");
  if (is_name && !equality && row->compare != Compare::like) {
    fail(std::string(field.name) + " has no order; compare it with = or !=");
  }
  ++at_;
  return row->compare;
}

void WhereParser::read_list(const WhereFieldInfo& field, Step& step) {
  if (field.type == WhereType::age || field.type == WhereType::time) {
    fail("times are compared with < <= > or >=");
  }
  if (!is_mark("(")) fail("'(' must come after 'in', not " + shown_next());
  do {
    ++at_;
    step.literals.push_back(read_value(field, Compare::equal));
  } while (is_mark(","));
  if (!is_mark(")")) fail("',' or ')' must come here, not " + shown_next());
  ++at_;
}

std::string WhereParser::kind_value(const std::string& text) const {
  for (const auto& names : kKinds) {
    for (const std::string_view name : names) {
      if (same_word(text, name)) return std::string(names[0]);
    }
  }
  fail("'" + text + "' is not a kind; there are file, dir, link and other");
}

Where::Literal WhereParser::read_value(const WhereFieldInfo& field, Compare compare) {
  const WhereWord& word = next();
  if (word.kind != WhereWord::Kind::word && word.kind != WhereWord::Kind::quoted) {
    fail("a value must come here, not " + shown_next());
  }
  const auto need = [&](const auto& value, std::string_view wanted) {
    if (!value) {
      fail("'" + word.text + "' is not " + std::string(wanted));
    }
    return *value;
  };
  Literal literal;
  switch (field.type) {
    case WhereType::bytes:
      literal.number = need(base::parse_bytes(word.text), "a size such as 4096, 10M or 1.5GiB");
      break;
    case WhereType::number:
      literal.number = need(whole_number(word.text, 10), "a number");
      break;
    case WhereType::mode:
      literal.number = need(whole_number(word.text, 8), "a mode in octal digits such as 0644");
      break;
    case WhereType::age:
      literal.seconds = need(base::parse_age(word.text), "an age such as 12h, 90d or 8w").count();
      break;
    case WhereType::time:
      literal.moment = need(base::parse_moment(word.text),
                            "a time such as 7d (ago), today, 2026-01-31 or 2026-01-31T08:00");
      break;
    case WhereType::kind:
      literal.text = kind_value(word.text);
      break;
    case WhereType::text:
      literal.text = field.field == WhereField::ext ? extension_in(word.text) : word.text;
      break;
  }
  const bool rooted = field.field == WhereField::path && literal.text.starts_with('/');
  if (rooted) literal.folders = names_of_current_directory();
  if (compare == Compare::like) {
    const bool is_path = field.field == WhereField::path;
    literal.glob = Glob(is_path ? Where::without_beginning(literal.text) : literal.text);
    if (literal.glob.malformed()) {
      fail("the pattern '" + word.text +
           "' is incomplete: '[' needs a ']', and a backslash a character after it");
    }
  }
  ++at_;
  return literal;
}

}  // namespace fathom::fs
