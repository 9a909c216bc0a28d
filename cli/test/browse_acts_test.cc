// Tests of BrowseActs: what can be taken back after runs that went wrong.

#include "run/browse_acts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "fathom/act/apply.h"
#include "fathom/act/plan.h"
#include "fathom/rt/cancel.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::cli {
namespace {

using testing::TempTree;

class BrowseActsTest : public ::testing::Test {
 protected:
  BrowseActsTest() : acts_({tree_.path("top")}) {
    tree_.write("top/file", "content");
    ::setenv("XDG_STATE_HOME", tree_.path("state").c_str(), 1);
    ::setenv("XDG_DATA_HOME", tree_.path("data").c_str(), 1);
  }
  ~BrowseActsTest() override {
    ::unsetenv("XDG_STATE_HOME");
    ::unsetenv("XDG_DATA_HOME");
  }

  tui::ApplyReport apply(const std::string& path = "top/file",
                         act::Action action = act::Action::quarantine) {
    const std::vector<act::Chosen> chosen = {{.path = tree_.path(path), .action = action}};
    return acts_.apply(chosen);
  }

  [[nodiscard]] bool exists(const std::string& path) const {
    return std::filesystem::exists(tree_.path(path));
  }

  // Names of journals are times.
  [[nodiscard]] std::string newest_journal() const {
    std::string newest;
    for (const auto& entry :
         std::filesystem::directory_iterator(tree_.path("state/fathom/plans"))) {
      const std::string path = entry.path().string();
      if (path.ends_with(".journal")) newest = std::max(newest, path);
    }
    return newest;
  }

  TempTree tree_;
  BrowseActs acts_;
};

TEST_F(BrowseActsTest, AnEmptyJournalDoesNotStandInTheWayOfAnEarlierOne) {
  apply();
  tree_.write("top/file", "another");
  apply();
  EXPECT_EQ(acts_.journals().size(), 2U);
  const std::string journal = newest_journal();
  const std::string whole = tree_.path("journal");
  std::filesystem::copy_file(journal, whole);
  std::filesystem::resize_file(journal, 0);
  EXPECT_FALSE(std::filesystem::exists(tree_.path("top/file")));
  EXPECT_EQ(acts_.undo().sentence, "1 item moved back");
  EXPECT_TRUE(std::filesystem::exists(tree_.path("top/file")));
  // Leaves nothing in the quarantine.
  std::filesystem::remove(tree_.path("top/file"));
  EXPECT_EQ(act::undo_run({.dry_run = false, .journal = whole}).done, 1U);
}

TEST_F(BrowseActsTest, EachUndoTakesBackTheRunBeforeUntilNothingIsLeft) {
  tree_.write("top/other", "another");
  apply();
  EXPECT_EQ(apply("top/other").undoable, tui::Undoable::last);
  tui::UndoReport report = acts_.undo();
  EXPECT_EQ(report.sentence, "1 item moved back");
  EXPECT_EQ(report.undoable, tui::Undoable::earlier);
  EXPECT_TRUE(exists("top/other"));
  EXPECT_FALSE(exists("top/file"));
  report = acts_.undo();
  EXPECT_EQ(report.sentence, "1 item moved back");
  EXPECT_EQ(report.undoable, tui::Undoable::nothing);
  EXPECT_TRUE(exists("top/file"));
}

TEST_F(BrowseActsTest, WhatCannotBeMovedBackDoesNotStandInTheWayAndIsTriedAgain) {
  tree_.write("top/other", "another");
  apply();
  apply("top/other");
  tree_.write("top/other", "in the way");
  tui::UndoReport report = acts_.undo();
  EXPECT_EQ(report.sentence, "0 items moved back; 1 not: " + tree_.path("top/other") +
                                 ": something else has its name now");
  EXPECT_EQ(report.undoable, tui::Undoable::earlier);
  report = acts_.undo();
  EXPECT_TRUE(exists("top/file"));
  EXPECT_EQ(report.undoable, tui::Undoable::refused);
  EXPECT_EQ(acts_.undo().undoable, tui::Undoable::refused);
  std::filesystem::remove(tree_.path("top/other"));
  report = acts_.undo();
  EXPECT_EQ(report.sentence, "1 item moved back");
  EXPECT_EQ(report.undoable, tui::Undoable::nothing);
}

TEST_F(BrowseActsTest, WhatAnotherProgramHasMovedBackIsNotReplacedByAnEarlierAct) {
  tree_.write("top/other", "another");
  apply();
  apply("top/other");
  EXPECT_EQ(act::undo_run({.dry_run = false, .journal = newest_journal()}).done, 1U);
  EXPECT_EQ(acts_.undo().sentence, "nothing of it is left to move back");
  EXPECT_FALSE(exists("top/file"));
  EXPECT_EQ(acts_.undo().sentence, "1 item moved back");
  EXPECT_TRUE(exists("top/file"));
}

TEST_F(BrowseActsTest, WhatIsDeletedIsInAJournalAndLeavesOnlyEarlierRunsToTakeBack) {
  tree_.write("top/other", std::string(100'000, 'x'));
  apply();
  const tui::ApplyReport report = apply("top/other", act::Action::remove);
  EXPECT_EQ(report.moved, 1U);
  ASSERT_TRUE(report.freed);
  EXPECT_GE(report.freed->now, 100'000U);
  EXPECT_EQ(report.undoable, tui::Undoable::earlier);
  EXPECT_EQ(act::undo_run({.dry_run = true, .journal = newest_journal()}).removed_for_good, 1U);
  EXPECT_EQ(acts_.undo().sentence, "1 item moved back");
  EXPECT_TRUE(exists("top/file"));
  EXPECT_FALSE(exists("top/other"));
}

// A scan that ends while the question is shown may have taken the last entry out of it.
TEST_F(BrowseActsTest, AnEmptyPlanChangesNothing) {
  const tui::ApplyReport report = acts_.apply({});
  EXPECT_EQ(report.moved, 0U);
  EXPECT_FALSE(report.freed);
}

TEST_F(BrowseActsTest, WhatIsNeverTouchedOrHasChangedIsNotDeleted) {
  tree_.write("top/repository/.git/HEAD", "ref: refs/heads/main");
  tree_.write("top/repository/.git/objects/x", "object");
  tree_.write("top/repository/.git/refs/x", "ref");
  const tui::ApplyReport report = apply("top/repository", act::Action::remove);
  ASSERT_EQ(report.left.size(), 1U);
  EXPECT_NE(report.left[0].why.find("git"), std::string::npos) << report.left[0].why;
  std::vector<act::Chosen> chosen = {
      {.path = tree_.path("top/file"), .action = act::Action::remove}};
  chosen[0].seen = act::Seen{.inode = 1};
  EXPECT_EQ(acts_.apply(chosen).left.size(), 1U);
  EXPECT_TRUE(exists("top/file") && exists("top/repository/.git/HEAD"));
}

TEST_F(BrowseActsTest, ARootIsNotMovedByAnotherPathOrWithADirectoryAroundIt) {
  tree_.write("top/x/f/file", "content");
  tree_.symlink("x", "top/link");
  const std::string x = tree_.path("top/x");
  const auto why_left = [&](const std::string& root, const std::string& path) {
    BrowseActs acts({tree_.path("top"), root});
    const std::vector<act::Chosen> chosen = {{.path = path, .action = act::Action::quarantine}};
    const tui::ApplyReport report = acts.apply(chosen);
    return report.left.empty() ? "" : report.left[0].why;
  };
  const std::string same = tree_.path("top/link/../x");
  EXPECT_EQ(why_left(same, x), "it is a root of the scan");
  EXPECT_EQ(why_left(same, same), "it is a root of the scan");
  EXPECT_EQ(why_left(tree_.path("top/link/f"), x), "it contains a root of the scan");
  EXPECT_TRUE(std::filesystem::exists(x));
}

TEST_F(BrowseActsTest, ARunThatFailedCanBeTakenBack) {
  tree_.write("data/Trash/info", "not a directory");
  std::filesystem::permissions(tree_.path("data/Trash"), std::filesystem::perms::owner_all);
  EXPECT_EQ(apply("top/file", act::Action::trash).left.size(), 1U);
  EXPECT_EQ(acts_.journals().size(), 1U);
}

TEST_F(BrowseActsTest, ARunThatRefusedEverythingLeavesNothingToTakeBack) {
  std::filesystem::remove(tree_.path("top/file"));
  EXPECT_EQ(apply().left.size(), 1U);
  EXPECT_TRUE(acts_.journals().empty());
}

TEST_F(BrowseActsTest, AnInterruptedRunSaysWhatItHasLeft) {
  const rt::CancelSource cancelled;
  cancelled.cancel();
  const std::vector<act::Chosen> chosen = {{.path = tree_.path("top/file")}};
  const tui::ApplyReport report = acts_.apply(chosen, cancelled.token());
  ASSERT_EQ(report.left.size(), 1U);
  EXPECT_EQ(report.left[0].why, "interrupted");
  EXPECT_EQ(report.undoable, tui::Undoable::nothing);
  EXPECT_FALSE(std::filesystem::exists(tree_.path("state/fathom/plans"))) << "it did not begin";
}

TEST_F(BrowseActsTest, AnInterruptedUndoCanBeContinued) {
  apply();
  const rt::CancelSource cancelled;
  cancelled.cancel();
  const tui::UndoReport report = acts_.undo(cancelled.token());
  EXPECT_EQ(report.sentence, "0 items moved back; interrupted");
  EXPECT_EQ(report.undoable, tui::Undoable::last);
  EXPECT_EQ(acts_.undo().sentence, "1 item moved back");
}

}  // namespace
}  // namespace fathom::cli
