// Tests of PlanFile: a plan whose paths would lead elsewhere is not made.

#include "run/plan_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::cli {
namespace {

using testing::TempTree;

DupsFinding finding_of(const std::vector<std::string>& roots) {
  fs::ScanOptions options;
  options.roots = roots;
  DupsFinding found;
  found.scan = fs::scan(options);
  found.same = fs::find_duplicates(found.scan.tree);
  return found;
}

// A root with duplicates, and the request of a plan for them.
class PlanFiles : public ::testing::Test {
 protected:
  PlanFiles() {
    for (const char* file : {"root/a", "root/b"}) tree_.write(file, "same");
    request_.plan.write = tree_.path("plan");
  }

  TempTree tree_;
  DupsRequest request_;
};

TEST_F(PlanFiles, AreNotMadeForARootThatHasGone) {
  PlanFile plan(request_);
  DupsFinding found = finding_of({tree_.path("root")});
  ASSERT_EQ(found.same.groups.size(), 1U);
  std::filesystem::rename(tree_.path("root"), tree_.path("moved"));
  plan.choose(request_, found);
  EXPECT_FALSE(plan.write(request_, found));
  EXPECT_FALSE(std::filesystem::exists(tree_.path("plan")));
}

TEST_F(PlanFiles, DoNotNeedARootWithoutDuplicates) {
  std::filesystem::create_directory(tree_.path("empty"));
  PlanFile plan(request_);
  DupsFinding found = finding_of({tree_.path("empty"), tree_.path("root")});
  std::filesystem::remove(tree_.path("empty"));
  plan.choose(request_, found);
  EXPECT_TRUE(plan.write(request_, found));
}

TEST_F(PlanFiles, AreMadeIfARootNeverExisted) {
  PlanFile plan(request_);
  DupsFinding found = finding_of({tree_.path("missing"), tree_.path("root")});
  plan.choose(request_, found);
  EXPECT_EQ(found.kept.size(), 1U);
}

}  // namespace
}  // namespace fathom::cli
