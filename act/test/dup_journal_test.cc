// The journal, and the order in which things reach the disk.
//
// The same tests run against a kernel without openat2 and renameat2.

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <string_view>

#include "dup_acts.h"
#include "fathom/testing/privileges.h"

namespace fathom::act {
namespace {

TEST_F(Acts, WithoutAWritableJournalNothingIsDone) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  tree_.dir("full");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount("tmpfs", tree_.path("full").c_str(), "tmpfs", 0, "size=4k") != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              ApplyOptions full = options();
              full.journal = tree_.path("full/journal");
              std::vector<std::string> names;
              for (int i = 0; i < 30; ++i) {  // together they need more than the one available page
                names.push_back(std::string(200, 'x') + std::to_string(i));
                write(names.back(), "same");
              }
              for (const DupAction action : kActionsAnywhere) {
                for (const ActResult& result : apply(plan(action, {names}), full)) {
                  if (result.outcome == Outcome::failed && result.code == ENOSPC) continue;
                  throw base::Error(result.path + ": " + result.why);
                }
                std::filesystem::remove(full.journal);
              }
            }),
            0);
  EXPECT_EQ(files_of(folder()).size(), 30U);
  EXPECT_FALSE(is_same_inode(at(std::string(200, 'x') + "0"), at(std::string(200, 'x') + "1")));
}

// A power cut destroys everything that is only in memory.
TEST_F(Acts, NothingIsDestroyedBeforeTheKeptFileIsSynced) {
  for (const DupAction action : {DupAction::hardlink, DupAction::remove}) {
    std::filesystem::remove_all(folder());
    std::filesystem::remove(tree_.path("journal"));
    write("a", "same");
    write("b", "same");
    std::vector<std::string> steps;
    ApplyOptions watched = options();
    watched.before_step = [&](std::string_view step) { steps.emplace_back(step); };
    EXPECT_EQ(apply_one(plan(action, {{"a", "b"}}), watched).outcome, Outcome::done);
    const std::vector<std::string> first(steps.begin(), steps.begin() + 8);
    EXPECT_EQ(first,
              (std::vector<std::string>{"journal", "sync", "sync",  // its head, and its name
                                        "sync", "sync",             // the kept file, and its name
                                        "journal", "sync",          // acts that begin
                                        action == DupAction::hardlink ? "link" : "move aside"}));
    // An act is recorded as done only after it is done.
    const std::vector<std::string> last(steps.end() - 3, steps.end());
    EXPECT_EQ(last, (std::vector<std::string>{"unlink", "sync", "journal"}));
  }
}

// The same for a batch: everything it needs is synced before its first act, and its acts are
// recorded as done only after they are on the disk.
TEST_F(Acts, ABatchIsSyncedAsAWhole) {
  constexpr int kPairs = 12;
  for (const DupAction action : kActionsAnywhere) {
    std::vector<std::vector<std::string>> pairs;
    for (int i = 0; i < kPairs; ++i) {
      pairs.push_back({std::to_string(i) + "/kept", std::to_string(i) + "/copy"});
      for (const std::string& name : pairs.back()) write(name, "same");
    }
    std::filesystem::create_directory(tree_.path("away"));
    std::string steps;
    ApplyOptions watched = options();
    watched.acts_at_once = 10;
    // Consecutive steps of the same kind count once.
    watched.before_step = [&](std::string_view step) {
      const std::string name = std::string(step) + ' ';
      const bool is_wait = step == "journal" || step.starts_with("sync") || step == "write out";
      const std::string shown = is_wait ? name : "act ";
      if (!steps.ends_with(shown)) steps += shown;
    };
    watched.on_act = [&](const Act&) { steps += "told "; };
    EXPECT_EQ(apply_plan(plan(action, pairs), watched).done, 12U);
    std::string both;
    for (int i = 0; i < 10; ++i) both += "told ";
    // One by one if the filesystem cannot be synced as a whole.
    const bool is_whole = steps.find("whole") != std::string::npos;
    const std::string many = is_whole ? "sync whole sync " : "sync ";
    EXPECT_EQ(steps, "journal sync " + (is_whole ? "write out " + many : std::string()) +
                         "journal sync act " + many + "journal " + both +  // ten
                         "sync journal sync act sync journal told told ")  // and two
        << to_string(action);
    start_over();
  }
}

// Its directory cannot be synced then.
TEST_F(Acts, AnActWhoseDirectoryIsMovedIsDoneButNotRecorded) {
  write("a", "same");
  write("deep/b", "same");
  ApplyOptions meddled = options();
  meddled.before_step = [&](std::string_view step) {
    if (step == "unlink") std::filesystem::rename(at("deep"), at("moved"));
  };
  const DupPlan planned = plan(DupAction::remove, {{"a", "deep/b"}});
  EXPECT_EQ(apply_one(planned, meddled).outcome, Outcome::done);
  EXPECT_EQ(read_whole(tree_.path("journal")).find("{\"done\""), std::string::npos);
  std::filesystem::rename(at("moved"), at("deep"));
  EXPECT_EQ(apply_one(planned).outcome, Outcome::done_before);
}

TEST_F(Acts, AGroupWhoseKeptFileIsNotAsPlannedIsNotBegun) {
  write("a", "same");
  write("b", "same");
  const DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
  write("a", "other");
  EXPECT_EQ(apply_one(planned).outcome, Outcome::refused);
  EXPECT_EQ(read_whole(tree_.path("journal")).find("{\"begin\""), std::string::npos);
}

TEST_F(Acts, APlanWithAFlawOrWithoutAJournalIsRefused) {
  write("a", "same");
  write("b", "same");
  DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
  ApplyOptions unnamed = options();
  unnamed.journal.clear();
  EXPECT_THROW((void)apply(planned, unnamed), base::Error);
  planned.groups[0].acts.push_back(planned.groups[0].kept);
  EXPECT_THROW((void)apply(planned), base::Error);
  EXPECT_FALSE(std::filesystem::exists(tree_.path("journal")));
  EXPECT_EQ(files_of(folder()).size(), 2U);
}

TEST_F(Acts, AJournalBelongsToOnePlan) {
  write("a", "same");
  write("b", "same");
  write("c", "same");
  (void)apply(plan(DupAction::hardlink, {{"a", "b"}}));
  const std::string journal = read_whole(tree_.path("journal"));
  EXPECT_THROW((void)apply(plan(DupAction::hardlink, {{"a", "c"}})), base::Error);
  EXPECT_EQ(read_whole(tree_.path("journal")), journal);
  EXPECT_FALSE(is_same_inode(at("a"), at("c")));
}

TEST_F(Acts, AFileThatIsNotAJournalIsNotChanged) {
  write("a", "same");
  write("b", "same");
  for (const char* text : {"notes", "notes\n", "{\"schema\":\"fathom.dups.plan/1\"}\n", "{}\n"}) {
    tree_.write("journal", text);
    EXPECT_THROW((void)apply(plan(DupAction::remove, {{"a", "b"}})), base::Error) << text;
    EXPECT_EQ(read_whole(tree_.path("journal")), text);
    EXPECT_EQ(files_of(folder()).size(), 2U);
  }
}

TEST_F(Acts, OneRunAtATimeUsesAJournal) {
  write("a", "same");
  write("b", "same");
  const DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
  bool refused = false;
  ApplyOptions first = options();
  first.before_step = [&](std::string_view step) {
    if (step != "move aside" || refused) return;
    EXPECT_THROW((void)apply_plan(planned, options()), base::Error);
    refused = true;
  };
  EXPECT_EQ(apply_one(planned, first).outcome, Outcome::done);
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace fathom::act
