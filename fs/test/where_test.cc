// Where: what expressions select, and what the messages about wrong ones say.

#include "fathom/fs/where.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/where_facts.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr std::int64_t kDay = 24LL * 60 * 60;

// An entry of which only these values are known.
struct KnownFacts : WhereFacts {
  std::map<WhereField, WhereValue> values;
  [[nodiscard]] WhereValue value(WhereField field) const override {
    const auto found = values.find(field);
    return found == values.end() ? WhereValue() : found->second;
  }
};

// A log of ana, 100 days old, 5 GiB, in /srv/a.
KnownFacts old_log() {
  KnownFacts facts;
  facts.values = {{WhereField::size, std::uint64_t{5} << 30},
                  {WhereField::age, 100 * kDay},
                  {WhereField::mtime, kNow - 100 * kDay},
                  {WhereField::owner, std::string_view("ana")},
                  {WhereField::mode, std::uint64_t{0640}},
                  {WhereField::kind, std::string_view("file")},
                  {WhereField::ext, std::string_view("log")},
                  {WhereField::name, std::string_view("big one.log")},
                  {WhereField::path, std::string_view("/srv/a/big one.log")},
                  {WhereField::depth, std::uint64_t{2}}};
  return facts;
}

bool selects(std::string_view text) {
  return Where::parse(text).selects(old_log(), kNow);
}

std::string refusal_of(std::string_view text, WhereRefusal refusal = nullptr) {
  try {
    static_cast<void>(Where::parse(text, refusal));
  } catch (const WhereError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Where, SizesAreCompared) {
  for (const char* yes : {"size > 1G", "size >= 5GiB", "size <= 5G", "size = 5G", "size != 1",
                          "size!=1", "size < 5.5GiB", "size in (1G, 5G)", "SIZE>4G"}) {
    EXPECT_TRUE(selects(yes)) << yes;
  }
  for (const char* no : {"size > 5G", "size < 5GiB", "size = 1", "size not in (1G, 5G)"}) {
    EXPECT_FALSE(selects(no)) << no;
  }
}

TEST(Where, AgesAndTimesAreCompared) {
  for (const char* yes : {"age > 90d", "age <= 101d", "mtime < 7d", "mtime > @1700000000"}) {
    EXPECT_TRUE(selects(yes)) << yes;
  }
  for (const char* no : {"age > 15w", "mtime > 2100-01-31", "mtime > today"}) {
    EXPECT_FALSE(selects(no)) << no;
  }
}

TEST(Where, TextsAreEqualOrMatchAPattern) {
  for (const char* yes : {"owner = ana", "owner != bob", "owner in (bob, ana)", "ext = LOG",
                          "ext = .log", "name = 'big one.log'", "name ~ '*.log'", "name ~ \"big*\"",
                          "path ~ /srv/**", "path ~ '**/a/*'", "path ~ '/srv/a/big*'"}) {
    EXPECT_TRUE(selects(yes)) << yes;
  }
  for (const char* no : {"owner = Ana", "name ~ big", "path ~ '/srv/*'", "path ~ '/a/**'"}) {
    EXPECT_FALSE(selects(no)) << no;
  }
}

// Whether a pattern matches a path as it is shown.
bool matches(std::string_view pattern, std::string_view path) {
  KnownFacts facts;
  facts.values = {{WhereField::path, path}};
  return Where::parse("path ~ '" + std::string(pattern) + "'").selects(facts, kNow);
}

TEST(Where, APatternForPathsMayBeWrittenAsPathsAreShown) {
  EXPECT_TRUE(matches("./a/*", "./a/b"));
  EXPECT_TRUE(matches("././a/*", "././a/b"));
  EXPECT_TRUE(matches(".//a/*", ".//a/b"));
  EXPECT_TRUE(matches("./a/*", "a/b"));
  EXPECT_TRUE(matches("/top//a/*", "/top//a/b"));
  EXPECT_TRUE(matches("/top/./a/*", "/top/./a/b"));
  EXPECT_TRUE(matches("//top/a/*", "//top/a/b"));
  EXPECT_FALSE(matches("./a/*", "./b/a/b"));
}

TEST(Where, APatternMatchesAPathWithEmptyNamesOrDots) {
  for (const char* path : {"/top//a/b", "/./top/a/b", "/top/./a/b", "//top/a/b", "/top/a/b/."}) {
    EXPECT_TRUE(matches("/top/a/*", path)) << path;
    EXPECT_TRUE(matches("**/top/a/*", path)) << path;
    EXPECT_FALSE(matches("/top/b/*", path)) << path;
  }
  EXPECT_TRUE(matches("top/a/*", "top/./a/b"));
  EXPECT_TRUE(matches("../top/a/*", "..//top/a/b"));
  EXPECT_FALSE(matches("top/a/*", "..//top/a/b"));
}

TEST(Where, AnAbsolutePatternMatchesNoRelativePathAsItIsShown) {
  for (const char* path : {"./srv/x", "srv/x", "srv//x"}) {
    EXPECT_FALSE(matches("/srv/*", path)) << path;
    EXPECT_TRUE(matches("/**/srv/x", path)) << path;  // below the current directory
    EXPECT_TRUE(matches("srv/*", path)) << path;
  }
}

TEST(Where, AnAbsolutePathIsEqualWithEmptyNamesOrDots) {
  KnownFacts facts;
  facts.values = {{WhereField::path, std::string_view("/top//./a")}};
  const auto holds = [&](const char* text) { return Where::parse(text).selects(facts, kNow); };
  EXPECT_TRUE(holds("path = '/top/a'"));
  EXPECT_TRUE(holds("path = '/top//./a'"));
  EXPECT_FALSE(holds("path != '/top/a'"));
  EXPECT_TRUE(holds("path != '/top/b'"));
}

// The name may be that of a symbolic link.
TEST(Where, AnAbsolutePathIsUnknownWhereTwoDotsComeAfterAName) {
  for (const char* path : {"/top/link/../a", "link/../a", "../link/../a"}) {
    KnownFacts facts;
    facts.values = {{WhereField::path, std::string_view(path)}};
    const auto holds = [&](const std::string& text) {
      return Where::parse(text).selects(facts, kNow);
    };
    for (const char* unknown : {"path ~ '/a*'", "path = '/top/a'", "path in ('/a', '/b')"}) {
      EXPECT_FALSE(holds(unknown)) << path;
      EXPECT_FALSE(holds("not " + std::string(unknown))) << path;
    }
    EXPECT_FALSE(holds("path != '/top/a'")) << path;
    EXPECT_FALSE(holds("not path != '/top/a'")) << path;
    EXPECT_TRUE(holds("path ~ '**/a'")) << path;
    EXPECT_TRUE(holds("not path ~ '**/b'")) << path;
    EXPECT_TRUE(holds("path = '" + std::string(path) + "'")) << path;
  }
}

TEST(Where, TwoDotsAtTheBeginningAreKnown) {
  EXPECT_TRUE(matches("/top/*", "/../top/a"));
  KnownFacts facts;
  facts.values = {{WhereField::path, std::string_view("../a")}};
  EXPECT_TRUE(Where::parse("not path = '/nowhere/a'").selects(facts, kNow));
}

TEST(Where, KindsAndModesHaveSeveralForms) {
  for (const char* yes : {"kind = file", "kind = f", "kind in (dir, regular)", "mode = 0640",
                          "mode = 640", "kind != dir"}) {
    EXPECT_TRUE(selects(yes)) << yes;
  }
}

TEST(Where, OperatorsBindAsInSql) {
  EXPECT_TRUE(selects("owner = ana or owner = bob and size < 1"));
  EXPECT_FALSE(selects("(owner = ana or owner = bob) and size < 1"));
  EXPECT_FALSE(selects("not owner = ana or size < 1"));
  EXPECT_TRUE(selects("not (owner = bob or size < 1)"));
  EXPECT_TRUE(selects("not not owner = ana"));
  EXPECT_TRUE(selects("size < 1 and size < 1 or owner = ana"));
  EXPECT_FALSE(selects("not (owner = ana) and owner = ana"));
}

TEST(Where, OperatorsOfCAreAliases) {
  EXPECT_TRUE(selects("owner == ana && !(size < 1 || owner == bob)"));
  EXPECT_TRUE(selects("owner <> bob AND NOT size < 1"));
}

TEST(Where, QuotesAreDoubledInQuotes) {
  KnownFacts facts;
  facts.values[WhereField::name] = std::string_view("it's \"x\"");
  EXPECT_TRUE(Where::parse("name = 'it''s \"x\"'").selects(facts, kNow));
  EXPECT_TRUE(Where::parse(R"(name = "it's ""x""")").selects(facts, kNow));
}

TEST(Where, WhatIsUnknownSelectsNothingAlsoUnderNot) {
  for (const char* no : {"group = staff", "not group = staff", "group != staff",
                         "not (group = staff and owner = ana)", "rule in (a, b)", "not rule ~ '*'",
                         "links > 1 or links <= 1"}) {
    EXPECT_FALSE(selects(no)) << no;
  }
  EXPECT_TRUE(selects("group = staff or owner = ana"));
  EXPECT_TRUE(selects("not (group = staff and owner = bob)"));
}

TEST(Where, ErrorsNameTheColumn) {
  EXPECT_EQ(refusal_of("size >"), "column 7: a value must come here, not the end");
  EXPECT_EQ(refusal_of("size > big"), "column 8: 'big' is not a size such as 4096, 10M or 1.5GiB");
  EXPECT_EQ(refusal_of("age > 90"), "column 7: '90' is not an age such as 12h, 90d or 8w");
  EXPECT_EQ(refusal_of("size > 1 size < 2"), "column 10: 'and' or 'or' must come before 'size'");
  EXPECT_EQ(refusal_of("(size > 1"), "column 1: the parenthesis is not closed");
  EXPECT_EQ(refusal_of("size > 1)"), "column 9: no parenthesis is open");
  EXPECT_EQ(refusal_of("name = 'x"), "column 8: the quote is not closed");
  EXPECT_EQ(refusal_of("a & b"), "column 3: '&' must be doubled");
  EXPECT_EQ(refusal_of(""), "column 1: a field must come here, not the end");
  EXPECT_EQ(refusal_of("owner < bob"), "column 7: owner has no order; compare it with = or !=");
  EXPECT_EQ(refusal_of("size ~ 1"), "column 6: '~' compares texts, and size is not a text");
  EXPECT_EQ(refusal_of("mtime = today"), "column 7: times are compared with < <= > or >=");
  EXPECT_EQ(refusal_of("owner in ana"), "column 10: '(' must come after 'in', not 'ana'");
  EXPECT_EQ(refusal_of("owner in (ana"), "column 14: ',' or ')' must come here, not the end");
  EXPECT_EQ(refusal_of("kind = socket"),
            "column 8: 'socket' is not a kind; there are file, dir, link and other");
  EXPECT_EQ(refusal_of("name ~ '[a'").substr(0, 42), "column 8: the pattern '[a' is incomplete: ");
  EXPECT_EQ(refusal_of("sise > 1").substr(0, 48),
            "column 1: there is no field 'sise'; there are si");
}

TEST(Where, ParenthesesMayBeNestedDeeply) {
  constexpr std::size_t kLevels = 100'000;
  const std::string text = std::string(kLevels, '(') + "size > 1" + std::string(kLevels, ')');
  EXPECT_TRUE(selects(text));
  EXPECT_TRUE(selects(std::string(kLevels, '!') + "size > 1"));
}

TEST(Where, RefusesFieldsThatACommandDoesNotHaveAndDoesNotNameThem) {
  const auto only_sizes = [](WhereField field) -> std::string_view {
    const bool is_size = field == WhereField::size || field == WhereField::used;
    return is_size ? "" : "is not a size";
  };
  EXPECT_EQ(refusal_of("size > 1 or name ~ 'age' and Age > 3d", only_sizes),
            "column 13: the field 'name' is not a size");
  EXPECT_EQ(refusal_of("agee > 3d", only_sizes),
            "column 1: there is no field 'agee'; there are size, used");
  EXPECT_EQ(refusal_of("SIZE > 1 or used > 2", only_sizes), "accepted");
}

TEST(Where, FieldsAreListedInTheirOrder) {
  const auto& fields = where_fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(fields[i].field), i);
  }
}

// ---- Entries of a scan

// The names of the entries that an expression selects, in no particular order.
std::vector<std::string> selected(const testing::TempTree& tree, std::string_view text) {
  ScanOptions options;
  options.roots = {tree.path()};
  const Scan scanned = scan(options);
  const Totals totals(scanned.tree);
  const Newest newest(scanned.tree, kNow);
  const OwnerNames names{[](std::uint32_t) { return std::optional<std::string>("ana"); },
                         [](std::uint32_t) { return std::optional<std::string>(); }};
  TreeFacts facts(scanned.tree, totals, newest, names, kNow);
  const Where where = Where::parse(text);
  std::vector<std::string> found;
  const auto ask = [&](NodeId node, DirId directory) {
    facts.look_at(node, directory);
    const bool is_root = scanned.tree.parent(node) == kNoDir;
    if (!is_root && where.selects(facts, kNow)) found.emplace_back(scanned.tree.name(node));
  };
  scanned.tree.for_each_directory([&](DirId id) { ask(scanned.tree.node(id), id); });
  scanned.tree.for_each_node([&](NodeId node) {
    if (scanned.tree.kind(node) != Kind::directory) ask(node, kNoDir);
  });
  return found;
}

TEST(WhereOfAScan, DirectoriesHaveTheSizesAndAgesOfEverythingInThem) {
  using Names = std::vector<std::string>;
  testing::TempTree tree;
  tree.file("old/deep/a.TXT", 9000);
  tree.mtime("old/deep/a.TXT", kNow - 100 * kDay);
  tree.file("new/b", 10);
  tree.mtime("new/b", kNow - kDay);
  for (const char* folder : {"old/deep", "old", "new"}) tree.mtime(folder, kNow - 200 * kDay);
  EXPECT_EQ(selected(tree, "kind = dir and age > 90d and depth = 1"), Names{"old"});
  EXPECT_EQ(selected(tree, "kind = dir and age < 2d"), Names{"new"});
  EXPECT_EQ(selected(tree, "size >= 9000 and kind = file"), Names{"a.TXT"});
  EXPECT_EQ(selected(tree, "ext = txt"), Names{"a.TXT"});
  EXPECT_EQ(selected(tree, "entries = 3"), Names{"old"});
  EXPECT_EQ(selected(tree, "owner = ana and path ~ '**/new/*'"), Names{"b"});
  EXPECT_EQ(selected(tree, "class = safe or not class = safe"), Names{});
}

}  // namespace
}  // namespace fathom::fs
