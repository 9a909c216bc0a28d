// Acts on duplicates: what is done, what is refused, and that nothing else happens.
//
// The same tests run against a kernel that has neither openat2 nor renameat2.

#include "fathom/fs/dup_apply.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

#include "dup_acts.h"
#include "fathom/testing/privileges.h"

namespace fathom::fs {
namespace {

// Writes other content of the same length, with the old time of modification, until the clock of
// the filesystem has moved on.
void rewrite_in_secret(const std::string& path, const std::string& content) {
  struct stat before = {};
  struct stat now = {};
  ASSERT_EQ(::lstat(path.c_str(), &before), 0);
  do {
    std::ofstream(path, std::ios::binary) << content;
    const std::array<timespec, 2> times = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
    ASSERT_EQ(::lstat(path.c_str(), &now), 0);
  } while (now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
           now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
}

TEST_F(Acts, HardLinkMakesOneFileOfTwo) {
  write("a", "same");
  write("deep/below/b", "same");
  const Told told = apply_one(plan(DupAction::hardlink, {{"a", "deep/below/b"}}));
  EXPECT_EQ(told.outcome, Outcome::done) << told;
  EXPECT_GT(told.freed, 0U);
  EXPECT_TRUE(is_same_inode(at("a"), at("deep/below/b")));
  EXPECT_EQ(files_of(folder()).size(), 2U);
  EXPECT_TRUE(applied_.complete());
}

TEST_F(Acts, HardLinkJoinsAGroupOfAnySize) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) {
    names.push_back("folder" + std::to_string(i % 3) + "/" + std::to_string(i));
    write(names.back(), "the same in all");
  }
  const std::vector<Told> all = apply(plan(DupAction::hardlink, {names}));
  for (const Told& told : all) EXPECT_EQ(told.outcome, Outcome::done) << told;
  for (const std::string& name : names) EXPECT_TRUE(is_same_inode(at(names.front()), at(name)));
}

TEST_F(Acts, RemoveLeavesTheKeptFile) {
  write("a", "same");
  write("b", "same");
  const Told told = apply_one(plan(DupAction::remove, {{"a", "b"}}));
  EXPECT_EQ(told.outcome, Outcome::done) << told;
  EXPECT_EQ(files_of(folder()), (std::map<std::string, std::string>{{"a", "same"}}));
}

TEST_F(Acts, ADryRunSaysWhatWouldBeDoneAndChangesNothing) {
  write("a", "same");
  write("b", "same");
  write("c", "same");
  hardlink("c", "d");
  for (const DupAction action : kActionsAnywhere) {
    const DupPlan planned = plan(action, {{"a", "b", "c", "d"}});
    ApplyOptions dry = options();
    dry.dry_run = true;
    dry.before_step = [](std::string_view step) { FAIL() << "a dry run made the step " << step; };
    const FileIdentity before[] = {identity_of(at("a")), identity_of(at("b")),
                                   identity_of(at("c"))};
    const std::vector<Told> would = apply(planned, dry);
    const std::uint64_t would_free = applied_.freed;
    const FileIdentity after[] = {identity_of(at("a")), identity_of(at("b")), identity_of(at("c"))};
    EXPECT_TRUE(std::equal(std::begin(before), std::end(before), std::begin(after)));
    EXPECT_FALSE(std::filesystem::exists(tree_.path("journal")));
    EXPECT_FALSE(std::filesystem::exists(tree_.path("away")));
    ASSERT_EQ(would.size(), 3U);
    for (const Told& told : would) EXPECT_EQ(told.outcome, Outcome::would_be_done) << told;

    // And exactly that is done then.
    if (action != DupAction::hardlink) continue;
    const std::vector<Told> done = apply(planned);
    ASSERT_EQ(done.size(), 3U);
    for (std::size_t i = 0; i < done.size(); ++i) {
      EXPECT_EQ(done[i].outcome, Outcome::done) << done[i];
      EXPECT_EQ(done[i].freed, would[i].freed) << done[i];
    }
    EXPECT_EQ(applied_.freed, would_free);
    std::filesystem::remove(tree_.path("journal"));
    for (const char* name : {"a", "b", "c", "d"}) std::filesystem::remove(at(name));
    write("a", "same");
    write("b", "same");
    write("c", "same");
    hardlink("c", "d");
  }
}

TEST_F(Acts, ADryRunRefusesWhatTheActWouldRefuse) {
  write("a", "same");
  write("b", "same");
  write("c", "same");
  const DupPlan planned = plan(DupAction::remove, {{"a", "b", "c"}});
  rewrite_in_secret(at("b"), "else");
  ApplyOptions dry = options();
  dry.dry_run = true;
  const std::vector<Told> told = apply(planned, dry);
  EXPECT_EQ(told[0].outcome, Outcome::refused) << told[0];
  EXPECT_EQ(told[1].outcome, Outcome::would_be_done) << told[1];
  EXPECT_FALSE(applied_.complete());
}

// ---- T63: what has changed since it was compared ----

TEST_F(Acts, AFileThatChangedIsRefused) {  // T63
  for (const DupAction action : kActions) {
    for (const bool of_kept : {false, true}) {
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      rewrite_in_secret(at(of_kept ? "a" : "b"), "else");
      const Told told = apply_one(planned);
      EXPECT_EQ(told.outcome, Outcome::refused) << to_string(action) << ' ' << told;
      EXPECT_NE(told.why.find("ctime"), std::string::npos) << told;
      EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

TEST_F(Acts, AFileThatIsAnotherOneOrGoneIsRefused) {  // T63
  const std::function<void()> changes[] = {
      [&] { std::filesystem::remove(at("b")); },
      [&] { write("b", "same, and more"); },
      [&] {
        write("c", "same");
        std::filesystem::rename(at("c"), at("b"));
      },
      [&] { tree_.mtime("data/b", 1'000'000'000); },
      [&] {
        std::filesystem::remove(at("b"));
        tree_.dir("data/b");
      },
      [&] {
        std::filesystem::remove(at("b"));
        tree_.fifo("data/b");
      },
      [&] { std::filesystem::remove(at("a")); },
      [&] { write("a", "other"); },
  };
  for (const DupAction action : kActionsAnywhere) {
    for (const auto& change : changes) {
      std::filesystem::remove_all(folder());
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      change();
      const auto before = files_of(folder());
      const Told told = apply_one(planned);
      EXPECT_EQ(told.outcome, Outcome::refused) << to_string(action) << ' ' << told;
      EXPECT_FALSE(told.why.empty());
      EXPECT_EQ(files_of(folder()), before);
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// A change in the same tick of the clock as the comparison leaves the identity what it was.
TEST_F(Acts, YoungFilesAreComparedAgain) {  // T63
  for (const DupAction action : kActionsAnywhere) {
    write("a", "same");
    write("b", "else");
    DupPlan planned = plan(action, {{"a", "b"}});
    planned.looked_ns = planned.groups[0].kept.identity.ctime_ns;
    ApplyOptions trusting = options();
    trusting.trust_times = true;
    const Told told = apply_one(planned, trusting);
    EXPECT_EQ(told.outcome, Outcome::refused) << to_string(action) << ' ' << told;
    EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
    std::filesystem::remove(tree_.path("journal"));
  }
}

// A plan may have been edited.
TEST_F(Acts, FilesThatAPlanJoinsAlthoughTheyDifferAreRefused) {
  for (const DupAction action : kActionsAnywhere) {
    std::filesystem::remove_all(folder());
    write("a", "same");
    write("b", "else");
    write("c", "same");
    const DupPlan planned = plan(action, {{"a", "b", "c"}});
    for (const bool dry : {true, false}) {
      ApplyOptions asked = options();
      asked.dry_run = dry;
      const std::vector<Told> told = apply(planned, asked);
      EXPECT_EQ(told[0].outcome, Outcome::refused) << to_string(action) << ' ' << told[0];
      EXPECT_EQ(told[1].outcome, dry ? Outcome::would_be_done : Outcome::done) << told[1];
    }
    EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
    std::filesystem::remove(tree_.path("journal"));
    std::filesystem::remove_all(tree_.path("away"));
  }
}

TEST_F(Acts, FilesWhoseTimesAreTrustedAreNotCompared) {
  write("a", "same");
  write("b", "else");
  ApplyOptions trusting = options();
  trusting.trust_times = true;
  const Told told = apply_one(plan(DupAction::remove, {{"a", "b"}}), trusting);
  EXPECT_EQ(told.outcome, Outcome::done) << told;
}

// While a page is dirty no write to it changes a time of the file.
TEST_F(Acts, AWriteThroughAMappingIsNoticed) {
  for (const DupAction action : kActionsAnywhere) {
    for (const char* written : {"a", "b"}) {
      write("a", "same");
      write("b", "same");
      const int file = ::open(at(written).c_str(), O_RDWR | O_CLOEXEC);
      ASSERT_GE(file, 0);
      void* mapped = ::mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      ::close(file);
      ASSERT_NE(mapped, MAP_FAILED);
      auto* bytes = static_cast<volatile char*>(mapped);
      bytes[0] = 's';
      const DupPlan planned = plan(action, {{"a", "b"}});
      bytes[0] = 'l';
      const Told told = apply_one(planned);
      ::munmap(mapped, 4);
      EXPECT_EQ(told.outcome, Outcome::refused) << to_string(action) << ' ' << told;
      EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "lame"}));
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// The kept file is rewritten, and its mtime set back, right before each step in turn: the last one
// that still holds what it held does not go, unless it is at that very moment.
TEST_F(Acts, WhatTheKeptFileHeldIsNotLostWhenItChangesInSecret) {
  const std::set<std::string_view> naming = {"link", "exchange", "move back", "link back",
                                             "unlink own"};
  for (const bool trusts : {false, true}) {
    for (const DupAction action : kActionsAnywhere) {
      int held = 0;
      for (int step = 0;; ++step) {
        std::filesystem::remove_all(folder());
        std::filesystem::remove_all(tree_.path("away"));
        std::filesystem::remove(tree_.path("journal"));
        for (const char* name : {"a", "b", "c"}) write(name, "same");
        const DupPlan planned = plan(action, {{"a", "b", "c"}});
        int steps = 0;
        int journals = 0;  // the head, what begins, and then each act that is done
        std::string at_step;
        bool too_late = false;
        ApplyOptions meddled = options();
        meddled.trust_times = trusts;
        meddled.before_step = [&](std::string_view name) {
          const bool is_last = journals >= 3;
          if (name == "journal") ++journals;
          if (steps++ != step) return;
          at_step = name;
          // Between the last look and the call nothing can be asked.
          const bool is_blind = trusts && action == DupAction::hardlink && naming.count(name) == 1;
          too_late = is_blind || (is_last && name != "move aside" && name != "rename aside");
          rewrite_in_secret(at("a"), "else");
        };
        (void)apply(planned, meddled);
        if (steps <= step) break;
        if (too_late && action != DupAction::quarantine) continue;
        auto contents = contents_of(folder());
        if (std::filesystem::exists(tree_.path("away"))) {
          contents.merge(contents_of(tree_.path("away")));
        }
        EXPECT_EQ(contents, (std::set<std::string>{"same", "else"}))
            << to_string(action) << (trusts ? ", trusting" : "") << " at step " << step << ", "
            << at_step;
        EXPECT_TRUE(made_up_names_in(folder()).empty());
        ++held;
      }
      EXPECT_GT(held, 9);
    }
  }
}

// Its ctime is another one then, so that its content is asked.
TEST_F(Acts, AKeptFileThatGetsAnotherNameMeanwhileIsStillTheKeptFile) {
  for (const bool trusts : {false, true}) {
    for (const DupAction action : kActionsAnywhere) {
      std::filesystem::remove_all(folder());
      std::filesystem::remove_all(tree_.path("away"));
      std::filesystem::remove(tree_.path("journal"));
      for (const char* name : {"a", "b", "c"}) write(name, "same");
      const std::int64_t before = identity_of(at("a")).ctime_ns;
      int journals = 0;
      ApplyOptions meddled = options();
      meddled.trust_times = trusts;
      meddled.before_step = [&](std::string_view name) {
        if (name != "journal" || ++journals != 3) return;  // the first act is done
        for (int i = 0; identity_of(at("a")).ctime_ns == before; ++i) {
          hardlink("a", "name" + std::to_string(i));
        }
        hardlink("a", "last");
      };
      for (const Told& told : apply(plan(action, {{"a", "b", "c"}}), meddled)) {
        EXPECT_EQ(told.outcome, Outcome::done) << to_string(action) << ' ' << told;
      }
    }
  }
}

// ---- T64: other filesystems, and files that may have no more names ----

TEST_F(Acts, AcrossFilesystemsNothingIsJoined) {  // T64
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are refused here";
  write("a", "same");
  tree_.dir("data/far");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount("tmpfs", at("far").c_str(), "tmpfs", 0, "size=1m") != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              std::ofstream(at("far/b")) << "same";
              for (const DupAction action : kActions) {
                if (action == DupAction::remove) continue;
                const Told told = apply_one(plan(action, {{"a", "far/b"}}));
                if (told.outcome != Outcome::refused || told.code != EXDEV) {
                  throw base::Error(std::string(to_string(action)) + ": " + told.why);
                }
                if (files_of(folder()).size() != 2) throw base::Error("a file is gone");
                std::filesystem::remove(tree_.path("journal"));
              }
              // A removal does not care where the other one is.
              const Told told = apply_one(plan(DupAction::remove, {{"a", "far/b"}}));
              if (told.outcome != Outcome::done) throw base::Error(told.why);
            }),
            0);
}

TEST_F(Acts, WhenAFileMayHaveNoMoreNamesTheNextOneIsKept) {  // T64
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    names.push_back(std::to_string(i));
    write(names.back(), "same");
  }
  const DupPlan planned = plan(DupAction::hardlink, {names});
  ApplyOptions few = options();
  few.max_links = 3;
  few.dry_run = true;
  const std::vector<Told> would = apply(planned, few);
  few.dry_run = false;
  const std::vector<Told> told = apply(planned, few);
  ASSERT_EQ(told.size(), 7U);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const bool is_master = i == 2 || i == 5;
    EXPECT_EQ(told[i].outcome, is_master ? Outcome::new_master : Outcome::done) << told[i];
    EXPECT_EQ(would[i].outcome, is_master ? Outcome::new_master : Outcome::would_be_done);
  }
  EXPECT_TRUE(is_same_inode(at("0"), at("2")));
  EXPECT_TRUE(is_same_inode(at("3"), at("5")));
  EXPECT_TRUE(is_same_inode(at("6"), at("7")));
  EXPECT_FALSE(is_same_inode(at("0"), at("3")));
  EXPECT_FALSE(is_same_inode(at("3"), at("6")));
  EXPECT_EQ(files_of(folder()).size(), 8U);
  EXPECT_TRUE(applied_.complete());
}

TEST_F(Acts, TheFilesystemsOwnLimitOfNamesIsMet) {  // T64
  struct statfs filesystem = {};
  ASSERT_EQ(::statfs(tree_.path().c_str(), &filesystem), 0);
  if (filesystem.f_type != 0xEF53) GTEST_SKIP() << "this filesystem is not ext4";
  write("a", "same");
  tree_.dir("names");
  int links = 1;
  while (links < 100'000) {
    const std::string name = tree_.path("names/" + std::to_string(links));
    if (::link(at("a").c_str(), name.c_str()) != 0) break;
    ++links;
  }
  if (errno != EMLINK) GTEST_SKIP() << "a file may have more than 100,000 names here";
  write("b", "same");
  write("c", "same");
  const std::vector<Told> told = apply(plan(DupAction::hardlink, {{"a", "b", "c"}}));
  EXPECT_EQ(told[0].outcome, Outcome::new_master) << told[0];
  EXPECT_EQ(told[1].outcome, Outcome::done) << told[1];
  EXPECT_TRUE(is_same_inode(at("b"), at("c")));
  EXPECT_TRUE(made_up_names_in(folder()).empty());
}

// ---- T66: what two files would share that one alone may ----

TEST_F(Acts, HardLinksNeedTheSameAccess) {  // T66
  const auto set_list = [&](const char* path) {
    // Version 2: owner rw, user 1234 r, group r, mask r, others none.
    struct Item {
      std::uint16_t tag, permissions;
      std::uint32_t id;
    };
    struct {
      std::uint32_t version = 2;
      Item items[5] = {{1, 6, 0xffffffff},
                       {2, 4, 1234},
                       {4, 4, 0xffffffff},
                       {16, 4, 0xffffffff},
                       {32, 0, 0xffffffff}};
    } list;
    return ::setxattr(at(path).c_str(), "system.posix_acl_access", &list, sizeof list, 0) == 0;
  };
  struct Case {
    const char* difference;
    std::function<bool()> make;
  };
  const Case cases[] = {
      {"permissions", [&] { return ::chmod(at("b").c_str(), 0600) == 0; }},
      {"owner", [&] { return ::chown(at("b").c_str(), 1234, static_cast<gid_t>(-1)) == 0; }},
      {"group", [&] { return ::chown(at("b").c_str(), static_cast<uid_t>(-1), 1234) == 0; }},
      {"access control list",
       [&] {
         ::chmod(at("a").c_str(), 0640);  // as the list makes it look
         return set_list("b");
       }},
      {"user.note", [&] { return ::setxattr(at("b").c_str(), "user.note", "mine", 4, 0) == 0; }},
      {"user.note", [&] { return ::setxattr(at("a").c_str(), "user.note", "mine", 4, 0) == 0; }},
  };
  for (const Case& test : cases) {
    std::filesystem::remove_all(folder());
    write("a", "same");
    write("b", "same");
    if (!test.make()) continue;  // takes root, or a filesystem that has such a thing
    const Told told = apply_one(plan(DupAction::hardlink, {{"a", "b"}}));
    EXPECT_EQ(told.outcome, Outcome::refused) << told;
    EXPECT_NE(told.why.find(test.difference), std::string::npos) << told;
    EXPECT_FALSE(is_same_inode(at("a"), at("b")));
    std::filesystem::remove(tree_.path("journal"));
    // Nobody gains or loses access by a removal.
    EXPECT_EQ(apply_one(plan(DupAction::remove, {{"a", "b"}})).outcome, Outcome::done);
    std::filesystem::remove(tree_.path("journal"));
  }
}

// ---- T67, T68: names of one file ----

TEST_F(Acts, AGroupThatIsPartlyLinkedIsJoinedWhole) {  // T67
  write("a", "same");
  hardlink("a", "a2");
  write("b", "same");
  hardlink("b", "b2");
  hardlink("b", "b3");
  const std::vector<Told> told = apply(plan(DupAction::hardlink, {{"a", "b", "b2", "b3"}}));
  ASSERT_EQ(told.size(), 3U);
  for (const Told& one : told) EXPECT_EQ(one.outcome, Outcome::done) << one;
  EXPECT_EQ(told[0].freed, 0U);  // other names hold on to it
  EXPECT_EQ(told[1].freed, 0U);
  EXPECT_GT(told[2].freed, 0U);
  for (const char* name : {"a2", "b", "b2", "b3"}) EXPECT_TRUE(is_same_inode(at("a"), at(name)));
}

TEST_F(Acts, ANameThatOthersShareFreesNothing) {  // T80
  write("a", "same");
  write("b", "same");
  hardlink("b", "elsewhere");
  const Told told = apply_one(plan(DupAction::remove, {{"a", "b"}}));
  EXPECT_EQ(told.outcome, Outcome::done) << told;
  EXPECT_EQ(told.freed, 0U);
  EXPECT_EQ(read_whole(at("elsewhere")), "same");
}

TEST_F(Acts, TwoNamesOfTheKeptFileAreLeftAlone) {  // T68
  write("a", "same");
  hardlink("a", "b");
  for (const DupAction action : kActions) {
    const Told told = apply_one(plan(action, {{"a", "b"}}));
    EXPECT_EQ(told.outcome, Outcome::needless) << to_string(action) << ' ' << told;
    EXPECT_EQ(told.freed, 0U);
    EXPECT_EQ(files_of(folder()).size(), 2U);
    std::filesystem::remove(tree_.path("journal"));
  }
}

// One directory below two roots: its file has one name, and two paths.
TEST_F(Acts, TheOnlyNameOfAFileIsNotRemovedForItself) {  // T68
  write("sub/a", "same");
  for (const DupAction action : kActions) {
    DupPlan planned = plan(action, {{"sub/a"}});
    planned.roots.push_back(at("sub"));
    PlanFile again = planned.groups[0].kept;
    again.root = 1;
    again.path = "a";
    planned.groups[0].acts = {again};
    EXPECT_EQ(apply_one(planned).outcome, Outcome::needless);
    EXPECT_EQ(files_of(folder()).size(), 1U);
    std::filesystem::remove(tree_.path("journal"));
  }
}

// ---- T80: what is put in the way ----

TEST_F(Acts, ASymbolicLinkInPlaceOfAFileIsRefused) {  // T80
  for (const DupAction action : kActions) {
    write("a", "same");
    write("b", "same");
    tree_.write("outside", "same");
    const DupPlan planned = plan(action, {{"a", "b"}});
    std::filesystem::remove(at("b"));
    tree_.symlink("../outside", "data/b");
    const Told told = apply_one(planned);
    EXPECT_EQ(told.outcome, Outcome::refused) << to_string(action) << ' ' << told;
    EXPECT_EQ(read_whole(tree_.path("outside")), "same");
    EXPECT_TRUE(std::filesystem::is_symlink(at("b")));
    std::filesystem::remove(at("b"));
    std::filesystem::remove(tree_.path("journal"));
  }
}

TEST_F(Acts, ASymbolicLinkInPlaceOfADirectoryIsRefused) {  // T80
  for (const DupAction action : kActions) {
    for (const char* target : {"../outside", "elsewhere"}) {  // out of the root, and within
      std::filesystem::remove_all(folder());
      write("a", "same");
      write("sub/deep/b", "same");
      const DupPlan planned = plan(action, {{"a", "sub/deep/b"}});
      // The very same file, by another way.
      std::filesystem::remove_all(tree_.path("outside"));
      const std::string moved = at(target);
      std::filesystem::rename(at("sub"), moved);
      tree_.symlink(target, "data/sub");
      const Told told = apply_one(planned);
      EXPECT_EQ(told.outcome, Outcome::refused) << to_string(action) << ' ' << told;
      EXPECT_EQ(read_whole(moved + "/deep/b"), "same");
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// Another program meddles right before each step in turn. Nothing that it put there may be lost,
// and a file that the plan does not name stays.
TEST_F(Acts, WhatIsPutInPlaceOfTheFileAtAnyStepStays) {  // T80
  const std::function<void()> meddlings[] = {
      [&] {  // an editor saves by renaming
        write("new", "precious");
        std::filesystem::rename(at("new"), at("b"));
      },
      [&] {
        std::filesystem::remove(at("b"));
        tree_.symlink("../outside", "data/b");
      },
      [&] {
        std::filesystem::remove(at("b"));
        tree_.dir("data/b");
      },
  };
  for (const DupAction action : kActionsAnywhere) {
    for (std::size_t which = 0; which < std::size(meddlings); ++which) {
      for (int step = 0;; ++step) {
        std::filesystem::remove_all(folder());
        std::filesystem::remove_all(tree_.path("away"));
        std::filesystem::remove(tree_.path("journal"));
        tree_.write("outside", "not mine");
        write("a", "same");
        write("b", "same");
        const DupPlan planned = plan(action, {{"a", "b"}});
        int steps = 0;
        ApplyOptions meddled = options();
        meddled.before_step = [&](std::string_view) {
          if (steps++ == step) meddlings[which]();
        };
        const Told told = apply_one(planned, meddled);
        if (steps <= step) break;
        const auto where = ::testing::Message() << to_string(action) << " " << which << " at step "
                                                << step << ": " << told;
        EXPECT_EQ(read_whole(at("a")), "same") << where;
        EXPECT_EQ(read_whole(tree_.path("outside")), "not mine") << where;
        if (which == 0) {
          EXPECT_EQ(read_whole(at("b")), "precious") << where;
        }
        if (which == 1) {
          EXPECT_TRUE(std::filesystem::is_symlink(at("b"))) << where;
        }
        if (which == 2) {
          EXPECT_TRUE(std::filesystem::is_directory(at("b"))) << where;
        }
        EXPECT_TRUE(made_up_names_in(folder()).empty()) << where;
      }
    }
  }
}

// The same with the kept file: while its content is not found elsewhere, the other stays. A link
// is the kept file's content by itself.
TEST_F(Acts, WithoutTheKeptFileNothingIsRemoved) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      std::filesystem::remove_all(folder());
      std::filesystem::remove_all(tree_.path("away"));
      std::filesystem::remove(tree_.path("journal"));
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      int steps = 0;
      bool too_late = false;  // right before a removal: nothing can be asked between the two
      ApplyOptions meddled = options();
      meddled.before_step = [&](std::string_view name) {
        if (steps++ != step) return;
        const bool is_over = files_of(folder()).size() == 1;
        too_late = action == DupAction::remove && (name == "unlink" || is_over);
        std::filesystem::remove(at("a"));
      };
      const Told told = apply_one(planned, meddled);
      if (steps <= step) break;
      if (too_late) continue;
      auto contents = contents_of(folder());
      if (std::filesystem::exists(tree_.path("away")))
        contents.merge(contents_of(tree_.path("away")));
      EXPECT_EQ(contents, (std::set<std::string>{"same"}))
          << to_string(action) << " at step " << step << ": " << told;
    }
  }
}

// The same with what the kept file holds: whoever writes to it may do so at any time.
TEST_F(Acts, WhenTheKeptFileIsWrittenToNothingIsRemoved) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      std::filesystem::remove_all(folder());
      std::filesystem::remove_all(tree_.path("away"));
      std::filesystem::remove(tree_.path("journal"));
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      int steps = 0;
      bool too_late = false;  // as above
      ApplyOptions meddled = options();
      meddled.before_step = [&](std::string_view name) {
        if (steps++ != step) return;
        const auto files = files_of(folder());
        const bool is_joined = files.count("b") == 1 && is_same_inode(at("a"), at("b"));
        const bool is_over = files.size() == (action == DupAction::hardlink && is_joined ? 2 : 1);
        too_late = action != DupAction::quarantine && (name == "unlink" || is_over);
        std::ofstream(at("a"), std::ios::binary) << "longer than it was";
      };
      const Told told = apply_one(planned, meddled);
      if (steps <= step) break;
      if (too_late) continue;
      auto contents = contents_of(folder());
      if (std::filesystem::exists(tree_.path("away"))) {
        contents.merge(contents_of(tree_.path("away")));
      }
      EXPECT_EQ(contents, (std::set<std::string>{"same", "longer than it was"}))
          << to_string(action) << " at step " << step << ": " << told;
      EXPECT_TRUE(made_up_names_in(folder()).empty());
    }
  }
}

TEST_F(Acts, WhatMayNotBeChangedIsReportedAndTheRestGoesOn) {  // T80
  if (!testing::is_root()) GTEST_SKIP() << "only root may make a file immutable";
  for (const DupAction action : kActionsAnywhere) {
    std::filesystem::remove_all(folder());
    write("a", "same");
    write("b", "same");
    write("c", "same");
    const int file = ::open(at("b").c_str(), O_RDONLY | O_CLOEXEC);
    int flags = 0;
    ::ioctl(file, FS_IOC_GETFLAGS, &flags);
    const int immutable = flags | FS_IMMUTABLE_FL;
    if (::ioctl(file, FS_IOC_SETFLAGS, &immutable) != 0) {
      ::close(file);
      GTEST_SKIP() << "this filesystem has no immutable files";
    }
    const std::vector<Told> told = apply(plan(action, {{"a", "b", "c"}}));
    ::ioctl(file, FS_IOC_SETFLAGS, &flags);
    ::close(file);
    EXPECT_EQ(told[0].outcome, Outcome::failed) << told[0];
    EXPECT_EQ(told[0].code, EPERM);
    EXPECT_EQ(told[1].outcome, Outcome::done) << told[1];
    EXPECT_EQ(read_whole(at("b")), "same");
    EXPECT_TRUE(made_up_names_in(folder()).empty());
    EXPECT_EQ(applied_.failed, 1U);
    EXPECT_FALSE(applied_.complete());
    std::filesystem::remove(tree_.path("journal"));
    std::filesystem::remove_all(tree_.path("away"));
  }
}

TEST_F(Acts, AReadOnlyFilesystemIsReported) {  // T80
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are refused here";
  write("a", "same");
  write("b", "same");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              const std::string path = folder();
              if (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
                  ::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY,
                          nullptr) != 0) {
                throw base::SystemError("cannot bind", errno);
              }
              for (const DupAction action : {DupAction::hardlink, DupAction::remove}) {
                const Told told = apply_one(plan(action, {{"a", "b"}}));
                if (told.outcome != Outcome::failed || told.code != EROFS) {
                  throw base::Error(std::string(to_string(action)) + ": " + told.why);
                }
                std::filesystem::remove(tree_.path("journal"));
              }
            }),
            0);
  EXPECT_EQ(files_of(folder()).size(), 2U);
}

TEST_F(Acts, AFullFilesystemIsReportedAndTheRestGoesOn) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are refused here";
  tree_.dir("data");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              // Each name takes one of its few inodes.
              if (::mount("tmpfs", folder().c_str(), "tmpfs", 0, "size=1m,nr_inodes=4") != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              for (const char* name : {"a", "b", "c"}) std::ofstream(at(name)) << "same";
              const DupPlan planned = plan(DupAction::hardlink, {{"a", "b", "c"}});
              const std::vector<Told> told = apply(planned);
              for (const Told& one : told) {
                if (one.outcome != Outcome::failed || one.code != ENOSPC)
                  throw base::Error(one.why);
              }
              if (files_of(folder()).size() != 3) throw base::Error("a file is gone");
              // With room again the same run goes on.
              ::mount(nullptr, folder().c_str(), nullptr, MS_REMOUNT, "nr_inodes=100");
              if (apply(planned).size() != 2 || !applied_.complete()) throw base::Error("again");
              if (!is_same_inode(at("a"), at("c"))) throw base::Error("not linked");
            }),
            0);
}

TEST_F(Acts, WithoutAJournalThatCanBeWrittenNothingIsDone) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are refused here";
  tree_.dir("full");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount("tmpfs", tree_.path("full").c_str(), "tmpfs", 0, "size=4k") != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              ApplyOptions full = options();
              full.journal = tree_.path("full/journal");
              std::vector<std::string> names;
              for (int i = 0; i < 30; ++i) {  // together they take more than the page that there is
                names.push_back(std::string(200, 'x') + std::to_string(i));
                write(names.back(), "same");
              }
              for (const DupAction action : kActionsAnywhere) {
                for (const Told& told : apply(plan(action, {names}), full)) {
                  if (told.outcome == Outcome::failed && told.code == ENOSPC) continue;
                  throw base::Error(told.path + ": " + told.why);
                }
                std::filesystem::remove(full.journal);
              }
            }),
            0);
  EXPECT_EQ(files_of(folder()).size(), 30U);
  EXPECT_FALSE(is_same_inode(at(std::string(200, 'x') + "0"), at(std::string(200, 'x') + "1")));
}

// ---- the journal ----

// A power cut takes what is in memory alone.
TEST_F(Acts, NothingIsDestroyedBeforeWhatIsKeptIsOnTheDisk) {
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
                                        "journal", "sync",          // what begins
                                        action == DupAction::hardlink ? "link" : "move aside"}));
    // And it is said to be done when it is.
    const std::vector<std::string> last(steps.end() - 3, steps.end());
    EXPECT_EQ(last, (std::vector<std::string>{"unlink", "sync", "journal"}));
  }
}

TEST_F(Acts, AJournalIsOfOnePlan) {
  write("a", "same");
  write("b", "same");
  write("c", "same");
  (void)apply(plan(DupAction::hardlink, {{"a", "b"}}));
  const std::string journal = read_whole(tree_.path("journal"));
  EXPECT_THROW((void)apply(plan(DupAction::hardlink, {{"a", "c"}})), base::Error);
  EXPECT_EQ(read_whole(tree_.path("journal")), journal);
  EXPECT_FALSE(is_same_inode(at("a"), at("c")));
}

TEST_F(Acts, WhatIsNoJournalIsLeftAsItIs) {
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

TEST_F(Acts, ASecondRunFindsEverythingDone) {
  for (const DupAction action : kActionsAnywhere) {
    std::filesystem::remove_all(folder());
    write("a", "same");
    write("b", "same");
    const DupPlan planned = plan(action, {{"a", "b"}});
    EXPECT_EQ(apply_one(planned).outcome, Outcome::done);
    const auto before = files_of(folder());
    EXPECT_EQ(apply_one(planned).outcome, Outcome::done_before);
    EXPECT_EQ(files_of(folder()), before);
    EXPECT_TRUE(applied_.complete());
    std::filesystem::remove(tree_.path("journal"));
    std::filesystem::remove_all(tree_.path("away"));
  }
}

TEST_F(Acts, ACancelledRunGoesOnLater) {
  write("a", "same");
  write("b", "same");
  write("c", "same");
  const DupPlan planned = plan(DupAction::remove, {{"a", "b", "c"}});
  rt::CancelSource source;
  ApplyOptions cancelled = options();
  cancelled.cancel = source.token();
  cancelled.before_step = [&](std::string_view step) {
    if (step == "unlink") source.cancel();
  };
  EXPECT_EQ(apply_one(planned, cancelled).outcome, Outcome::done);  // what was begun is finished
  EXPECT_TRUE(applied_.cancelled);
  EXPECT_TRUE(std::filesystem::exists(at("c")));
  const std::vector<Told> told = apply(planned);
  EXPECT_EQ(told[0].outcome, Outcome::done_before) << told[0];
  EXPECT_EQ(told[1].outcome, Outcome::done) << told[1];
}

// Two runs that would each remove what the other keeps.
TEST_F(Acts, RunsThatContradictEachOtherLeaveOneFile) {
  for (const DupAction action : kActionsAnywhere) {
    for (int step = 0;; ++step) {
      std::filesystem::remove_all(folder());
      std::filesystem::remove_all(tree_.path("away"));
      std::filesystem::remove(tree_.path("journal"));
      std::filesystem::remove(tree_.path("other"));
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      const DupPlan reversed = plan(action, {{"b", "a"}});
      int steps = 0;
      ApplyOptions first = options();
      first.before_step = [&](std::string_view) {
        if (steps++ != step) return;
        ApplyOptions second = options();
        second.journal = tree_.path("other");
        (void)apply_plan(reversed, second);
      };
      // Right before the first one removes for good, the second finds its kept file gone.
      (void)apply_plan(planned, first);
      if (steps <= step) break;
      EXPECT_EQ(contents_of(folder()), std::set<std::string>{"same"})
          << to_string(action) << " at step " << step;
    }
  }
}

}  // namespace
}  // namespace fathom::fs
