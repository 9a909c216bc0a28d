// Limits: few descriptors and small stacks, as after `ulimit -n 64; ulimit -s 256`.
//
// Limits apply to a process, and that of the stack is read when a program starts: each case starts
// this program again, to run the one test that scans, which is disabled otherwise.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "every_way.h"
#include "fathom/testing/subprocess.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

constexpr const char* kRoot = "FATHOM_TEST_ROOT";
constexpr const char* kExpected = "FATHOM_TEST_EXPECTED";

std::string summary_of(std::uint64_t entries, std::uint64_t disk, std::uint64_t apparent) {
  return std::to_string(entries) + " entries " + std::to_string(disk) + " on disk " +
         std::to_string(apparent) + " apparent";
}

TEST(Limits, DISABLED_ScanUnderThem) {
  const char* root = std::getenv(kRoot);
  const char* expected = std::getenv(kExpected);
  ASSERT_NE(root, nullptr) << "run by the other tests only";
  ASSERT_NE(expected, nullptr);
  scan_every_way({root}, [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    const Counts whole = Totals(scan.tree).whole();
    EXPECT_EQ(summary_of(whole.entries(), whole.disk_bytes, whole.apparent_bytes), expected);
  });
}

void expect_scans_under(const std::string& limits, const TempTree& tree) {
  const testing::OracleTotals totals = testing::count({tree.path()});
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const testing::RunResult result = testing::run(
      {"/bin/sh", "-c", limits + R"( || exit 77; exec "$0" "$@")", self,
       "--gtest_filter=Limits.DISABLED_ScanUnderThem", "--gtest_also_run_disabled_tests"},
      {std::string(kRoot) + "=" + tree.path(),
       std::string(kExpected) + "=" +
           summary_of(totals.entries, totals.disk_bytes, totals.apparent_bytes)});
  if (result.status == 77) GTEST_SKIP() << "the limits cannot be set here: " << result.err;
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("[  PASSED  ] 1 test"), std::string::npos) << result.out;
}

// Wide and deep: at each level of each arm, directories are waiting that hold their parent's
// descriptor.
void make_wide_and_deep(TempTree& tree) {
  constexpr int kArms = 24;
  constexpr int kLevels = 24;
  for (int arm = 0; arm < kArms; ++arm) {
    std::string at = "arm" + std::to_string(arm);
    for (int level = 0; level < kLevels; ++level) {
      tree.file(at + "/a/file", 1);
      tree.file(at + "/z/file", 2);
      at += "/m";
    }
  }
}

TEST(Limits, OfDescriptorsDoNotChangeTheTotals) {
  TempTree tree;
  make_wide_and_deep(tree);
  expect_scans_under("ulimit -n 64", tree);
}

TEST(Limits, OfVeryFewDescriptorsDoNotChangeTheTotals) {
  TempTree tree;
  make_wide_and_deep(tree);
  expect_scans_under("ulimit -n 24", tree);
}

TEST(Limits, OfTheStackDoNotChangeTheTotals) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more stack themselves";
  TempTree tree;
  make_wide_and_deep(tree);
  tree.deep_chain("chain", kSmall ? 1000 : 5000);
  expect_scans_under("ulimit -s 256", tree);
}

TEST(Limits, OfBothDoNotChangeTheTotals) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more stack themselves";
  TempTree tree;
  make_wide_and_deep(tree);
  tree.deep_chain("chain", kSmall ? 1000 : 5000);
  expect_scans_under("ulimit -n 64 && ulimit -s 256", tree);
}

}  // namespace
}  // namespace fathom::fs
