// How the next run handles the remains of an interrupted run when other programs have changed files
// in between.
//
// The same tests run against a kernel without openat2 and renameat2.

#include <gtest/gtest.h>

#include <string_view>

#include "dup_acts.h"

namespace fathom::act {
namespace {

class Recovered : public Acts {
 protected:
  void SetUp() override {
    write("a", "same");
    write("b", "same");
  }

  // Stops a run right before the n-th step of that name, as if it was killed there; returns whether
  // it got that far.
  bool stop_before(std::string_view step, const DupPlan& plan, int nth = 1) {
    ApplyOptions stopped = options();
    stopped.before_step = [&](std::string_view name) {
      if (name == step && --nth == 0) throw base::Error("stop");
    };
    try {
      (void)apply_plan(plan, stopped);
    } catch (const base::Error&) {
      return true;
    }
    return false;
  }
};

// The link at the victim's name is all that is left of the kept file.
TEST_F(Recovered, TheLastNameOfAChangedKeptFileIsNotRemoved) {
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
  ASSERT_TRUE(stop_before("unlink", planned));
  rewrite_in_secret(at("a"), "else");
  std::filesystem::remove(at("a"));
  const ActResult result = apply_one(planned);
  EXPECT_EQ(result.outcome, Outcome::refused) << result;
  EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"})) << result;
  // If the content exists elsewhere, it can be removed.
  const std::vector<std::string> left = temp_names_in(folder());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_NE(result.why.find(left[0]), std::string::npos) << result;
  rewrite_in_secret(at("b"), "same");
  (void)apply_one(planned);
  EXPECT_EQ(files_of(folder()), (std::map<std::string, std::string>{{"b", "same"}}));
}

// st_dev depends on the order in which disks are found, for example. Here the plan has another
// number than the filesystem, and so does the journal, which names the plan by its digest.
TEST_F(Recovered, AFileReturnsAfterItsFilesystemHasGotAnotherNumber) {
  const DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
  ASSERT_TRUE(stop_before("unlink", planned));
  DupPlan renumbered = planned;
  renumbered.groups[0].kept.identity.device = 1;
  renumbered.groups[0].acts[0].identity.device = 1;
  ApplyOptions other = options();
  other.journal = tree_.path("other journal");
  (void)apply(renumbered, other);
  const auto digest_in = [](const std::string& journal) {
    const std::string key = "\"plan\":\"";
    const std::size_t begin = journal.find(key) + key.size();
    return journal.substr(begin, journal.find('"', begin) - begin);
  };
  const std::string digest = digest_in(read_whole(tree_.path("journal")));
  const std::string new_digest = digest_in(read_whole(other.journal));
  const auto renamed = [&](std::string text) {
    return text.replace(text.find(digest), digest.size(), new_digest);
  };
  const std::string left = temp_names_in(folder()).at(0);
  std::filesystem::rename(at(left), at(renamed(left)));
  std::ofstream(other.journal) << renamed(read_whole(tree_.path("journal")));
  EXPECT_EQ(apply(renumbered, other).at(0).outcome, Outcome::refused);
  EXPECT_EQ(files_of(folder()), (std::map<std::string, std::string>{{"a", "same"}, {"b", "same"}}));
}

// Right before each step of the next run in turn, which finds the kept file changed and moves files
// back.
TEST_F(Recovered, AFileThatBlocksTheMoveBackStays) {
  for (const char* at_step : {"unlink", "exchange", "link back"}) {
    int meddled = 0;
    for (int step = 0;; ++step) {
      start_over();
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
      if (!stop_before(at_step, planned)) break;  // a step that this kernel does not take
      std::ofstream(at("a"), std::ios::binary) << "longer than it was";
      int steps = 0;
      ApplyOptions asked = options();
      asked.before_step = [&](std::string_view) {
        if (steps++ != step) return;
        write("new", "precious");
        std::filesystem::rename(at("new"), at("b"));
      };
      const ActResult result = apply_one(planned, asked);
      if (steps <= step) break;
      ++meddled;
      if (has_renameat2()) {
        EXPECT_EQ(read_whole(at("b")), "precious") << at_step << ", " << step << ": " << result;
      }
      auto contents = contents_of(folder());
      EXPECT_EQ(contents.count("precious"), 1U) << at_step << ", " << step << ": " << result;
      EXPECT_EQ(contents.count("longer than it was"), 1U) << at_step << ", " << step;
    }
    if (std::string_view(at_step) == "unlink") {
      EXPECT_GT(meddled, 1);
    }
  }
}

// An unnecessary link is all that is left of the kept file's content.
TEST_F(Recovered, ALinkThatIsTheLastNameOfTheKeptFileStays) {
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
  ASSERT_TRUE(stop_before("exchange", planned));
  std::filesystem::remove(at("a"));
  rewrite_in_secret(at("b"), "else");
  const ActResult result = apply_one(planned);
  EXPECT_EQ(result.outcome, Outcome::refused) << result;
  EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
  EXPECT_NE(result.why.find("the content of the kept file is at '"), std::string::npos) << result;
}

TEST_F(Recovered, AFileThatTookTheNameStaysAndSoDoesTheVictim) {
  for (const DupAction action : {DupAction::hardlink, DupAction::remove}) {
    start_over();
    SetUp();
    const DupPlan planned = plan(action, {{"a", "b"}});
    ASSERT_TRUE(stop_before("unlink", planned));
    write("new", "precious");
    std::filesystem::rename(at("new"), at("b"));
    const std::vector<std::string> left = temp_names_in(folder());
    ASSERT_EQ(left.size(), 1U);
    for (const bool dry : {true, false}) {
      ApplyOptions asked = options();
      asked.dry_run = dry;
      const ActResult result = apply_one(planned, asked);
      EXPECT_EQ(result.outcome, Outcome::refused) << result;
      EXPECT_NE(result.why.find(left[0]), std::string::npos) << result;
    }
    EXPECT_EQ(read_whole(at("b")), "precious");
    EXPECT_EQ(read_whole(at(left[0])), "same");
  }
}

// Nobody else creates such names by accident.
TEST_F(Recovered, AnotherProgramsFileAtATemporaryNameStays) {
  for (const bool is_kept_there : {true, false}) {
    start_over();
    SetUp();
    const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
    ASSERT_TRUE(stop_before("exchange", planned));
    const std::vector<std::string> left = temp_names_in(folder());
    ASSERT_EQ(left.size(), 1U);
    const std::string old = left[0].substr(0, left[0].size() - 4) + ".old";
    write(old, "foreign");
    if (!is_kept_there) {
      std::ofstream(at("a"), std::ios::binary) << "longer than it was";
      std::filesystem::remove(at("b"));
    }
    EXPECT_EQ(apply_one(planned).outcome, Outcome::refused);
    EXPECT_EQ(read_whole(at(old)), "foreign");
    EXPECT_EQ(std::filesystem::exists(at("b")), is_kept_there);
  }
}

// The interrupted run may have changed their ctime itself.
TEST_F(Recovered, TimesAreNotTrustedAfterAnInterruptedRun) {
  for (const DupAction action : kActionsAnywhere) {
    start_over();
    SetUp();
    const DupPlan planned = plan(action, {{"a", "b"}});
    std::filesystem::create_directory(tree_.path("away"));
    ASSERT_TRUE(stop_before(action == DupAction::hardlink ? "link" : "move aside", planned));
    rewrite_in_secret(at("b"), "else");
    ApplyOptions trusting = options();
    trusting.trust_times = true;
    const ActResult result = apply_one(planned, trusting);
    EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ": " << result;
    EXPECT_EQ(read_whole(at("b")), "else");
  }
}

// A copy that has replaced it with the same times is not the file in the plan.
TEST_F(Recovered, AFileOfTheSameSizeAndMtimeIsNotThePlannedOne) {
  for (const char* replaced : {"a", "b"}) {
    start_over();
    SetUp();
    const DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
    ASSERT_TRUE(stop_before("move aside", planned));
    write("new", "same");
    std::filesystem::last_write_time(at("new"), std::filesystem::last_write_time(at(replaced)));
    std::filesystem::rename(at("new"), at(replaced));
    const ActResult result = apply_one(planned);
    EXPECT_EQ(result.outcome, Outcome::refused) << result;
    EXPECT_NE(result.why.find("another file has its name now"), std::string::npos) << result;
    EXPECT_EQ(files_of(folder()).size(), 2U);
  }
}

TEST_F(Recovered, RemainsAreReportedUntilTheyAreRemoved) {
  EXPECT_EQ(unfinished_acts(tree_.path("journal")).acts, 0U);  // there is none
  tree_.write("empty", "");
  EXPECT_EQ(unfinished_acts(tree_.path("empty")).acts, 0U);
  write("c", "same");
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b", "c"}});
  for (const char* step : {"exchange", "unlink"}) {
    ASSERT_TRUE(stop_before(step, planned));
    const Unfinished unfinished = unfinished_acts(tree_.path("journal"));
    EXPECT_EQ(unfinished.acts, 1U);  // the other has begun as well, but has left nothing
    const std::vector<std::string> left = temp_names_in(folder());
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(unfinished.names, std::vector<std::string>{at(left[0])});
  }
  (void)apply(planned);
  EXPECT_EQ(unfinished_acts(tree_.path("journal")).acts, 0U);
}

TEST_F(Recovered, ACompletedActLeavesNothing) {
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
  ASSERT_TRUE(stop_before("exchange", planned));
  const std::vector<std::string> left = temp_names_in(folder());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(apply_one(planned).outcome, Outcome::done);
  write(left[0], "foreign");  // made by another program
  EXPECT_EQ(unfinished_acts(tree_.path("journal")).acts, 0U);
}

class RecoveredFromQuarantine : public Recovered {
 protected:
  void SetUp() override {
    Recovered::SetUp();
    planned_ = plan(DupAction::quarantine, {{"a", "b"}});
    std::filesystem::create_directory(tree_.path("away"));
    // After the move, only the line that says it is done is missing.
    ASSERT_TRUE(stop_before("journal", planned_, 3));
    ASSERT_TRUE(std::filesystem::exists(away()));
    ASSERT_FALSE(std::filesystem::exists(at("b")));
  }
  [[nodiscard]] std::string away() const { return tree_.path("away") + at("b"); }

  DupPlan planned_;
};

TEST_F(RecoveredFromQuarantine, AFileWithBothNamesLosesItsOwn) {
  std::filesystem::create_hard_link(away(), at("b"));
  EXPECT_EQ(apply_one(planned_).outcome, Outcome::done);
  EXPECT_FALSE(std::filesystem::exists(at("b")));
  EXPECT_EQ(read_whole(away()), "same");
}

TEST_F(RecoveredFromQuarantine, AnotherProgramsFileIsNotMovedBack) {
  tree_.write("foreign", "foreign");
  std::filesystem::rename(tree_.path("foreign"), away());
  std::ofstream(at("a"), std::ios::binary) << "longer than it was";
  EXPECT_EQ(apply_one(planned_).outcome, Outcome::refused);
  EXPECT_EQ(read_whole(away()), "foreign");
  EXPECT_FALSE(std::filesystem::exists(at("b")));
}

TEST_F(RecoveredFromQuarantine, AnotherProgramsFileIsNotTheMovedOne) {
  tree_.write("foreign", "same");
  std::filesystem::rename(tree_.path("foreign"), away());
  const ActResult result = apply_one(planned_);
  EXPECT_EQ(result.outcome, Outcome::refused) << result;
  EXPECT_EQ(result.why, "it no longer exists");
}

// As if the inode number was reused for another file.
TEST_F(RecoveredFromQuarantine, AFileWithAReusedInodeIsNotTheMovedOne) {
  std::ofstream(away()) << "longer than it was";
  const ActResult result = apply_one(planned_);
  EXPECT_EQ(result.outcome, Outcome::refused) << result;
  EXPECT_EQ(read_whole(away()), "longer than it was");
}

// If the kept file has changed, the victim moves back if its name is free; a dry run does not move
// it.
TEST_F(RecoveredFromQuarantine, AMovedFileReturnsOnlyToAFreeName) {
  std::ofstream(at("a"), std::ios::binary) << "longer than it was";
  write("b", "precious");
  ActResult result = apply_one(planned_);
  EXPECT_NE(result.why.find("it is in the quarantine"), std::string::npos) << result;
  EXPECT_EQ(read_whole(at("b")), "precious");
  EXPECT_EQ(read_whole(away()), "same");
  std::filesystem::remove(at("b"));
  ApplyOptions dry = options();
  dry.dry_run = true;
  result = apply_one(planned_, dry);
  EXPECT_FALSE(std::filesystem::exists(at("b")));
  result = apply_one(planned_);
  EXPECT_EQ(result.why.find("quarantine"), std::string::npos) << result;
  EXPECT_EQ(read_whole(at("b")), "same");
}

}  // namespace
}  // namespace fathom::act
