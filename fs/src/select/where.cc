// Where: evaluation, with a stack of truth values.

#include "fathom/fs/where.h"

#include <algorithm>

#include "fathom/base/path.h"

namespace fathom::fs {

namespace {

// The end of a long comparison: whether a relation holds between two values.
template <class Value, class Compare>
bool related(Compare compare, const Value& a, const Value& b) {
  switch (compare) {
    case Compare::equal:
      return a == b;
    case Compare::unequal:
      return a != b;
    case Compare::less:
      return a < b;
    case Compare::at_most:
      return a <= b;
    case Compare::more:
      return a > b;
    case Compare::at_least:
      return a >= b;
    case Compare::like:
      break;
  }
  return false;
}

// Whether a path, apart from its beginning, has empty names or ".", as its root was typed.
bool has_vain_names(std::string_view path) {
  return path.ends_with('/') || path.ends_with("/.") || path.find("//") != path.npos ||
         path.find("/./") != path.npos;
}

// Without empty names and ".", beginning with a slash.
std::string without_vain_names(std::string_view path) {
  std::string names;
  names.reserve(path.size() + 1);
  for (const std::string_view name : base::names_along(path)) (names += '/') += name;
  return names;
}

// Empty if that is unknown: ".." after the name of a symbolic link leads elsewhere.
std::string absolute(std::string path, std::string_view below) {
  bool has_names = false;
  if (path == "/") path.clear();
  for (const std::string_view name : base::names_along(below)) {
    if (name != "..") {
      (path += '/') += name;
      has_names = true;
    } else if (has_names) {
      return {};
    } else {
      path.resize(std::min(path.rfind('/'), path.size()));
    }
  }
  return path.empty() ? "/" : path;
}

}  // namespace

Where::Truth Where::holds(const Step& step, const Literal& literal, const WhereValue& value,
                          std::int64_t now) {
  if (const auto* const number = std::get_if<std::uint64_t>(&value)) {
    return truth_of(related(step.compare, *number, literal.number));
  }
  if (const auto* const seconds = std::get_if<std::int64_t>(&value)) {
    const bool is_age = step.field == WhereField::age;
    const std::int64_t other = is_age ? literal.seconds : literal.moment.before(now);
    return truth_of(related(step.compare, *seconds, other));
  }
  const auto* const text = std::get_if<std::string_view>(&value);
  if (text == nullptr) return Truth::unknown;
  return step.field == WhereField::path ? path_holds(step, literal, *text)
                                        : truth_of(text_holds(step, literal, *text));
}

bool Where::text_holds(const Step& step, const Literal& literal, std::string_view text) {
  if (step.compare == Compare::like) return literal.glob.matches(text);
  return related(step.compare, text, std::string_view(literal.text));
}

std::string_view Where::without_beginning(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

Where::Truth Where::path_holds(const Step& step, const Literal& literal, std::string_view path) {
  const bool is_pattern = step.compare == Compare::like;
  const auto holds = [&](std::string_view one) {
    return text_holds(step, literal, is_pattern ? without_beginning(one) : one);
  };
  const bool all = step.compare == Compare::unequal;
  const bool is_absolute = path.starts_with('/');
  const bool is_rooted = literal.text.starts_with('/');
  // Without their beginnings, './srv/x' would match '/srv/*'.
  const bool as_shown = is_absolute || !is_rooted || !is_pattern;
  bool result = as_shown && holds(path);
  const auto add = [&](const std::string& other) {
    result = all ? result && holds(other) : result || holds(other);
  };
  if (as_shown && (is_pattern || is_absolute) && has_vain_names(path))
    add(without_vain_names(path));
  bool is_known = true;
  const auto add_below = [&](const std::string& folder) {
    const std::string whole = absolute(folder, path);
    if (whole.empty()) {
      is_known = false;
    } else {
      add(whole);
    }
  };
  if (is_absolute && is_rooted && path.find("/..") != path.npos) {
    add_below("/");
  }
  if (!is_absolute) {
    for (const std::string& folder : literal.folders) {
      const bool is_physical = folder == literal.folders.front();
      if (is_physical || !path.starts_with("..")) add_below(folder);
    }
  }
  return is_known || result != all ? truth_of(result) : Truth::unknown;
}

Where::Truth Where::compared(const Step& step, const WhereFacts& facts, std::int64_t now) {
  const WhereValue value = facts.value(step.field);
  Truth truth = Truth::no;
  for (const Literal& literal : step.literals) {
    truth = std::max(truth, holds(step, literal, value, now));
    if (truth == Truth::yes) break;
  }
  return truth;
}

bool Where::selects(const WhereFacts& facts, std::int64_t now) const {
  std::vector<Truth> stack;
  const auto take = [&stack] {
    const Truth top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::compare:
        stack.push_back(compared(step, facts, now));
        break;
      case Step::Kind::conjunction:
        stack.push_back(std::min(take(), take()));
        break;
      case Step::Kind::disjunction:
        stack.push_back(std::max(take(), take()));
        break;
      case Step::Kind::negation: {
        const Truth operand = take();
        stack.push_back(operand == Truth::unknown ? operand
                        : operand == Truth::yes   ? Truth::no
                                                  : Truth::yes);
        break;
      }
    }
  }
  return !stack.empty() && stack.back() == Truth::yes;
}

std::vector<std::string_view> Where::texts(WhereField field) const {
  std::vector<std::string_view> texts;
  for (const Step& step : steps_) {
    const bool compares = step.kind == Step::Kind::compare && step.field == field;
    if (!compares || step.compare == Compare::like) continue;
    for (const Literal& literal : step.literals) texts.push_back(literal.text);
  }
  return texts;
}

std::string_view kind_word(Kind kind) {
  switch (kind) {
    case Kind::directory:
      return "dir";
    case Kind::file:
      return "file";
    case Kind::symlink:
      return "link";
    case Kind::other:
      break;
  }
  return "other";
}

const std::vector<WhereFieldInfo>& where_fields() {
  using Field = WhereField;
  using Type = WhereType;
  static const std::vector<WhereFieldInfo> fields = {
      {"size", Field::size, Type::bytes, "apparent size, of directories with everything in them"},
      {"used", Field::used, Type::bytes, "the same on disk"},
      {"age", Field::age, Type::age, "since the last modification of it or anything in it"},
      {"mtime", Field::mtime, Type::time, "the last modification of the entry itself"},
      {"newest", Field::newest, Type::time, "the time of that modification"},
      {"owner", Field::owner, Type::text, "the name of the owner"},
      {"group", Field::group, Type::text, "the name of the group"},
      {"uid", Field::uid, Type::number, "the number of the owner"},
      {"gid", Field::gid, Type::number, "the number of the group"},
      {"mode", Field::mode, Type::mode, "the permissions, in octal digits"},
      {"kind", Field::kind, Type::kind, "file, dir, link or other"},
      {"ext", Field::ext, Type::text, "the part of the name after the last dot"},
      {"name", Field::name, Type::text, "the name"},
      {"path", Field::path, Type::text, "the whole path"},
      {"depth", Field::depth, Type::number, "levels below the PATH"},
      {"links", Field::links, Type::number, "names of the inode"},
      {"entries", Field::entries, Type::number,
       "of directories, everything in them and themselves"},
      {"rule", Field::rule, Type::text, "the rule of fathom clean"},
      {"class", Field::cls, Type::text, "its class: safe, probably, yours or tool"},
  };
  return fields;
}

}  // namespace fathom::fs
