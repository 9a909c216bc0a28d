// Files that have changed since they were compared: no act is carried out on them.
//
// The same tests run against a kernel without openat2 and renameat2.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <string_view>

#include "dup_acts.h"

namespace fathom::act {
namespace {

TEST_F(Acts, AFileThatChangedIsRefused) {
  for (const DupAction action : kActions) {
    for (const bool of_kept : {false, true}) {
      write("a", "same");
      write("b", "same");
      const DupPlan planned = plan(action, {{"a", "b"}});
      rewrite_in_secret(at(of_kept ? "a" : "b"), "else");
      const ActResult result = apply_one(planned);
      EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ' ' << result;
      EXPECT_NE(result.why.find("modified or relinked"), std::string::npos) << result;
      EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// Also the next time: a refused act is not mistaken for one that was interrupted.
TEST_F(Acts, AFileThatWasRelinkedIsRefusedByEachRun) {
  for (const DupAction action : kActionsAnywhere) {
    for (const bool trust_times : {false, true}) {
      std::filesystem::remove_all(folder());
      for (const char* name : {"a", "b", "c"}) write(name, "same");
      const DupPlan planned = plan(action, {{"a", "b", "c"}});
      const fs::FileIdentity before = identity_of(at("c"));
      while (identity_of(at("c")).ctime_ns == before.ctime_ns) {
        hardlink("c", "other");
        std::filesystem::remove(at("other"));
      }
      ApplyOptions asked = options();
      asked.trust_times = trust_times;
      for (const Outcome first : {Outcome::done, Outcome::done_before}) {
        const std::vector<ActResult> results = apply(planned, asked);
        ASSERT_EQ(results.size(), 2U);
        EXPECT_EQ(results[0].outcome, first) << to_string(action) << ' ' << results[0];
        EXPECT_EQ(results[1].outcome, Outcome::refused) << to_string(action) << ' ' << results[1];
        EXPECT_EQ(identity_of(at("c")).inode, before.inode) << to_string(action);
      }
      for (const char* used : {"journal", "away"}) std::filesystem::remove_all(tree_.path(used));
    }
  }
}

TEST_F(Acts, AReplacedOrMissingFileIsRefused) {
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
      const ActResult result = apply_one(planned);
      EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ' ' << result;
      EXPECT_FALSE(result.why.empty());
      EXPECT_EQ(files_of(folder()), before);
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// A change within the clock tick of the comparison does not change the identity.
TEST_F(Acts, YoungFilesAreComparedAgain) {
  for (const DupAction action : kActionsAnywhere) {
    write("a", "same");
    write("b", "else");
    DupPlan planned = plan(action, {{"a", "b"}});
    planned.looked_ns = planned.groups[0].kept.identity.ctime_ns;
    ApplyOptions trusting = options();
    trusting.trust_times = true;
    const ActResult result = apply_one(planned, trusting);
    EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ' ' << result;
    EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
    std::filesystem::remove(tree_.path("journal"));
  }
}

// A file is young if it changed less than two seconds before the scan: one of the two is younger by
// a tick.
TEST_F(Acts, OneYoungFileOfTheTwoIsEnoughToCompareThem) {
  constexpr std::int64_t kYoung = 2'000'000'000;
  for (const bool is_kept_young : {true, false}) {
    write("a", "same");
    write("b", "also");
    const std::string younger = at(is_kept_young ? "a" : "b");
    const std::int64_t old = identity_of(at(is_kept_young ? "b" : "a")).ctime_ns;
    std::int64_t young = old;
    while (young <= old) {
      rewrite_in_secret(younger, "else");
      young = identity_of(younger).ctime_ns;
    }
    DupPlan planned = plan(DupAction::remove, {{"a", "b"}});
    ApplyOptions trusting = options();
    trusting.trust_times = true;
    planned.looked_ns = young + kYoung - 1;
    EXPECT_EQ(apply_one(planned, trusting).outcome, Outcome::refused);
    EXPECT_EQ(files_of(folder()).size(), 2U);
    std::filesystem::remove(tree_.path("journal"));
    planned.looked_ns = young + kYoung;  // both are old, and are not compared
    EXPECT_EQ(apply_one(planned, trusting).outcome, Outcome::done);
    std::filesystem::remove(tree_.path("journal"));
  }
}

// A plan may have been edited.
TEST_F(Acts, DifferentFilesInAPlanAreRefused) {
  for (const DupAction action : kActionsAnywhere) {
    start_over();
    write("a", "same");
    write("b", "else");
    write("c", "same");
    const DupPlan planned = plan(action, {{"a", "b", "c"}});
    for (const bool dry : {true, false}) {
      ApplyOptions asked = options();
      asked.dry_run = dry;
      const std::vector<ActResult> result = apply(planned, asked);
      EXPECT_EQ(result[0].outcome, Outcome::refused) << to_string(action) << ' ' << result[0];
      EXPECT_EQ(result[1].outcome, dry ? Outcome::would_be_done : Outcome::done) << result[1];
    }
    EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "else"}));
  }
}

TEST_F(Acts, FilesWithTrustedTimesAreNotCompared) {
  write("a", "same");
  write("b", "else");
  ApplyOptions trusting = options();
  trusting.trust_times = true;
  const ActResult result = apply_one(plan(DupAction::remove, {{"a", "b"}}), trusting);
  EXPECT_EQ(result.outcome, Outcome::done) << result;
}

// An act on one name of a file changes the ctime of the others, which may conceal a change by
// another program.
TEST_F(Acts, TimesAreNotTrustedAfterAnActOnAnotherName) {
  for (const DupAction action : {DupAction::hardlink, DupAction::remove}) {
    std::filesystem::remove_all(folder());
    write("a", "same");
    write("b", "same");
    hardlink("b", "b2");
    bool is_written = false;
    ApplyOptions trusting = options();
    trusting.trust_times = true;
    trusting.before_step = [&](std::string_view step) {
      if (step == "unlink" && !is_written) rewrite_in_secret(at("b2"), "else");
      is_written = is_written || step == "unlink";
    };
    const std::vector<ActResult> result = apply(plan(action, {{"a", "b", "b2"}}), trusting);
    EXPECT_EQ(result[0].outcome, Outcome::done) << to_string(action) << ' ' << result[0];
    EXPECT_EQ(result[1].outcome, Outcome::refused) << to_string(action) << ' ' << result[1];
    EXPECT_EQ(read_whole(at("b2")), "else");
    std::filesystem::remove(tree_.path("journal"));
  }
}

// Writes to a page that is already dirty do not change any time of the file.
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
      const ActResult result = apply_one(planned);
      ::munmap(mapped, 4);
      EXPECT_EQ(result.outcome, Outcome::refused) << to_string(action) << ' ' << result;
      EXPECT_EQ(contents_of(folder()), (std::set<std::string>{"same", "lame"}));
      std::filesystem::remove(tree_.path("journal"));
    }
  }
}

// The kept file is rewritten, and its mtime restored, right before each step in turn: the last file
// with the original content is not removed, unless the change comes at the very last moment.
TEST_F(Acts, TheKeptContentIsNotLostInAConcealedChange) {
  const std::set<std::string_view> naming = {"link", "exchange", "move back", "link back",
                                             "unlink own"};
  for (const bool trusts : {false, true}) {
    for (const DupAction action : kActionsAnywhere) {
      int held = 0;
      for (int step = 0;; ++step) {
        start_over();
        for (const char* name : {"a", "b", "c"}) write(name, "same");
        const DupPlan planned = plan(action, {{"a", "b", "c"}});
        int steps = 0;
        int begun = 0;  // acts
        std::string at_step;
        bool too_late = false;
        ApplyOptions meddled = options();
        meddled.trust_times = trusts;
        meddled.before_step = [&](std::string_view name) {
          if (name == "link" || name == "move aside") ++begun;
          const bool is_last = begun > 1;
          if (steps++ != step) return;
          at_step = name;
          // Between the last check and the call, a change cannot be noticed.
          const bool is_blind = trusts && action == DupAction::hardlink && naming.count(name) == 1;
          too_late = is_blind || (is_last && name != "move aside" && name != "rename aside");
          rewrite_in_secret(at("a"), "else");
        };
        (void)apply(planned, meddled);
        if (steps <= step) break;
        if (too_late && action != DupAction::quarantine) continue;
        EXPECT_EQ(all_contents(), (std::set<std::string>{"same", "else"}))
            << to_string(action) << (trusts ? ", trusting" : "") << " at step " << step << ", "
            << at_step;
        EXPECT_TRUE(temp_names_in(folder()).empty());
        ++held;
      }
      EXPECT_GT(held, 7);
    }
  }
}

// Its ctime has changed then, so that the content is compared.
TEST_F(Acts, AKeptFileWithANewNameIsStillTheKeptFile) {
  for (const bool trusts : {false, true}) {
    for (const DupAction action : kActionsAnywhere) {
      start_over();
      for (const char* name : {"a", "b", "c"}) write(name, "same");
      const std::int64_t before = identity_of(at("a")).ctime_ns;
      int journals = 0;
      ApplyOptions meddled = options();
      meddled.trust_times = trusts;
      meddled.acts_at_once = 1;
      meddled.before_step = [&](std::string_view name) {
        if (name != "journal" || ++journals != 3) return;  // the first act is done
        for (int i = 0; identity_of(at("a")).ctime_ns == before; ++i) {
          hardlink("a", "name" + std::to_string(i));
        }
        hardlink("a", "last");
      };
      for (const ActResult& result : apply(plan(action, {{"a", "b", "c"}}), meddled)) {
        EXPECT_EQ(result.outcome, Outcome::done) << to_string(action) << ' ' << result;
      }
    }
  }
}

}  // namespace
}  // namespace fathom::act
