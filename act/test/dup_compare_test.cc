// Files that change while they are compared, before an act or during recovery: nothing is destroyed
// on the basis of outdated content.

#include <gtest/gtest.h>

#include <string_view>

#include "dup_acts.h"
#include "dup_meddled_reads.h"

namespace fathom::act {
namespace {

class Compared : public Acts {
 protected:
  void begin_anew() {
    start_over();
    write("a", "same");
    write("b", "same");
  }

  // Stops a run right before a step, as if it was killed there.
  void stop_before(std::string_view step, const DupPlan& plan) {
    ApplyOptions stopped = options();
    stopped.before_step = [&](std::string_view name) {
      if (name == step) throw base::Error("stop");
    };
    EXPECT_THROW((void)apply_plan(plan, stopped), base::Error);
  }
};

TEST_F(Compared, AFileThatChangesIsRefusedAlsoInADryRun) {
  for (const DupAction action : kActionsAnywhere) {
    for (const char* changed : {"a", "b"}) {
      for (const bool dry : {true, false}) {
        int reads = 1;
        for (int read = 0; read < reads; ++read) {
          begin_anew();
          ApplyOptions asked = options();
          asked.dry_run = dry;
          const DupPlan planned = plan(action, {{"a", "b"}});
          const MeddledReads meddled([&](int number) {
            if (number == read) rewrite_in_secret(at(changed), "else");
            return 0;
          });
          const ActResult result = apply_one(planned, asked);
          reads = MeddledReads::count();
          EXPECT_EQ(result.outcome, Outcome::refused)
              << to_string(action) << (dry ? ", dry" : "") << " at read " << read << ": " << result;
          EXPECT_EQ(all_contents(), (std::set<std::string>{"same", "else"}));
        }
        EXPECT_GE(reads, 2);
      }
    }
  }
}

TEST_F(Compared, AnUnreadableFileIsNotEqual) {
  for (const DupAction action : kActionsAnywhere) {
    for (const bool dry : {true, false}) {
      for (int read = 0; read < 2; ++read) {
        begin_anew();
        ApplyOptions asked = options();
        asked.dry_run = dry;
        const DupPlan planned = plan(action, {{"a", "b"}});
        const MeddledReads meddled([&](int number) { return number == read ? EIO : 0; });
        const ActResult result = apply_one(planned, asked);
        EXPECT_EQ(result.outcome, Outcome::failed) << to_string(action) << ": " << result;
        EXPECT_EQ(result.code, EIO);
        EXPECT_EQ(files_of(folder()).size(), 2U);
        EXPECT_FALSE(is_same_inode(at("a"), at("b")));
      }
    }
  }
}

TEST_F(Compared, RemainsOfALinkStayIfTheyCannotBeRead) {
  for (int read = 0; read < 2; ++read) {
    begin_anew();
    const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
    stop_before("unlink", planned);
    {
      const MeddledReads meddled([&](int number) { return number == read ? EIO : 0; });
      const ActResult result = apply_one(planned);
      EXPECT_EQ(result.outcome, Outcome::failed) << result;
      EXPECT_EQ(result.code, EIO);
    }
    EXPECT_EQ(temp_names_in(folder()).size(), 1U);
    EXPECT_EQ(apply_one(planned).outcome, Outcome::done);
    EXPECT_TRUE(temp_names_in(folder()).empty());
  }
}

// The names were exchanged, and the victim still has to be removed.
TEST_F(Compared, RemainsOfALinkStayIfEitherFileChanges) {
  for (const bool kept_changes : {true, false}) {
    int reads = 1;
    for (int read = 0; read < reads; ++read) {
      begin_anew();
      const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
      stop_before("unlink", planned);
      const std::vector<std::string> left = temp_names_in(folder());
      ASSERT_EQ(left.size(), 1U);
      const std::string changed = at(kept_changes ? "a" : left[0]);
      const MeddledReads meddled([&](int number) {
        if (number == read) rewrite_in_secret(changed, "else");
        return 0;
      });
      const ActResult result = apply_one(planned);
      reads = MeddledReads::count();
      EXPECT_EQ(result.outcome, Outcome::refused) << "at read " << read << ": " << result;
      EXPECT_EQ(all_contents(), (std::set<std::string>{"same", "else"})) << "at read " << read;
    }
    EXPECT_GE(reads, 2);
  }
}

// Another file takes the kept file's name in the meantime, so the open one is about to disappear.
TEST_F(Compared, RemainsOfALinkStayIfTheKeptFileLosesItsName) {
  int reads = 1;
  for (int read = 0; read < reads; ++read) {
    begin_anew();
    const DupPlan planned = plan(DupAction::hardlink, {{"a", "b"}});
    stop_before("unlink", planned);
    const MeddledReads meddled([&](int number) {
      if (number != read) return 0;
      for (const char* name : {"a", "b"}) {  // its names
        write("new", "else");
        std::filesystem::rename(at("new"), at(name));
      }
      return 0;
    });
    (void)apply(planned);
    reads = MeddledReads::count();
    EXPECT_EQ(all_contents(), (std::set<std::string>{"same", "else"})) << "at read " << read;
  }
  EXPECT_GE(reads, 2);
}

}  // namespace
}  // namespace fathom::act
