// Tests of fit_groups(): which groups of two lists are shown on a screen.

#include "view/fitted_groups.h"

#include <gtest/gtest.h>

#include <random>

namespace fathom::cli {
namespace {

GroupList list_of(std::vector<GroupRows> groups) {
  const std::size_t size = groups.size();
  return {std::move(groups), size};
}

constexpr RowsAround kAround = {.heading = 2, .between = 1, .marks = 2, .closing = 1};

TEST(FittedGroups, AreAllIfThereIsRoom) {
  const GroupList directories = list_of({{9, 3}, {5, 3}});
  const GroupList files = list_of({{7, 4}});
  // Two headings, the line between, and the groups; no closing line.
  EXPECT_EQ(fit_groups(directories, files, kAround, 15), (FittedGroups{2, 1}));
  EXPECT_EQ(fit_groups({}, files, kAround, 6), (FittedGroups{0, 1}));
  EXPECT_EQ(fit_groups({}, {}, kAround, 0), (FittedGroups{0, 0}));
}

TEST(FittedGroups, AreThoseThatWasteMostOfBothLists) {
  const GroupList directories = list_of({{9, 3}, {5, 3}});
  const GroupList files = list_of({{7, 4}, {6, 4}, {1, 4}});
  EXPECT_EQ(fit_groups(directories, files, kAround, 17), (FittedGroups{1, 2}));
  EXPECT_EQ(fit_groups(directories, files, kAround, 16), (FittedGroups{1, 1}));
  EXPECT_EQ(fit_groups(directories, files, kAround, 12), (FittedGroups{1, 0}));
}

TEST(FittedGroups, StopAtOneThatDoesNotFitEvenIfASmallerOneWould) {
  EXPECT_EQ(fit_groups({}, list_of({{9, 3}, {8, 9}, {7, 1}}), kAround, 10), (FittedGroups{0, 1}));
}

TEST(FittedGroups, AreAtLeastOne) {
  EXPECT_EQ(fit_groups({}, list_of({{9, 30}, {8, 1}}), kAround, 10), (FittedGroups{0, 1, false}));
  EXPECT_EQ(fit_groups(list_of({{9, 30}}), list_of({{9, 1}}), kAround, 0),
            (FittedGroups{1, 0, false}));
}

TEST(FittedGroups, LeaveRoomForTheClosingLineOnlyIfItIsNeeded) {
  const GroupList files = list_of({{9, 3}, {8, 3}});
  EXPECT_EQ(fit_groups({}, files, kAround, 8), (FittedGroups{0, 2}));
  GroupList more = files;
  more.size = 3;  // one that was not even measured
  EXPECT_EQ(fit_groups({}, more, kAround, 8), (FittedGroups{0, 1}));
  EXPECT_EQ(fit_groups({}, more, kAround, 9), (FittedGroups{0, 2}));
}

TEST(FittedGroups, LeaveRoomForTheMeaningOfMarksOnce) {
  const GroupList files = list_of({{9, 3}, {8, 3, true}, {7, 3, true}});
  EXPECT_EQ(fit_groups({}, files, kAround, 13), (FittedGroups{0, 3}));
  EXPECT_EQ(fit_groups({}, files, kAround, 12), (FittedGroups{0, 2}));
  EXPECT_EQ(fit_groups({}, files, kAround, 10), (FittedGroups{0, 1}));
}

// Of random lists: nothing overflows, the order is kept, and no room is wasted.
TEST(FittedGroups, FillTheScreen) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 2000; ++round) {
    GroupList lists[2];
    for (GroupList& list : lists) {
      std::uint64_t wasted = 100;
      for (std::size_t i = below(6); i > 0; --i) {
        wasted -= below(20);
        list.groups.push_back({wasted, 2 + below(5), below(3) == 0});
      }
      list.size = list.groups.size();
    }
    const auto needed = [&](std::size_t directories, std::size_t files) {
      std::size_t rows = directories > 0 && files > 0 ? kAround.between : 0;
      bool marked = false;
      const auto add = [&](const GroupList& list, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          rows += list.groups[i].rows;
          marked = marked || list.groups[i].marked;
        }
      };
      add(lists[0], directories);
      add(lists[1], files);
      rows += marked ? kAround.marks : 0;
      rows += (directories > 0 ? kAround.heading : 0) + (files > 0 ? kAround.heading : 0);
      const bool all = directories == lists[0].size && files == lists[1].size;
      return rows + (all ? 0 : kAround.closing);
    };
    const std::size_t rows = below(40);
    const auto [directories, files, fits] = fit_groups(lists[0], lists[1], kAround, rows);
    EXPECT_EQ(fits, needed(directories, files) <= rows || directories + files == 0);
    EXPECT_TRUE(fits || directories + files == 1);
    const bool more_directories = directories < lists[0].size;
    const bool more_files = files < lists[1].size;
    if (more_directories && files > 0) {
      EXPECT_LE(lists[0].groups[directories].wasted_bytes, lists[1].groups[files - 1].wasted_bytes);
    }
    if (more_files && directories > 0) {
      EXPECT_LE(lists[1].groups[files].wasted_bytes, lists[0].groups[directories - 1].wasted_bytes);
    }
    const bool next_is_directory =
        more_directories && (!more_files || lists[0].groups[directories].wasted_bytes >=
                                                lists[1].groups[files].wasted_bytes);
    if (!more_directories && !more_files) continue;
    EXPECT_GT(
        needed(directories + (next_is_directory ? 1 : 0), files + (next_is_directory ? 0 : 1)),
        rows);
  }
}

}  // namespace
}  // namespace fathom::cli
