// Owners: totals by user and group.

#include "report/owners.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

// Users 1 and 2 and group 1 have names.
OwnerNames some_names() {
  const auto name_of = [](std::map<std::uint32_t, std::string> names) {
    return [names](std::uint32_t id) -> std::optional<std::string> {
      const auto found = names.find(id);
      if (found == names.end()) return std::nullopt;
      return found->second;
    };
  };
  return {.user = name_of({{1, "ann"}, {2, "bob\xff"}}), .group = name_of({{1, "staff"}})};
}

TEST(Owners, AreUsersThenGroupsTheLargestFirst) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 1, .blocks = 2, .uid = 1, .gid = 1});
  made.file(top, "a", {.size = 2, .blocks = 4, .uid = 2, .gid = 1});
  made.file(top, "b", {.size = 4, .blocks = 2, .uid = 3, .gid = 4'000'000'000});
  const Reported of(made.finish());
  EXPECT_EQ(lines(owners(of.input(), some_names())),
            (Lines{"user 2 bob\xff 1 1 2048 2 0.5", "user 1 ann 0 1 1024 1 0.25",
                   "user 3 - 1 1 1024 4 0.25", "group 1 staff 1 2 3072 3 0.75",
                   "group 4000000000 - 1 1 1024 4 0.25"}));
}

TEST(Owners, FollowTheMeasure) {
  HandMadeTree made;
  const DirId top = made.root("t", {.uid = 1});
  made.file(top, "a", {.size = 9, .blocks = 1, .uid = 2});
  made.file(top, "b", {.size = 1, .blocks = 9, .uid = 3});
  const Reported of(made.finish(), Measure::apparent);
  EXPECT_EQ(lines(owners(of.input(), some_names()), {"kind", "id", "share"}),
            (Lines{"user 2 0.9", "user 3 0.1", "user 1 0", "group 0 1"}));
}

TEST(Owners, AreLookedUpOnce) {
  HandMadeTree made;
  const DirId top = made.root("t", {.uid = 1, .gid = 1});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    made.file(top, std::to_string(i), {.uid = i % 7, .gid = i % 5});
  }
  const Reported of(made.finish());
  std::map<std::uint32_t, int> users;
  std::map<std::uint32_t, int> groups;
  const auto count_in = [](std::map<std::uint32_t, int>& asked) {
    return [&asked](std::uint32_t id) { return ++asked[id], std::optional<std::string>(); };
  };
  const Table table = owners(of.input(), {.user = count_in(users), .group = count_in(groups)});
  EXPECT_EQ(lines(table).size(), 12U);
  EXPECT_EQ(lines(table).size(), 12U);
  EXPECT_EQ(users.size(), 7U);
  EXPECT_EQ(groups.size(), 5U);
  for (const auto& asked : {users, groups}) {
    for (const auto& [id, times] : asked) EXPECT_EQ(times, 1) << id;
  }
}

TEST(Owners, CountBytesWhereTheInodeIsOwned) {
  HandMadeTree made;
  const Entry top{.inode = 5, .uid = 1};
  const Entry linked{.size = 10, .inode = 7, .uid = 1, .links = 2};
  for (int i = 0; i < 2; ++i) {  // repeated the second time
    const DirId in = made.root("t", top);
    made.file(in, "a", linked);
    made.file(in, "b", linked);
  }
  const Reported of(made.finish());
  EXPECT_EQ(lines(owners(of.input(), some_names()), {"id", "files", "entries", "apparent_bytes"}),
            (Lines{"1 2 3 10", "0 2 3 10"}));
}

TEST(Owners, Saturate) {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = kMost, .blocks = kMost});
  made.file(top, "a", {.size = kMost, .blocks = kMost});
  const Reported of(made.finish());
  EXPECT_EQ(lines(owners(of.input(), some_names()), {"disk_bytes", "apparent_bytes", "share"}),
            Lines(2, "18446744073709551615 18446744073709551615 1"));
}

TEST(OwnerNames, AreThoseOfTheSystem) {
  const OwnerNames names = system_owner_names();
  if (const auto name = names.user(0)) {
    EXPECT_EQ(*name, "root");
  } else {
    GTEST_SKIP() << "user 0 does not have a name on this system";
  }
}

TEST(OwnerNames, OfAnUnusedIdAreUnknown) {
  const OwnerNames names = system_owner_names();
  constexpr std::uint32_t kNobody = 0xfffffffe;  // not assigned on any system
  EXPECT_EQ(names.user(kNobody), std::nullopt);
  EXPECT_EQ(names.group(kNobody), std::nullopt);
}

}  // namespace
}  // namespace fathom::fs
