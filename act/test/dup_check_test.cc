// Checking a new plan: what a dry run would refuse is skipped, with the same words, and the sums
// are what the run then frees.
//
// The same tests run against a kernel without openat2 and renameat2.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "dup_acts.h"
#include "fathom/testing/privileges.h"

namespace fathom::act {
namespace {

class Checked : public Acts {
 protected:
  // a is kept, c and d are names of one file, and everything else is a file of its own.
  DupPlan fresh_plan(DupAction action) {
    start_over();
    for (const char* name : {"a", "b", "c", "sub/e", "f", "other/a", "other/b"}) {
      write(name, std::string(name).starts_with("other") ? "pairs" : "same!");
      ::chmod(at(name).c_str(), 0644);  // independent of the umask
    }
    hardlink("c", "d");
    DupPlan planned = plan(action, {{"a", "b", "c", "d", "sub/e", "f"}, {"other/a", "other/b"}});
    if (action == DupAction::quarantine) planned.quarantine = tree_.path("away");
    return planned;
  }

  // The results of a dry run, as it would compare the files again.
  std::map<std::string, ActResult> dry_run(const DupPlan& plan) {
    ApplyOptions dry = options();
    dry.dry_run = true;
    std::map<std::string, ActResult> results;
    for (ActResult& result : apply(plan, dry)) results[result.path] = std::move(result);
    return results;
  }

  static std::map<std::string, std::string> skipped_in(const DupPlan& plan) {
    std::map<std::string, std::string> skipped;
    for (const PlanGroup& group : plan.groups) {
      for (const SkippedFile& one : group.skipped) skipped[one.file.path] = one.why;
    }
    return skipped;
  }

  [[nodiscard]] std::uint64_t used_bytes() const {
    std::map<std::uint64_t, std::uint64_t> blocks;  // by inode
    for (const std::string& place : {folder(), tree_.path("away")}) {
      if (!std::filesystem::exists(place)) continue;
      for (const auto& [path, content] : files_of(place)) {
        struct stat seen = {};
        if (::lstat((place + '/' + path).c_str(), &seen) != 0) throw base::Error(path);
        blocks[seen.st_ino] = static_cast<std::uint64_t>(seen.st_blocks) * 512;
      }
    }
    std::uint64_t sum = 0;
    for (const auto& [inode, bytes] : blocks) sum += bytes;
    return sum;
  }
};

TEST_F(Checked, APlanWithoutObstaclesKeepsAllActs) {
  for (const DupAction action : kActionsAnywhere) {
    DupPlan planned = fresh_plan(action);
    const DupPlan before = planned;
    const Applied applied = check_acts(planned);
    EXPECT_EQ(planned.groups, before.groups);
    EXPECT_TRUE(applied.complete());
    ASSERT_TRUE(planned.sums);
    EXPECT_EQ(planned.sums->files, 6U);
  }
}

TEST_F(Checked, TheSumsAreWhatTheRunFrees) {
  for (const DupAction action : kActionsAnywhere) {
    DupPlan planned = fresh_plan(action);
    hardlink("f", "not in the plan");
    planned.groups[0].acts.back().identity = identity_of(at("f"));  // its ctime has changed
    (void)check_acts(planned);
    const std::uint64_t before = used_bytes();
    (void)apply(planned);
    EXPECT_EQ(applied_.done, planned.sums->files) << to_string(action);
    EXPECT_EQ(applied_.freed, planned.sums->freed) << to_string(action);
    EXPECT_EQ(applied_.held, planned.sums->held) << to_string(action);
    EXPECT_EQ(before - used_bytes(), applied_.freed) << to_string(action);
    EXPECT_EQ(applied_.freed > 0, action != DupAction::quarantine);
    if (action != DupAction::quarantine) continue;
    // The file of two names is held, the one with a name elsewhere is not.
    std::filesystem::remove_all(tree_.path("away"));
    EXPECT_EQ(before - used_bytes(), applied_.held);
    EXPECT_GT(applied_.held, 0U);
  }
}

TEST_F(Checked, WhatADryRunRefusesIsSkippedWithTheSameWords) {
  struct Obstacle {
    const char* what;
    std::function<bool()> make;  // false: needs root, or another filesystem
  };
  const Obstacle obstacles[] = {
      {"permissions", [&] { return ::chmod(at("b").c_str(), 0700) == 0; }},
      {"owner", [&] { return ::chown(at("b").c_str(), 1234, static_cast<gid_t>(-1)) == 0; }},
      {"group", [&] { return ::chown(at("c").c_str(), static_cast<uid_t>(-1), 1234) == 0; }},
      {"attribute", [&] { return ::setxattr(at("f").c_str(), "user.x", "mine", 4, 0) == 0; }},
      {"gone", [&] { return std::filesystem::remove(at("d")); }},
      {"all gone", [&] { return std::filesystem::remove_all(at("other")) > 0; }},
      {"no kept file", [&] { return std::filesystem::remove(at("a")); }},
      {"replaced",
       [&] {
         write("new", "same!");
         std::filesystem::rename(at("new"), at("b"));
         return true;
       }},
      {"rewritten",
       [&] {
         rewrite_in_secret(at("b"), "else!");
         return true;
       }},
      {"a link",
       [&] {
         std::filesystem::remove(at("f"));
         tree_.symlink("a", "data/f");
         return true;
       }},
      {"a directory that is a link",
       [&] {
         std::filesystem::rename(at("sub"), at("moved"));
         tree_.symlink("moved", "data/sub");
         return true;
       }},
      {"a name of the kept file",
       [&] {
         std::filesystem::remove(at("b"));
         hardlink("a", "b");
         return true;
       }},
      {"something in the quarantine",
       [&] {
         const std::string there = tree_.path("away") + at("b");
         std::filesystem::create_directories(std::filesystem::path(there).parent_path());
         std::ofstream(there) << "older";
         return true;
       }},
  };
  for (const DupAction action : kActions) {
    int refused = 0;
    for (const Obstacle& obstacle : obstacles) {
      SCOPED_TRACE(std::string(to_string(action)) + ", " + obstacle.what);
      DupPlan planned = fresh_plan(action);
      if (!obstacle.make()) continue;
      // As a plan would have it that was made now; but not after a change that a plan must notice.
      for (const char* same : {"permissions", "owner", "group", "attribute"}) {
        if (std::string_view(obstacle.what) != same) continue;
        for (PlanGroup& group : planned.groups) {
          for (PlanFile& file : group.acts) file.identity = identity_of(at(file.path));
        }
      }
      const auto results = dry_run(planned);
      const auto before = files_of(folder());
      const Applied applied = check_acts(planned);
      EXPECT_EQ(files_of(folder()), before);
      EXPECT_EQ(std::pair(applied.refused, applied.failed),
                std::pair(applied_.refused, applied_.failed));
      std::map<std::string, std::string> expected;
      for (const auto& [path, result] : results) {
        if (result.outcome != Outcome::would_be_done) expected[path] = result.why;
      }
      EXPECT_EQ(skipped_in(planned), expected);
      refused += expected.empty() ? 0 : 1;
      EXPECT_EQ(planned.acts() + expected.size(), 6U);

      // Then a dry run has no surprises, and promises what the plan does.
      for (const auto& [path, result] : dry_run(planned)) {
        EXPECT_EQ(result.outcome, Outcome::would_be_done) << result;
      }
      EXPECT_TRUE(applied_.complete());
      EXPECT_EQ(applied_.already_shared, 0U);
      EXPECT_EQ((PlanSums{applied_.done, applied_.freed, applied_.held}), planned.sums);
    }
    EXPECT_GE(refused, 8) << to_string(action);
  }
}

TEST_F(Checked, ADirectoryThatTheUserCannotChangeIsFoundInAdvance) {
  const DupPlan planned = fresh_plan(DupAction::remove);
  if (!testing::nobody_can_enter(folder())) GTEST_SKIP() << "another user cannot enter TMPDIR";
  for (const char* name : {"", "/sub", "/other"}) ::chmod((folder() + name).c_str(), 0555);
  EXPECT_EQ(testing::as_nobody([&] {
              DupPlan checked = planned;
              const Applied applied = check_acts(checked);
              if (applied.failed != 6) throw base::Error("not all acts failed");
              for (const auto& [path, why] : skipped_in(checked)) {
                if (why != "its directory cannot be changed: Permission denied") {
                  throw base::Error(path + ": " + why);
                }
              }
            }),
            0);
  for (const char* name : {"", "/sub", "/other"}) ::chmod((folder() + name).c_str(), 0755);
}

TEST_F(Checked, AQuarantineOnAnotherFilesystemIsFoundInAdvance) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  DupPlan planned = fresh_plan(DupAction::quarantine);
  tree_.dir("away");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount("tmpfs", tree_.path("away").c_str(), "tmpfs", 0, nullptr) != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              (void)check_acts(planned);
              const auto skipped = skipped_in(planned);
              if (planned.acts() != 0 || skipped.size() != 6) throw base::Error("an act is left");
              for (const auto& [path, why] : skipped) {
                if (why != "the quarantine is on another filesystem or mount")
                  throw base::Error(why);
              }
            }),
            0);
}

TEST_F(Checked, WithoutAQuarantineTheOtherChecksAreMade) {
  DupPlan planned = fresh_plan(DupAction::quarantine);
  planned.quarantine.clear();
  std::filesystem::remove(at("b"));
  (void)check_acts(planned);
  EXPECT_EQ(skipped_in(planned),
            (std::map<std::string, std::string>{{"b", "it no longer exists"}}));
  EXPECT_EQ(planned.sums->files, 5U);
  EXPECT_EQ(planned.sums->freed, 0U);
  EXPECT_GT(planned.sums->held, 0U);
}

TEST_F(Checked, AQuarantineThatCannotBeUsedIsRefused) {
  for (const char* path : {"away", "/", "/tmp/../away", "/no such directory/away"}) {
    DupPlan planned = fresh_plan(DupAction::quarantine);
    planned.quarantine = path;
    EXPECT_THROW((void)check_acts(planned), base::Error) << path;
  }
}

TEST_F(Checked, TheQuarantineOfThePlanIsUsed) {
  const DupPlan planned = fresh_plan(DupAction::quarantine);
  ApplyOptions other = options();
  other.quarantine = tree_.path("another");
  EXPECT_THROW((void)apply(planned, other), base::Error);
  EXPECT_FALSE(std::filesystem::exists(tree_.path("journal")));
  other.quarantine.clear();
  (void)apply(planned, other);
  EXPECT_EQ(applied_.done, 6U);
  EXPECT_EQ(read_whole(tree_.path("away") + at("b")), "same!");
  (void)apply(planned);  // the same one
  EXPECT_EQ(applied_.done_before, 6U);
}

// The quarantine may be deleted at any time.
TEST_F(Checked, AFileInTheQuarantineIsNeitherKeptNorMoved) {
  write("a", "same");
  write("away/b", "same");
  write("away of mine/c", "same");
  for (const auto& [names, refused] : {std::pair{std::vector<std::string>{"away/b", "a"}, true},
                                       {{"a", "away/b"}, true},
                                       {{"a", "away of mine/c"}, false}}) {
    DupPlan planned = plan(DupAction::quarantine, {names});
    planned.quarantine = at("away");
    const DupPlan unchecked = planned;
    (void)check_acts(planned);
    EXPECT_EQ(planned.acts(), refused ? 0U : 1U);
    ApplyOptions real = options();
    real.quarantine.clear();
    EXPECT_EQ(apply_one(unchecked, real).outcome, refused ? Outcome::refused : Outcome::done);
    std::filesystem::remove(tree_.path("journal"));
  }
  EXPECT_EQ(read_whole(at("away/b")), "same");
}

// As in a plan that an earlier version made, or a person: the search finds no such files.
TEST_F(Checked, WhatIsInAQuarantineOrATrashIsNeitherKeptNorActedOn) {
  write("a", "same");
  for (const auto& [aside, why] : {std::pair{".fathom-quarantine-0/run/b", "it belongs to Fathom"},
                                   {".Trash-1000/files/b", "it is in a trash"},
                                   {"ana/.local/share/Trash/files/b", "it is in a trash"}}) {
    write(aside, "same");
    for (const DupAction action : kActionsAnywhere) {
      for (const bool is_kept : {true, false}) {
        DupPlan planned = is_kept ? plan(action, {{aside, "a"}}) : plan(action, {{"a", aside}});
        const ActResult result = apply_one(planned);
        EXPECT_EQ(result.outcome, Outcome::refused) << result;
        EXPECT_EQ(result.why, (is_kept ? "kept file: " : "") + std::string(why));
        (void)check_acts(planned);
        ASSERT_EQ(planned.groups[0].skipped.size(), 1U);
        EXPECT_EQ(planned.groups[0].skipped[0].why, result.why);
        std::filesystem::remove(tree_.path("journal"));
      }
    }
  }
  EXPECT_EQ(files_of(folder()).size(), 4U);
}

TEST_F(Checked, WhatIsNeverTouchedKeepsItsNameButMayBeLinked) {
  write("kept", "same");
  write("base/PG_VERSION", "15");
  write("live-wal", "log");
  const std::map<std::string, std::string> never = {
      {"work/.git/HEAD", "it is inside a git directory"},
      {"module/.git", "it is a git directory"},
      {"base/1/2", "it is inside a PostgreSQL database"},
      {"live", "it is a SQLite database in use: live-wal exists"},
      {"secrets.kdbx", "it is a store of passwords"},
  };
  std::vector<std::string> names = {"kept", "base of mine", "work/file", "secrets"};
  for (const auto& [name, why] : never) names.push_back(name);
  for (std::size_t i = 1; i < names.size(); ++i) write(names[i], "same");
  const DupPlan planned = plan(DupAction::remove, {names});
  DupPlan checked = planned;
  (void)check_acts(checked);
  EXPECT_EQ(skipped_in(checked), never);
  EXPECT_EQ(checked.acts(), 3U);
  for (const ActResult& result : apply(planned)) {  // as if the plan had not been checked
    const auto refused = never.find(result.path);
    EXPECT_EQ(result.outcome, refused != never.end() ? Outcome::refused : Outcome::done) << result;
    EXPECT_EQ(result.why, refused != never.end() ? refused->second : "");
  }
  names.erase(names.begin() + 1, names.begin() + 4);
  DupPlan linked = plan(DupAction::hardlink, {names});
  (void)check_acts(linked);
  EXPECT_EQ(linked.acts(), never.size());
}

TEST_F(Checked, AResultOfFathomKeepsItsName) {
  for (const char* name : {"a", "b"}) write(name, R"({"schema":"fathom.dups.plan/1"})");
  DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
  (void)check_acts(planned);
  EXPECT_EQ(skipped_in(planned)["b"], "it is a plan, a journal or a result of Fathom");
}

TEST_F(Checked, AContradictoryPlanIsRefused) {
  DupPlan planned = fresh_plan(DupAction::remove);
  planned.groups[0].acts[0].path = "../outside";
  EXPECT_THROW((void)check_acts(planned), base::Error);
}

// Contents were compared by the search: a check reads none, but the run does.
TEST_F(Checked, ContentsAreLeftToTheRun) {
  DupPlan planned = fresh_plan(DupAction::remove);
  rewrite_in_secret(at("b"), "else!");
  planned.groups[0].acts[0].identity = identity_of(at("b"));
  (void)check_acts(planned);
  EXPECT_EQ(planned.acts(), 6U);
  const std::vector<ActResult> results = apply(planned);
  EXPECT_EQ(results[0].outcome, Outcome::refused);
  EXPECT_EQ(read_whole(at("b")), "else!");
}

}  // namespace
}  // namespace fathom::act
