// A disk that fails to write: nothing relies on data that is not known to be on the disk.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "dup_acts.h"
#include "dup_faulty_syncs.h"

namespace fathom::act {
namespace {

class Unwritable : public Acts {
 protected:
  static constexpr int kPairs = 6;  // more files and directories than are synced one by one

  static std::string name(int pair, const std::string& file) {
    return std::to_string(pair) + '/' + file;
  }

  DupPlan fresh_plan(DupAction action, int pairs = kPairs) {
    start_over();
    std::filesystem::create_directory(tree_.path("away"));
    std::vector<std::vector<std::string>> groups;
    for (int i = 0; i < pairs; ++i) {
      groups.push_back({name(i, "kept"), name(i, "copy")});
      for (const std::string& file : groups.back()) write(file, "pair " + std::to_string(i));
    }
    return plan(action, groups);
  }

  static bool is(int file, const fs::FileIdentity& identity) {
    struct stat seen = {};
    return ::fstat(file, &seen) == 0 && seen.st_ino == identity.inode;
  }

  [[nodiscard]] bool is_untouched(const DupPlan& planned) const {
    return std::all_of(planned.groups.begin(), planned.groups.end(), [&](const PlanGroup& group) {
      return std::filesystem::exists(at(group.acts[0].path)) &&
             identity_of(at(group.acts[0].path)) == group.acts[0].identity;
    });
  }

  // If that sync of the journal fails, counted from 0.
  void expect_nothing_done(const DupPlan& planned, int failing) {
    int calls = 0;
    const FaultySyncs faults([&](std::string_view made, int file) {
      const bool is_journal = is(file, identity_of(tree_.path("journal")));
      return made == "fsync" && is_journal && calls++ == failing ? EIO : 0;
    });
    ApplyOptions one_by_one = options();
    one_by_one.acts_at_once = 1;
    for (const ActResult& result : apply(planned, one_by_one)) {
      EXPECT_EQ(result.outcome, Outcome::failed) << result;
      EXPECT_EQ(result.code, EIO);
    }
    EXPECT_TRUE(is_untouched(planned));
  }
};

TEST_F(Unwritable, IfAKeptFileCannotBeSyncedItsCopyStaysAndTheRunContinues) {
  // EROFS: an error has made the filesystem read-only.
  for (const auto& [pairs, code] : {std::pair(2, EIO), {kPairs, EIO}, {2, EROFS}}) {
    for (const DupAction action : kActionsAnywhere) {
      const DupPlan planned = fresh_plan(action, pairs);
      const FaultySyncs faults([&, code = code](std::string_view, int file) {
        return is(file, planned.groups[1].kept.identity) ? code : 0;
      });
      const std::vector<ActResult> result = apply(planned);
      for (const ActResult& one : result) {
        const bool is_bad = one.path == name(1, "copy");
        EXPECT_EQ(one.outcome, is_bad ? Outcome::failed : Outcome::done) << one;
        EXPECT_EQ(one.code, is_bad ? code : 0);
      }
      EXPECT_EQ(identity_of(at(name(1, "copy"))), planned.groups[1].acts[0].identity);
    }
  }
}

// The kernel reports an error once. The lines that could not be written may be missing, and what
// comes after a gap is not read.
TEST_F(Unwritable, AfterOneFailedSyncOfTheJournalNothingMoreIsDone) {
  for (const DupAction action : kActionsAnywhere) {
    expect_nothing_done(fresh_plan(action), 1);
  }
}

// If syncing the whole filesystem fails, it is unknown which file caused it.
TEST_F(Unwritable, IfAFilesystemCannotBeSyncedItsFilesAreSyncedOneByOne) {
  for (const DupAction action : kActionsAnywhere) {
    const DupPlan planned = fresh_plan(action);
    int calls = 0;
    const FaultySyncs faults(
        [&](std::string_view made, int) { return made == "syncfs" && calls++ == 0 ? EIO : 0; });
    for (const ActResult& result : apply(planned))
      EXPECT_EQ(result.outcome, Outcome::done) << result;
  }
}

TEST_F(Unwritable, WithoutASyncedJournalNothingIsDone) {
  for (const DupAction action : kActionsAnywhere) {
    const DupPlan planned = fresh_plan(action);
    int calls = 0;
    const FaultySyncs faults([&](std::string_view made, int file) {
      const bool is_journal = is(file, identity_of(tree_.path("journal")));
      return made == "fsync" && is_journal && calls++ > 0 ? EIO : 0;  // except for its head
    });
    for (const ActResult& result : apply(planned)) {
      EXPECT_EQ(result.outcome, Outcome::failed) << result;
      EXPECT_EQ(result.code, EIO);
    }
    EXPECT_TRUE(is_untouched(planned));
  }
}

// All acts were begun by a run before, so this one adds no line that the journal could refuse.
TEST_F(Unwritable, TheSameHoldsForARunThatBeginsNothingNew) {
  const DupPlan planned = fresh_plan(DupAction::remove);
  ApplyOptions stopped = options();
  stopped.before_step = [](std::string_view step) {
    if (step == "move aside") throw base::Error("stop");
  };
  EXPECT_THROW((void)apply_plan(planned, stopped), base::Error);
  expect_nothing_done(planned, 0);
}

// It is not recorded as done, and the next run finds out that it is.
TEST_F(Unwritable, AnActThatIsNotSyncedIsNotReportedAsDone) {
  for (const int pairs : {1, kPairs}) {
    for (const DupAction action : kActionsAnywhere) {
      const DupPlan planned = fresh_plan(action, pairs);
      {
        bool has_acted = false;
        ApplyOptions watched = options();
        watched.before_step = [&](std::string_view step) {
          has_acted = has_acted || step == "unlink" || step == "move aside";
        };
        const FaultySyncs faults([&](std::string_view, int) { return has_acted ? EIO : 0; });
        for (const ActResult& result : apply(planned, watched)) {
          EXPECT_EQ(result.outcome, Outcome::failed) << result;
          EXPECT_EQ(result.code, EIO);
          EXPECT_NE(result.why.find("it was done, but"), std::string::npos) << result;
        }
      }
      EXPECT_EQ(read_whole(tree_.path("journal")).find("{\"done\""), std::string::npos);
      for (const ActResult& result : apply(planned))
        EXPECT_EQ(result.outcome, Outcome::done_before) << result;
    }
  }
}

// The journal can grow by only a few bytes: a partial line is removed.
TEST_F(Unwritable, AnActWithoutRoomInTheJournalIsNotReportedAsDone) {
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t room : {0, 5}) {
    for (const DupAction action : kActionsAnywhere) {
      const DupPlan planned = fresh_plan(action, 2);
      int journals = 0;
      std::uintmax_t size = 0;
      ApplyOptions watched = options();
      watched.before_step = [&](std::string_view step) {
        if (step != "journal" || ++journals != 3) return;
        size = std::filesystem::file_size(tree_.path("journal"));
        const struct rlimit limit = {static_cast<rlim_t>(size) + room, before.rlim_max};
        ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
      };
      const std::vector<ActResult> all = apply(planned, watched);
      ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
      for (const ActResult& result : all) {
        EXPECT_EQ(result.outcome, Outcome::failed) << result;
        EXPECT_EQ(result.code, EFBIG);
      }
      EXPECT_EQ(std::filesystem::file_size(tree_.path("journal")), size);
      for (const ActResult& result : apply(planned))
        EXPECT_EQ(result.outcome, Outcome::done_before) << result;
    }
  }
  (void)std::signal(SIGXFSZ, old_handler);
}

TEST_F(Unwritable, AnUndoThatIsNotSyncedIsNotReportedAsDone) {
  const DupPlan planned = fresh_plan(DupAction::quarantine);
  (void)apply(planned);
  ASSERT_EQ(applied_.done, std::uint64_t{kPairs});
  UndoOptions undo;
  undo.dry_run = false;
  undo.journal = tree_.path("journal");
  std::vector<Undone> undone;
  undo.on_file = [&](const Undone& one) { undone.push_back(one); };
  {
    const FaultySyncs faults([](std::string_view, int) { return EIO; });
    EXPECT_EQ(undo_quarantine(undo).failed, std::uint64_t{kPairs});
  }
  for (const Undone& one : undone) {
    EXPECT_EQ(one.outcome, Outcome::failed) << one.path;
    EXPECT_EQ(one.code, EIO);
  }
  EXPECT_EQ(read_whole(tree_.path("journal")).find("{\"undone\""), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(at(name(0, "copy"))));
  EXPECT_EQ(undo_quarantine(undo).done_before, std::uint64_t{kPairs});
}

}  // namespace
}  // namespace fathom::act
