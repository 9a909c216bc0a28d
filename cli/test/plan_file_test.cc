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

TEST(PlanFile, IsNotMadeForARootThatHasGone) {
  TempTree tree;
  tree.write("root/a", "same");
  tree.write("root/b", "same");
  DupsRequest request;
  request.plan.write = tree.path("plan");
  PlanFile plan(request);
  DupsFinding found = finding_of({tree.path("root")});
  ASSERT_EQ(found.same.groups.size(), 1U);
  std::filesystem::rename(tree.path("root"), tree.path("moved"));
  plan.choose(request, found);
  EXPECT_FALSE(plan.write(request, found));
  EXPECT_FALSE(std::filesystem::exists(tree.path("plan")));
}

TEST(PlanFile, DoesNotNeedARootWithoutDuplicates) {
  TempTree tree;
  tree.write("root/a", "same");
  tree.write("root/b", "same");
  std::filesystem::create_directory(tree.path("empty"));
  DupsRequest request;
  request.plan.write = tree.path("plan");
  PlanFile plan(request);
  DupsFinding found = finding_of({tree.path("empty"), tree.path("root")});
  std::filesystem::remove(tree.path("empty"));
  plan.choose(request, found);
  EXPECT_TRUE(plan.write(request, found));
}

TEST(PlanFile, IsMadeIfARootNeverExisted) {
  TempTree tree;
  tree.write("root/a", "same");
  tree.write("root/b", "same");
  DupsRequest request;
  request.plan.write = tree.path("plan");
  PlanFile plan(request);
  DupsFinding found = finding_of({tree.path("missing"), tree.path("root")});
  plan.choose(request, found);
  EXPECT_EQ(found.kept.size(), 1U);
}

}  // namespace
}  // namespace fathom::cli
