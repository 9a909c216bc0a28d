// Another program swaps what a plan names for something else, at any moment: nothing outside the
// plan is touched, and what the other program has put in the place of a planned entry stays.

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "fathom/act/purge.h"
#include "fathom/base/atomic.h"
#include "fathom/base/error.h"
#include "fathom/base/statx.h"
#include "fathom/testing/privileges.h"
#include "item_acts.h"

namespace fathom::act {
namespace {

class Attacked : public ItemActs {
 protected:
  static constexpr unsigned kItems = 8;

  [[nodiscard]] static std::string name_of(unsigned i) { return "item" + std::to_string(i); }

  // Directories with files, to be planned, and a directory with precious files beside the root.
  void make_round() {
    for (const char* used : {"data", "away", "journal"}) {
      std::filesystem::remove_all(tree_.path(used));
    }
    for (unsigned i = 0; i < kItems; ++i) {
      write(name_of(i) + "/sub/a", "planned");
      write(name_of(i) + "/sub/b", "planned");
      write(name_of(i) + "/c", "planned");
    }
  }

  [[nodiscard]] Plan plan(Action action) const {
    std::vector<Chosen> chosen;
    for (unsigned i = 0; i < kItems; ++i) chosen.push_back({at(name_of(i)), action, {}});
    return draft_plan(std::move(chosen), {.roots = {data()}}).plan;
  }

  // One act of the attacker. Errors are part of the game: entries come and go.
  void strike(std::minstd_rand& random, unsigned& precious) {
    std::error_code ignored;
    const std::string item = at(name_of(random() % kItems));
    const std::string target = random() % 2 == 0 ? item : item + "/sub";
    switch (random() % 4) {
      case 0:  // a link to the precious files in its place
        std::filesystem::rename(target, at("aside" + std::to_string(random())), ignored);
        std::filesystem::create_directory_symlink(tree_.path("outside"), target, ignored);
        break;
      case 1:  // a new file in it
        std::ofstream(target + "/precious" + std::to_string(++precious)) << "precious";
        break;
      case 2:  // another directory in its place
        std::filesystem::rename(target, at("aside" + std::to_string(random())), ignored);
        std::filesystem::create_directory(target, ignored);
        std::ofstream(target + "/precious" + std::to_string(++precious)) << "precious";
        break;
      default:  // a hard link to a precious file
        std::filesystem::create_hard_link(tree_.path("outside/0"),
                                          target + "/linked" + std::to_string(random()), ignored);
    }
  }

  // The attacker itself adds files through its links.
  void expect_kept(const std::map<std::string, std::string>& outside) const {
    const auto now = listing_of(tree_.path("outside"));
    EXPECT_TRUE(std::includes(now.begin(), now.end(), outside.begin(), outside.end()));
  }

  // The precious files that exist anywhere below the tree.
  [[nodiscard]] std::set<std::string> precious_files() const {
    std::set<std::string> names;
    for (const auto& [path, content] : listing_of(tree_.path())) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (name.starts_with("precious") && content == "precious") names.insert(name);
    }
    return names;
  }
};

TEST_F(Attacked, NothingOutsideThePlanIsTouched) {
  for (unsigned i = 0; i < 5; ++i) tree_.write("outside/" + std::to_string(i), "precious");
  const auto outside = listing_of(tree_.path("outside"));
  std::minstd_rand rounds(7);
  unsigned strikes = 0;
  for (unsigned round = 0; strikes < 10'000 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    make_round();
    const Plan planned = plan(round % 2 == 0 ? Action::remove : Action::quarantine);
    base::atomic<bool> ends = false;
    std::thread attacker([&, seed = rounds()] {
      std::minstd_rand random(seed);
      unsigned precious = 0;
      for (unsigned i = 0; i < 40 || (i < 100 && !ends.load()); ++i) {
        strike(random, precious);
        ++strikes;
      }
    });
    apply(planned);
    ends = true;
    attacker.join();
    expect_kept(outside);
  }
}

// The attacker strikes between the steps of a run, so every file that it has made is known.
TEST_F(Attacked, WhatIsPutInThePlaceOfPlannedEntriesStays) {
  for (unsigned i = 0; i < 5; ++i) tree_.write("outside/" + std::to_string(i), "precious");
  const auto outside = listing_of(tree_.path("outside"));
  std::minstd_rand random(11);
  for (unsigned round = 0; round < 150 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    make_round();
    const Plan planned = plan(round % 2 == 0 ? Action::remove : Action::quarantine);
    unsigned precious = 0;
    std::set<std::string> before;
    RunOptions attacked = options();
    attacked.before_step = [&](std::string_view) {
      if (random() % 6 != 0) return;
      const std::set<std::string> now = precious_files();
      EXPECT_TRUE(std::includes(now.begin(), now.end(), before.begin(), before.end()));
      strike(random, precious);
      before = precious_files();
    };
    apply(planned, attacked);
    const std::set<std::string> after = precious_files();
    EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
    expect_kept(outside);
  }
}

// The highest directory above a path that is on the same filesystem.
std::string top_above(std::string path) {
  const auto device_of = [](const std::string& of) {
    struct stat seen = {};
    return ::stat(of.c_str(), &seen) == 0 ? seen.st_dev : 0;
  };
  const dev_t device = device_of(path);
  for (std::string above; path != "/"; path = above) {
    above = std::filesystem::path(path).parent_path();
    if (device_of(above) != device) break;
  }
  return path;
}

// Another run of this user may empty the quarantine that both use, and remove it. Here it is at the
// top of a filesystem of its own.
TEST_F(Attacked, TheQuarantineMayBeRemovedWhileItIsEmpty) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  EXPECT_EQ(
      testing::in_mount_namespace([&] {
        if (::mount("none", tree_.path().c_str(), "tmpfs", 0, nullptr) != 0) {
          throw base::SystemError("cannot mount a tmpfs", errno);
        }
        write("item", "planned");
        RunOptions meddled = options();
        meddled.quarantine.clear();
        const std::string quarantine =
            tree_.path(".fathom-quarantine-" + std::to_string(::geteuid()));
        unsigned removed = 0;
        meddled.before_step = [&](std::string_view step) {
          if (step == "make folder" && removed < 3) {
            removed += std::filesystem::remove(quarantine);
          }
        };
        const Result result = apply(draft({{"item", Action::quarantine}}).plan, meddled).at(0);
        if (result.outcome != Outcome::done) throw base::Error(result.why);
        if (removed != 3) throw base::Error("the quarantine was not removed");
        if (std::filesystem::exists(at("item"))) throw base::Error("the item was not moved");
        undo();
        if (listing_of(data()).at("item") != "planned") throw base::Error("it is not back");
      }),
      0);
}

// As a user other than root, for whom both places are new: the top of the filesystem, which may be
// a directory for everybody, and the user's state directory.
TEST_F(Attacked, NothingIsMovedIntoAQuarantineThatOthersCanEnter) {
  tree_.write("data/item", "planned");
  open_to_all();
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  const std::string state = tree_.path("state");
  ::setenv("XDG_STATE_HOME", state.c_str(), 1);
  constexpr int kHasOne = 9;
  const int status = testing::as_nobody([&] {
    std::filesystem::create_directory(state);
    const std::string number = std::to_string(::geteuid());
    const std::string at_top = top_above(data()) + "/.fathom-quarantine-" + number;
    if (std::filesystem::exists(at_top)) ::_exit(kHasOne);
    const Plan planned =
        draft_plan({{at("item"), Action::quarantine, {}}}, {.roots = {data()}}).plan;
    RunOptions attacked = options();
    attacked.quarantine.clear();
    attacked.before_step = [&](std::string_view step) {
      if (step != "make folder") return;
      for (const std::string& place : {state + "/fathom/quarantine", at_top}) {
        std::error_code ignored;
        std::filesystem::create_directories(place, ignored);
        std::filesystem::permissions(place, std::filesystem::perms::all, ignored);
      }
    };
    const Result result = apply(planned, attacked).at(0);
    std::error_code ignored;
    std::filesystem::remove(at_top, ignored);
    if (result.outcome != Outcome::failed) throw base::Error("the item was moved");
    if (result.why.find("quarantine") == std::string::npos) throw base::Error(result.why);
  });
  if (status == kHasOne) GTEST_SKIP() << "the user has a quarantine at the top of the filesystem";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(listing_of(data()).at("item"), "planned");
}

TEST_F(Attacked, NothingIsMovedIntoATrashThatOthersHaveMadeInTheMeantime) {
  ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
  write("item", "planned");
  RunOptions attacked = options();
  int journals = 0;
  attacked.before_step = [&](std::string_view step) {
    if (step != "journal" || ++journals != 2) return;  // after its head, the line of the item
    std::filesystem::create_directories(tree_.path("home/Trash/files"));
    std::filesystem::permissions(tree_.path("home/Trash"), std::filesystem::perms::all);
  };
  const Result result = apply(draft({{"item", Action::trash}}).plan, attacked).at(0);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(listing_of(data()).at("item"), "planned");
  EXPECT_TRUE(std::filesystem::is_empty(tree_.path("home/Trash/files")));
}

// The other user's trash makes room for that of this user before info/ is made, but after files/.
TEST_F(Attacked, NothingIsMovedIntoATrashThatWasReplacedInTheMeantime) {
  ::setenv("XDG_DATA_HOME", tree_.path("home").c_str(), 1);
  write("item", "planned");
  RunOptions attacked = options();
  int journals = 0;
  attacked.before_step = [&](std::string_view step) {
    if (step == "journal" && ++journals == 2) {
      std::filesystem::create_directories(tree_.path("home/Trash"));
      std::filesystem::permissions(tree_.path("home/Trash"), std::filesystem::perms::all);
    }
    std::error_code ignored;
    if (step == "make folder") {
      std::filesystem::rename(tree_.path("home/Trash"), tree_.path("home/of others"), ignored);
    }
  };
  const Result result = apply(draft({{"item", Action::trash}}).plan, attacked).at(0);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(listing_of(data()).at("item"), "planned");
}

TEST_F(Attacked, ALinkInThePlaceOfAQuarantineLeadsNowhere) {
  const std::string run = "20261129T013617Z-0d48f588";
  tree_.write("of another user/" + run + "/file", "precious");
  std::filesystem::permissions(tree_.path("of another user"), std::filesystem::perms::all);
  tree_.symlink("of another user", "quarantine");
  const PurgedRun purged = purge({tree_.path("quarantine/" + run)});
  EXPECT_FALSE(purged.why.empty());
  EXPECT_EQ(listing_of(tree_.path("of another user")).at(run + "/file"), "precious");
}

TEST_F(Attacked, UndoFollowsNoLinkInThePlaceOfTheRoot) {
  write("item", "planned");
  tree_.dir("outside");
  EXPECT_EQ(apply_one(draft({{"item", Action::quarantine}}).plan).outcome, Outcome::done);
  std::filesystem::rename(data(), tree_.path("aside"));
  tree_.symlink("outside", "data");
  undo();
  EXPECT_EQ(undone_.failed, 1U);
  EXPECT_TRUE(std::filesystem::is_empty(tree_.path("outside")));
  std::filesystem::remove(data());
  std::filesystem::rename(tree_.path("aside"), data());
  undo();
  EXPECT_EQ(listing_of(data()).at("item"), "planned");
}

TEST_F(Attacked, ApplyFollowsNoLinkInThePlaceOfTheRoot) {
  write("item", "planned");
  const Plan planned = draft({{"item", Action::remove}}).plan;
  std::filesystem::rename(data(), tree_.path("aside"));
  tree_.symlink("aside", "data");
  EXPECT_EQ(apply_one(planned).outcome, Outcome::failed);
  EXPECT_EQ(listing_of(tree_.path("aside")).at("item"), "planned");
}

// Names cannot be moved from one mount to another, even of the same filesystem.
TEST_F(Attacked, ADryRunRefusesWhatIsOnAnotherMountOfTheSameFilesystem) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  struct statx seen = {};
  const bool knows_mounts =
      ::statx(AT_FDCWD, "/", 0, STATX_MNT_ID, &seen) == 0 && (seen.stx_mask & STATX_MNT_ID) != 0;
  if (!knows_mounts) GTEST_SKIP() << "this kernel does not tell mounts apart";
  tree_.write("source/item", "planned");
  tree_.dir("data");
  tree_.dir("away");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              const std::string source = tree_.path("source");
              if (::mount(source.c_str(), data().c_str(), "", MS_BIND, nullptr) != 0) {
                throw base::SystemError("cannot bind", errno);
              }
              RunOptions dry = dry_options();
              const Plan planned = draft({{"item", Action::quarantine}}).plan;
              const Result named = apply(planned, dry).at(0);
              if (named.why != tree_.path("away") + " is on another mount of its filesystem") {
                throw base::Error(named.why);
              }
              dry.quarantine.clear();  // the one at the top of the mount
              const Result chosen = apply(planned, dry).at(0);
              if (chosen.outcome != Outcome::would_be_done) throw base::Error(chosen.why);
              RunOptions real = options();
              real.quarantine.clear();
              const Result done = apply(planned, real).at(0);
              if (done.outcome != Outcome::done) throw base::Error(done.why);
            }),
            0);
  EXPECT_FALSE(std::filesystem::exists(tree_.path("source/item")));
}

TEST_F(Attacked, ThreadsRemoveALargeDirectoryAndLeaveWhatHasChanged) {
  for (unsigned d = 0; d < 60; ++d) {
    for (unsigned f = 0; f < 90; ++f) {
      write("big/d" + std::to_string(d) + "/f" + std::to_string(f), "planned");
    }
    tree_.hardlink("data/big/d" + std::to_string(d) + "/f0",
                   "data/big/d" + std::to_string((d + 1) % 60) + "/also " + std::to_string(d));
  }
  const Plan planned = draft({{"big", Action::remove}}).plan;
  RunOptions racing = options();
  base::atomic<bool> is_first = true;
  racing.before_step = [&](std::string_view step) {
    if (step != "unlink" || !is_first.exchange(false)) return;
    for (const auto& entry : std::filesystem::directory_iterator(data())) {
      std::ofstream(entry.path() / "d59/f89") << "changed";
    }
  };
  const Result result = apply(planned, racing).at(0);
  const auto listing = listing_of(data());
  if (listing.empty()) {
    // That file had been removed before, so it is not one that has changed.
    EXPECT_EQ(result.outcome, Outcome::done);
  } else {
    EXPECT_EQ(result.outcome, Outcome::failed);
    EXPECT_EQ(listing.at("big/d59/f89"), "changed");
    EXPECT_EQ(listing.size(), 3U);
  }
}

TEST_F(Attacked, ThreadsFreeExactlyWhatWasPromised) {
  for (unsigned d = 0; d < 60; ++d) {
    for (unsigned f = 0; f < 50; ++f) {
      write("big/d" + std::to_string(d) + "/f" + std::to_string(f), "planned");
    }
  }
  for (unsigned d = 0; d < 60; ++d) {
    for (unsigned f = 0; f < 50; ++f) {
      const std::string name = "/f" + std::to_string(f);
      tree_.hardlink("data/big/d" + std::to_string(d) + name,
                     "data/big/d" + std::to_string((d + 1) % 60) + name + " too");
    }
  }
  const Draft made = draft({{"big", Action::remove}});
  apply(made.plan);
  EXPECT_EQ(applied_.done, 1U);
  EXPECT_EQ(applied_.freed, made.plan.totals->freed);
}

}  // namespace
}  // namespace fathom::act
