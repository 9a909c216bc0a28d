// The quarantine, and undoing it.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "dup_acts.h"
#include "fathom/testing/killed.h"

namespace fathom::act {
namespace {

class Quarantined : public Acts {
 protected:
  void SetUp() override {
    write("a", "same");
    write("sub/b", "same");
    write("c", "same");
    hardlink("c", "d");
    before_ = files_of(folder());
    (void)apply(plan(DupAction::quarantine, {{"a", "sub/b", "c", "d"}}));
    ASSERT_EQ(applied_.done, 3U);
    ASSERT_EQ(files_of(folder()).size(), 1U);
  }

  [[nodiscard]] UndoOptions undo_options() const {
    UndoOptions options;
    options.dry_run = false;
    options.journal = tree_.path("journal");
    options.acts_at_once = acts_at_once_;
    return options;
  }

  std::vector<Undone> undo(UndoOptions options) {
    std::vector<Undone> undone;
    options.on_file = [&](const Undone& one) { undone.push_back(one); };
    applied_ = undo_quarantine(options);
    return undone;
  }

  [[nodiscard]] std::string away(const std::string& path) const {
    return tree_.path("away") + at(path);
  }

  std::map<std::string, std::string> before_;
};

TEST_F(Quarantined, FilesKeepTheirWholePathAndFreeNothing) {
  EXPECT_EQ(read_whole(away("sub/b")), "same");
  EXPECT_TRUE(is_same_inode(away("c"), away("d")));
  EXPECT_EQ(applied_.freed, 0U);
  struct stat folder = {};
  ASSERT_EQ(::stat(tree_.path("away").c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 0777, 0700U);  // private directories stay private
}

TEST_F(Quarantined, UndoMovesEverythingBack) {
  EXPECT_EQ(undo(undo_options()).size(), 3U);
  EXPECT_EQ(applied_.done, 3U);
  EXPECT_EQ(files_of(folder()), before_);
  EXPECT_TRUE(is_same_inode(at("c"), at("d")));
  EXPECT_TRUE(std::filesystem::is_empty(tree_.path("away")));

  // Nothing is left to undo, and everything may be moved again.
  EXPECT_TRUE(undo(undo_options()).empty());
}

TEST_F(Quarantined, UndoHasADryRun) {
  UndoOptions dry = undo_options();
  dry.dry_run = true;
  dry.before_step = [](std::string_view step) { FAIL() << "a dry run made the step " << step; };
  for (const Undone& one : undo(dry)) EXPECT_EQ(one.outcome, Outcome::would_be_done) << one.path;
  EXPECT_EQ(applied_.done, 3U);
  EXPECT_EQ(files_of(folder()).size(), 1U);
}

TEST_F(Quarantined, UndoOverwritesNothing) {
  write("c", "somebody else's");
  UndoOptions dry = undo_options();
  dry.dry_run = true;
  (void)undo(dry);
  EXPECT_EQ(applied_.refused, 1U);
  for (const Undone& one : undo(undo_options())) {
    EXPECT_EQ(one.outcome, one.path == at("c") ? Outcome::refused : Outcome::done) << one.path;
  }
  EXPECT_EQ(read_whole(at("c")), "somebody else's");
  EXPECT_EQ(read_whole(away("c")), "same");
  EXPECT_EQ(applied_.refused, 1U);
  // Once the other file is gone, it can come back.
  std::filesystem::remove(at("c"));
  EXPECT_EQ(undo(undo_options()).size(), 1U);
  EXPECT_EQ(files_of(folder()), before_);
}

TEST_F(Quarantined, UndoDoesNotOverwriteAFileCreatedAtTheLastMoment) {
  UndoOptions meddled = undo_options();
  meddled.before_step = [&](std::string_view step) {
    const bool moves = step == "move back" || step == "link back";
    if (moves && !std::filesystem::exists(at("d"))) write("d", "somebody else's");
  };
  for (const Undone& one : undo(meddled)) {
    EXPECT_EQ(one.outcome, one.path == at("d") ? Outcome::refused : Outcome::done) << one.path;
  }
  EXPECT_EQ(read_whole(at("d")), "somebody else's");
  EXPECT_EQ(read_whole(away("d")), "same");
}

TEST_F(Quarantined, UndoRefusesAnotherFile) {
  std::filesystem::remove(away("sub/b"));
  std::ofstream(away("sub/b")) << "other";
  std::filesystem::remove(away("c"));
  std::filesystem::remove_all(at("sub"));
  for (const Undone& one : undo(undo_options())) {
    EXPECT_EQ(one.outcome, one.path == at("d") ? Outcome::done : Outcome::refused) << one.path;
  }
  EXPECT_EQ(read_whole(away("sub/b")), "other");
}

TEST_F(Quarantined, UndoLeavesFilesThatWereWrittenInTheQuarantine) {
  std::ofstream(away("sub/b")) << "written to";
  for (const bool dry : {true, false}) {
    UndoOptions once = undo_options();
    once.dry_run = dry;
    for (const Undone& one : undo(once)) {
      const bool is_it = one.path == at("sub/b");
      EXPECT_EQ(one.outcome == Outcome::refused, is_it) << one.path;
    }
  }
  EXPECT_EQ(read_whole(away("sub/b")), "written to");
  EXPECT_FALSE(std::filesystem::exists(at("sub/b")));
}

TEST_F(Quarantined, UndoRefusesAMissingDirectory) {
  std::filesystem::remove_all(at("sub"));
  for (const bool dry : {true, false}) {
    UndoOptions once = undo_options();
    once.dry_run = dry;
    for (const Undone& one : undo(once)) {
      const bool is_it = one.path == at("sub/b");
      EXPECT_EQ(one.outcome == Outcome::refused, is_it) << one.path << ": " << one.why;
      EXPECT_EQ(one.code, is_it ? ENOENT : 0);
    }
  }
  EXPECT_EQ(read_whole(away("sub/b")), "same");
}

TEST_F(Quarantined, UndoFollowsNoLinkInThePlaceOfTheRoot) {
  std::filesystem::rename(folder(), tree_.path("aside"));
  tree_.dir("outside/sub");
  tree_.symlink("outside", "data");
  for (const Undone& one : undo(undo_options())) EXPECT_EQ(one.outcome, Outcome::refused);
  EXPECT_TRUE(files_of(tree_.path("outside")).empty());
  std::filesystem::remove(folder());
  std::filesystem::rename(tree_.path("aside"), folder());
  (void)undo(undo_options());
  EXPECT_EQ(files_of(folder()), before_);
}

// As an interrupted move without renameat2 leaves it.
TEST_F(Quarantined, AFileWithBothNamesLosesTheOneInTheQuarantine) {
  std::filesystem::create_hard_link(away("sub/b"), at("sub/b"));
  UndoOptions dry = undo_options();
  dry.dry_run = true;
  for (const Undone& one : undo(dry)) EXPECT_EQ(one.outcome, Outcome::would_be_done) << one.path;
  EXPECT_TRUE(is_same_inode(away("sub/b"), at("sub/b")));
  for (const Undone& one : undo(undo_options())) EXPECT_EQ(one.outcome, Outcome::done) << one.path;
  EXPECT_FALSE(std::filesystem::exists(away("sub/b")));
  EXPECT_EQ(files_of(folder()), before_);
  EXPECT_TRUE(undo(undo_options()).empty());  // and the journal says so
}

TEST_F(Quarantined, AKilledUndoCanBeContinued) {
  int run = 0;
  for (;; ++run) {
    const int step = run / 2;
    SCOPED_TRACE(step);
    acts_at_once_ = run % 2 == 0 ? 1 : 64;
    const bool killed = testing::killed_at(step, [&](const testing::BeforeStep& before) {
      UndoOptions deadly = undo_options();
      deadly.before_step = before;
      (void)undo_quarantine(deadly);
    });
    for (const Undone& one : undo(undo_options())) {
      EXPECT_TRUE(one.outcome == Outcome::done || one.outcome == Outcome::done_before) << one.path;
    }
    EXPECT_EQ(files_of(folder()), before_);
    EXPECT_TRUE(files_of(tree_.path("away")).empty());
    if ((!killed && acts_at_once_ == 1) || HasFailure()) break;
    std::filesystem::remove(tree_.path("journal"));
    std::filesystem::remove_all(tree_.path("away"));
    (void)apply(plan(DupAction::quarantine, {{"a", "sub/b", "c", "d"}}));
    ASSERT_EQ(applied_.done, 3U);
  }
  EXPECT_GT(run, 20);
}

TEST_F(Quarantined, UndoAcceptsAJournalWithATornLastLine) {
  std::ofstream(tree_.path("journal"), std::ios::app) << "{\"do";
  EXPECT_EQ(undo(undo_options()).size(), 3U);
  EXPECT_EQ(files_of(folder()), before_);
  EXPECT_TRUE(undo(undo_options()).empty());  // it can still be read
}

TEST_F(Quarantined, ACancelledUndoCanBeContinued) {
  rt::CancelSource source;
  UndoOptions cancelled = undo_options();
  cancelled.cancel = source.token();
  cancelled.before_step = [&](std::string_view step) {
    if (step == "move back") source.cancel();
  };
  EXPECT_EQ(undo(cancelled).size(), 1U);  // an act that has begun is finished
  EXPECT_TRUE(applied_.cancelled);
  EXPECT_EQ(undo(undo_options()).size(), 2U);
  EXPECT_EQ(files_of(folder()), before_);
}

TEST_F(Quarantined, OnlyAQuarantineCanBeUndone) {
  write("e", "same");
  std::filesystem::remove(tree_.path("journal"));
  (void)apply(plan(DupAction::remove, {{"a", "e"}}));
  EXPECT_THROW((void)undo_quarantine(undo_options()), base::Error);
  std::filesystem::remove(tree_.path("journal"));
  EXPECT_THROW((void)undo_quarantine(undo_options()), base::Error);
}

// Each new directory is a name in another one.
TEST_F(Acts, AQuarantineIsSyncedWithAllItsDirectoriesBeforeAnActIsDone) {
  write("a", "same");
  write("deep/b", "same");
  std::vector<std::string> steps;
  ApplyOptions watched = options();
  watched.before_step = [&](std::string_view step) { steps.emplace_back(step); };
  EXPECT_EQ(apply_one(plan(DupAction::quarantine, {{"a", "deep/b"}}), watched).outcome,
            Outcome::done);
  const auto folder = std::find(steps.begin(), steps.end(), "make folder");
  ASSERT_NE(folder, steps.end());
  // The quarantine itself, and the kept file with its name.
  EXPECT_EQ(std::vector<std::string>(folder + 1, folder + 5),
            (std::vector<std::string>{"sync", "sync", "sync", "journal"}));
  const auto made = std::count(folder + 1, steps.end(), "make folder");
  EXPECT_GT(made, 2);
  const auto moved = std::find(steps.begin(), steps.end(), "move aside");
  // The parents of new directories, the new location, and the old one.
  const bool few = made + 2 <= 8;
  EXPECT_EQ(std::count(moved, steps.end(), "sync"), few ? made + 2 : 1);
  EXPECT_EQ(steps.back(), "journal");
}

// The undo of another run that uses the same quarantine removes what is empty.
TEST_F(Acts, DirectoriesThatDisappearFromTheQuarantineAreMadeAgain) {
  // The second directory is made in the first one, which is below the quarantine.
  for (const auto& [step, time] : {std::pair("make folder", 3), std::pair("move aside", 1)}) {
    SCOPED_TRACE(step);
    write("a", "same");
    write("deep/b", "same");
    int times = 0;
    ApplyOptions meddled = options();
    meddled.before_step = [&, wanted = std::string_view(step), last = time](std::string_view now) {
      if (now != wanted || ++times != last) return;
      for (const auto& top : std::filesystem::directory_iterator(tree_.path("away"))) {
        std::filesystem::remove_all(top.path());
      }
    };
    const ActResult result = apply_one(plan(DupAction::quarantine, {{"a", "deep/b"}}), meddled);
    EXPECT_EQ(result.outcome, Outcome::done) << result;
    EXPECT_GT(times, time);
    EXPECT_EQ(read_whole(tree_.path("away") + at("deep/b")), "same");
    std::filesystem::remove(tree_.path("journal"));
    std::filesystem::remove_all(tree_.path("away"));
  }
}

TEST_F(Acts, AnExistingPathInTheQuarantineIsLeftAlone) {
  write("a", "same");
  write("b", "same");
  const std::string there = tree_.path("away") + at("b");
  std::filesystem::create_directories(std::filesystem::path(there).parent_path());
  std::ofstream(there) << "older";
  for (const bool dry : {true, false}) {
    ApplyOptions once = options();
    once.dry_run = dry;
    const ActResult result = apply_one(plan(DupAction::quarantine, {{"a", "b"}}), once);
    EXPECT_EQ(result.outcome, Outcome::refused) << result;
    EXPECT_EQ(result.code, EEXIST);
  }
  EXPECT_EQ(read_whole(there), "older");
  EXPECT_EQ(read_whole(at("b")), "same");
}

TEST_F(Acts, AQuarantineBehindASymbolicLinkIsRefused) {
  write("a", "same");
  write("b", "same");
  tree_.dir("outside");
  tree_.symlink("outside", "away");
  EXPECT_THROW((void)apply(plan(DupAction::quarantine, {{"a", "b"}})), base::Error);
  EXPECT_EQ(files_of(folder()).size(), 2U);
}

TEST_F(Acts, AQuarantineNeedsAnAbsolutePath) {
  write("a", "same");
  write("b", "same");
  for (const char* path : {"", "away", "/", "/tmp/../away"}) {
    ApplyOptions wrong = options();
    wrong.quarantine = path;
    std::filesystem::remove(tree_.path("journal"));
    EXPECT_THROW((void)apply(plan(DupAction::quarantine, {{"a", "b"}}), wrong), base::Error);
  }
  EXPECT_EQ(files_of(folder()).size(), 2U);
}

}  // namespace
}  // namespace fathom::act
