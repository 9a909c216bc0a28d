// A run that is killed before any of its steps loses nothing, and the next run completes it. The
// same for undo.

#include "fathom/testing/killed.h"
#include "item_acts.h"

namespace fathom::act {
namespace {

class KilledItems : public ItemActs {
 protected:
  // Removes a directory and a file, moves directories and a file, and includes an inode with two
  // names in an item, and another with a name outside.
  Plan fresh_plan() {
    for (const char* used : {"data", "away", "journal", "home"}) {
      std::filesystem::remove_all(tree_.path(used));
    }
    ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
    write("keep/outside", "kept");
    write("caches/a", "1");
    write("caches/deep/b", "22");
    tree_.symlink("../keep", "data/caches/link");
    tree_.hardlink("data/keep/outside", "data/caches/outside too");
    write("moved/c", "333");
    tree_.hardlink("data/moved/c", "data/moved/c too");
    write("single", "4");
    write("away too", "5");
    write("trashed/d", "6");
    return draft({{"caches", Action::remove},
                  {"single", Action::remove},
                  {"moved", Action::quarantine},
                  {"trashed", Action::trash},
                  {"away too", Action::quarantine}})
        .plan;
  }

  bool apply_killed_at(int at, const Plan& plan) {
    return testing::killed_at(at, [&](const testing::BeforeStep& before_step) {
      RunOptions deadly = options();
      deadly.before_step = before_step;
      (void)apply_plan(plan, deadly);
    });
  }

  // The first file is deleted, the second is not.
  void apply_killed_while_it_deletes(const Plan& plan) {
    EXPECT_TRUE(testing::killed_at(1, [&](const auto& kill_at) {
      RunOptions deadly = options();
      deadly.before_step = [&](std::string_view step) {
        if (step == "unlink") kill_at(step);
      };
      (void)apply_plan(plan, deadly);
    }));
  }

  bool undo_killed_at(int at) {
    return testing::killed_at(at, [&](const testing::BeforeStep& before_step) {
      RunUndoOptions deadly{.dry_run = false, .journal = tree_.path("journal")};
      deadly.before_step = before_step;
      (void)undo_run(deadly);
    });
  }
};

TEST_F(KilledItems, TheNextRunCompletesWhatAKilledRunHasBegun) {
  int at = 0;
  for (;; ++at) {
    SCOPED_TRACE("killed before step " + std::to_string(at));
    const Plan plan = fresh_plan();
    const bool killed = apply_killed_at(at, plan);
    EXPECT_EQ(listing_of(data()).at("keep/outside"), "kept");
    for (const Result& result : apply(plan)) {
      EXPECT_TRUE(result.outcome == Outcome::done || result.outcome == Outcome::done_before)
          << result.path << ": " << to_string(result.outcome) << ": " << result.why;
    }
    EXPECT_EQ(listing_of(data()),
              (std::map<std::string, std::string>{{"keep", "/"}, {"keep/outside", "kept"}}));
    const auto away = listing_of(tree_.path("away"));
    const std::string below = data().substr(1);
    EXPECT_EQ(away.at(below + "/moved/c"), "333");
    EXPECT_EQ(away.at(below + "/moved/c too"), "333");
    EXPECT_EQ(away.at(below + "/away too"), "5");
    const auto trash = listing_of(tree_.path("home/Trash"));
    EXPECT_EQ(trash.at("files/trashed/d"), "6");
    EXPECT_NE(trash.at("directorysizes").find(" trashed\n"), std::string::npos);
    EXPECT_EQ(trash.size(), 6U);  // also two directories, the item, its file and its description
    if (!killed || ::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(at, 30);
}

// Whatever its times say: tar and rsync give new files old ones.
TEST_F(KilledItems, AFileThatIsPutIntoAHalfRemovedDirectoryStays) {
  write("caches/a", "1");
  write("caches/b", "2");
  tree_.hardlink("data/caches/a", "data/caches/a again");
  const Plan plan = draft({{"caches", Action::remove}}).plan;
  apply_killed_while_it_deletes(plan);
  for (const auto& entry : std::filesystem::directory_iterator(data())) {
    const std::string staged = entry.path().string().substr(tree_.path().size() + 1);
    tree_.write(staged + "/new", "new");
    tree_.mtime(staged + "/new", 5);
  }
  apply(plan);
  EXPECT_EQ(listing_of(data()).at("caches/new"), "new");
}

// What is in it has no newer times than what was planned.
TEST_F(KilledItems, ADirectoryThatIsMovedIntoAHalfRemovedOneStays) {
  write("caches/a", "1");
  write("caches/deep/b", "2");
  write("thesis/chapters/1", "kept");
  const Plan plan = draft({{"caches", Action::remove}}).plan;
  apply_killed_while_it_deletes(plan);
  for (const auto& entry : std::filesystem::directory_iterator(data())) {
    if (entry.path().filename() == "thesis") continue;
    std::filesystem::rename(at("thesis"), entry.path() / "thesis");
    break;
  }
  const std::vector<Result> again = apply(plan);
  EXPECT_EQ(again.at(0).outcome, Outcome::failed);
  EXPECT_EQ(listing_of(data()),
            (std::map<std::string, std::string>{{"caches", "/"},
                                                {"caches/thesis", "/"},
                                                {"caches/thesis/chapters", "/"},
                                                {"caches/thesis/chapters/1", "kept"}}));
}

TEST_F(KilledItems, TheNextUndoCompletesAKilledUndo) {
  int at = 0;
  for (;; ++at) {
    SCOPED_TRACE("killed before step " + std::to_string(at));
    const Plan plan = fresh_plan();
    apply(plan);
    const bool killed = undo_killed_at(at);
    undo();
    EXPECT_EQ(undone_.refused + undone_.failed, 0U);
    const auto listing = listing_of(data());
    EXPECT_EQ(listing.at("moved/c"), "333");
    EXPECT_EQ(listing.at("away too"), "5");
    EXPECT_EQ(listing.at("trashed/d"), "6");
    EXPECT_EQ(listing.size(), 8U);
    EXPECT_EQ(listing_of(tree_.path("home/Trash")),
              (std::map<std::string, std::string>{{"files", "/"}, {"info", "/"}}));
    if (!killed || ::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(at, 15);
}

// A run that is killed and undone must give back all that it has moved.
TEST_F(KilledItems, AKilledRunCanBeUndone) {
  int at = 0;
  for (;; ++at) {
    SCOPED_TRACE("killed before step " + std::to_string(at));
    const Plan plan = fresh_plan();
    const bool killed = apply_killed_at(at, plan);
    if (std::filesystem::exists(tree_.path("journal")) &&
        !std::filesystem::is_empty(tree_.path("journal"))) {
      undo();
    }
    EXPECT_EQ(undone_.refused + undone_.failed, 0U);
    const auto listing = listing_of(data());
    for (const char* path : {"keep/outside", "moved/c", "moved/c too", "away too", "trashed/d"}) {
      EXPECT_EQ(listing.count(path), 1U) << path;
    }
    if (!killed || ::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(at, 30);
}

// The directory is put back under its name, with the entries that were not deleted yet.
TEST_F(KilledItems, AKilledRemovalGivesBackWhatItHasLeft) {
  write("caches/a", "1");
  write("caches/b", "2");
  write("caches/c", "3");
  const Plan plan = draft({{"caches", Action::remove}}).plan;
  apply_killed_while_it_deletes(plan);
  EXPECT_EQ(listing_of(data()).count("caches"), 0U);
  const std::vector<UndoneItem> items = undo();
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].outcome, Outcome::done);
  EXPECT_EQ(items[0].why, "what was not deleted yet");
  EXPECT_EQ(listing_of(data()).size(), 3U);  // the directory and two of its files
  EXPECT_EQ(listing_of(data()).count("caches"), 1U);
}

}  // namespace
}  // namespace fathom::act
