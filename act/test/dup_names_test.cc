// Names of one file: how many it may have, and names that exist already.
//
// The same tests run against a kernel without openat2 and renameat2.

#include <gtest/gtest.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cstddef>

#include "dup_acts.h"

namespace fathom::act {
namespace {

TEST_F(Acts, AtTheLinkLimitTheNextFileIsKept) {
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    names.push_back(std::to_string(i));
    write(names.back(), "same");
  }
  const DupPlan planned = plan(DupAction::hardlink, {names});
  ApplyOptions few = options();
  few.max_links = 3;
  few.dry_run = true;
  const std::vector<ActResult> would = apply(planned, few);
  few.dry_run = false;
  const std::vector<ActResult> result = apply(planned, few);
  ASSERT_EQ(result.size(), 7U);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool is_master = i == 2 || i == 5;
    EXPECT_EQ(result[i].outcome, is_master ? Outcome::promoted_to_kept : Outcome::done)
        << result[i];
    EXPECT_EQ(would[i].outcome, is_master ? Outcome::promoted_to_kept : Outcome::would_be_done);
  }
  EXPECT_TRUE(is_same_inode(at("0"), at("2")));
  EXPECT_TRUE(is_same_inode(at("3"), at("5")));
  EXPECT_TRUE(is_same_inode(at("6"), at("7")));
  EXPECT_FALSE(is_same_inode(at("0"), at("3")));
  EXPECT_FALSE(is_same_inode(at("3"), at("6")));
  EXPECT_EQ(files_of(folder()).size(), 8U);
  EXPECT_TRUE(applied_.complete());
}

// From then on, the others become names of it.
TEST_F(Acts, APromotedFileIsSyncedBeforeAnythingIsLinkedToIt) {
  for (const char* name : {"a", "b", "c"}) write(name, "same");
  ApplyOptions few = options();
  few.max_links = 1;
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b", "c"}});
  std::vector<std::string> steps;
  few.before_step = [&](std::string_view step) { steps.emplace_back(step); };
  (void)apply(planned, few);
  EXPECT_EQ(applied_.promoted_to_kept, 2U);
  EXPECT_EQ(steps, (std::vector<std::string>{"journal", "sync", "sync",  // its head, and its name
                                             "sync", "sync",             // the kept file
                                             "journal", "sync",          // acts that begin
                                             "sync", "sync",             // the next kept file
                                             "sync", "sync"}));          // and the next
}

// A limit that is known in advance applies in a dry run, too.
TEST_F(Acts, TheFilesystemsLinkLimitIsObservedAndPredicted) {
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
  // Room for one more name.
  std::filesystem::remove(tree_.path("names/1"));
  for (const char* name : {"b", "c", "d"}) write(name, "same");
  if (!has_renameat2()) {  // where an act needs one more name for a moment
    const std::vector<ActResult> result = apply(plan(DupAction::hardlink, {{"a", "b", "c"}}));
    EXPECT_EQ(result[0].outcome, Outcome::promoted_to_kept) << result[0];
    EXPECT_EQ(result[1].outcome, Outcome::done) << result[1];
    EXPECT_TRUE(temp_names_in(folder()).empty());
    return;
  }
  const DupPlan planned = plan(DupAction::hardlink, {{"a", "b", "c", "d"}});
  for (const bool dry : {true, false}) {
    ApplyOptions asked = options();
    asked.dry_run = dry;
    const std::vector<ActResult> result = apply(planned, asked);
    EXPECT_EQ(result[0].outcome, dry ? Outcome::would_be_done : Outcome::done) << result[0];
    EXPECT_EQ(result[1].outcome, Outcome::promoted_to_kept) << result[1];
    EXPECT_EQ(result[1].code, EMLINK);
    EXPECT_EQ(result[2].outcome, dry ? Outcome::would_be_done : Outcome::done) << result[2];
  }
  EXPECT_TRUE(is_same_inode(at("a"), at("b")));
  EXPECT_TRUE(is_same_inode(at("c"), at("d")));
  EXPECT_FALSE(is_same_inode(at("a"), at("c")));
  EXPECT_TRUE(temp_names_in(folder()).empty());
}

TEST_F(Acts, APartlyLinkedGroupIsLinkedCompletely) {
  write("a", "same");
  hardlink("a", "a2");
  write("b", "same");
  hardlink("b", "b2");
  hardlink("b", "b3");
  const std::vector<ActResult> result = apply(plan(DupAction::hardlink, {{"a", "b", "b2", "b3"}}));
  ASSERT_EQ(result.size(), 3U);
  for (const ActResult& one : result) EXPECT_EQ(one.outcome, Outcome::done) << one;
  EXPECT_EQ(result[0].freed, 0U);  // other names still use it
  EXPECT_EQ(result[1].freed, 0U);
  EXPECT_GT(result[2].freed, 0U);
  for (const char* name : {"a2", "b", "b2", "b3"}) EXPECT_TRUE(is_same_inode(at("a"), at(name)));
}

TEST_F(Acts, ASharedNameFreesNothing) {
  write("a", "same");
  write("b", "same");
  hardlink("b", "elsewhere");
  const ActResult result = apply_one(plan(DupAction::remove, {{"a", "b"}}));
  EXPECT_EQ(result.outcome, Outcome::done) << result;
  EXPECT_EQ(result.freed, 0U);
  EXPECT_EQ(read_whole(at("elsewhere")), "same");
}

TEST_F(Acts, TwoNamesOfTheKeptFileAreLeftAlone) {
  write("a", "same");
  hardlink("a", "b");
  for (const DupAction action : kActions) {
    const ActResult result = apply_one(plan(action, {{"a", "b"}}));
    EXPECT_EQ(result.outcome, Outcome::already_shared) << to_string(action) << ' ' << result;
    EXPECT_EQ(result.freed, 0U);
    EXPECT_EQ(files_of(folder()).size(), 2U);
    std::filesystem::remove(tree_.path("journal"));
  }
}

// One directory below two roots: its file has one name and two paths.
TEST_F(Acts, TheOnlyNameOfAFileIsNotRemoved) {
  write("sub/a", "same");
  for (const DupAction action : kActions) {
    DupPlan planned = plan(action, {{"sub/a"}});
    planned.roots.push_back(at("sub"));
    PlanFile again = planned.groups[0].kept;
    again.root = 1;
    again.path = "a";
    planned.groups[0].acts = {again};
    EXPECT_EQ(apply_one(planned).outcome, Outcome::already_shared);
    EXPECT_EQ(files_of(folder()).size(), 1U);
    std::filesystem::remove(tree_.path("journal"));
  }
}

}  // namespace
}  // namespace fathom::act
