// Acts on duplicates: the results of runs and dry runs.
//
// The same tests run against a kernel without openat2 and renameat2.

#include "fathom/act/dup_apply.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstddef>
#include <string_view>

#include "dup_acts.h"
#include "fathom/testing/privileges.h"

namespace fathom::act {
namespace {

TEST_F(Acts, HardLinkMakesOneFileOfTwo) {
  write("a", "same");
  write("deep/below/b", "same");
  const ActResult result = apply_one(plan(DupAction::hardlink, {{"a", "deep/below/b"}}));
  EXPECT_EQ(result.outcome, Outcome::done) << result;
  EXPECT_GT(result.freed, 0U);
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
  const std::vector<ActResult> all = apply(plan(DupAction::hardlink, {names}));
  for (const ActResult& result : all) EXPECT_EQ(result.outcome, Outcome::done) << result;
  for (const std::string& name : names) EXPECT_TRUE(is_same_inode(at(names.front()), at(name)));
}

TEST_F(Acts, RemovingLeavesTheKeptFile) {
  write("a", "same");
  write("b", "same");
  const ActResult result = apply_one(plan(DupAction::remove, {{"a", "b"}}));
  EXPECT_EQ(result.outcome, Outcome::done) << result;
  EXPECT_EQ(files_of(folder()), (std::map<std::string, std::string>{{"a", "same"}}));
}

TEST_F(Acts, ADryRunReportsWhatWouldBeDoneAndChangesNothing) {
  write("a", "same");
  write("b", "same");
  write("c", "same");
  hardlink("c", "d");
  for (const DupAction action : kActionsAnywhere) {
    const DupPlan planned = plan(action, {{"a", "b", "c", "d"}});
    ApplyOptions dry = options();
    dry.dry_run = true;
    dry.before_step = [](std::string_view step) { FAIL() << "a dry run made the step " << step; };
    const fs::FileIdentity before[] = {identity_of(at("a")), identity_of(at("b")),
                                       identity_of(at("c"))};
    const std::vector<ActResult> would = apply(planned, dry);
    const std::uint64_t would_free = applied_.freed;
    const fs::FileIdentity after[] = {identity_of(at("a")), identity_of(at("b")),
                                      identity_of(at("c"))};
    EXPECT_TRUE(std::equal(std::begin(before), std::end(before), std::begin(after)));
    EXPECT_FALSE(std::filesystem::exists(tree_.path("journal")));
    EXPECT_FALSE(std::filesystem::exists(tree_.path("away")));
    ASSERT_EQ(would.size(), 3U);
    for (const ActResult& result : would)
      EXPECT_EQ(result.outcome, Outcome::would_be_done) << result;

    // The real run then does exactly that.
    if (action != DupAction::hardlink) continue;
    const std::vector<ActResult> done = apply(planned);
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
  const std::vector<ActResult> result = apply(planned, dry);
  EXPECT_EQ(result[0].outcome, Outcome::refused) << result[0];
  EXPECT_EQ(result[1].outcome, Outcome::would_be_done) << result[1];
  EXPECT_FALSE(applied_.complete());
}

TEST_F(Acts, FilesystemsAreNotJoined) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  write("a", "same");
  tree_.dir("data/far");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              if (::mount("tmpfs", at("far").c_str(), "tmpfs", 0, "size=1m") != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              std::ofstream(at("far/b")) << "same";
              for (const DupAction action : kActions) {
                if (action == DupAction::remove) continue;
                for (const bool dry : {true, false}) {
                  ApplyOptions asked = options();
                  asked.dry_run = dry;
                  const ActResult result = apply_one(plan(action, {{"a", "far/b"}}), asked);
                  if (result.outcome != Outcome::refused || result.code != EXDEV) {
                    throw base::Error(std::string(to_string(action)) + ": " + result.why);
                  }
                }
                if (files_of(folder()).size() != 2) throw base::Error("a file is missing");
                std::filesystem::remove(tree_.path("journal"));
              }
              // A removal works across filesystems.
              const ActResult result = apply_one(plan(DupAction::remove, {{"a", "far/b"}}));
              if (result.outcome != Outcome::done) throw base::Error(result.why);
            }),
            0);
}

TEST_F(Acts, ASecondRunFindsEverythingDone) {
  for (const DupAction action : kActionsAnywhere) {
    start_over();
    write("a", "same");
    write("b", "same");
    const DupPlan planned = plan(action, {{"a", "b"}});
    EXPECT_EQ(apply_one(planned).outcome, Outcome::done);
    const auto before = files_of(folder());
    EXPECT_EQ(apply_one(planned).outcome, Outcome::done_before);
    EXPECT_EQ(files_of(folder()), before);
    EXPECT_TRUE(applied_.complete());
  }
}

TEST_F(Acts, ACancelledRunCanBeContinued) {
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
  EXPECT_EQ(apply_one(planned, cancelled).outcome, Outcome::done);  // it had begun
  EXPECT_TRUE(applied_.cancelled);
  EXPECT_TRUE(std::filesystem::exists(at("c")));
  const std::vector<ActResult> result = apply(planned);
  EXPECT_EQ(result[0].outcome, Outcome::done_before) << result[0];
  EXPECT_EQ(result[1].outcome, Outcome::done) << result[1];
}

}  // namespace
}  // namespace fathom::act
