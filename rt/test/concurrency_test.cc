// Tests of CPU limits with fake control groups.

#include "fathom/rt/concurrency.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace fathom::rt {
namespace {

// A fake root directory with /proc and /sys/fs/cgroup.
class FakeSystem : public ::testing::Test {
 protected:
  FakeSystem() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rt-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    root_ = pattern;
  }
  ~FakeSystem() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path full = root_ + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  void write_group(const std::string& text) const { write("/proc/self/cgroup", text); }
  [[nodiscard]] std::optional<unsigned> limit() const { return cgroup_cpu_limit(root_); }

  std::string root_;
};

TEST_F(FakeSystem, WithoutControlGroupsThereIsNoLimit) {
  EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(FakeSystem, Version2IsRoundedUp) {
  write_group("0::/a/b\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
  EXPECT_EQ(limit(), 3U);
  write("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n");
  EXPECT_EQ(limit(), 2U);
  write("/sys/fs/cgroup/a/b/cpu.max", "1000 100000\n");
  EXPECT_EQ(limit(), 1U);
}

TEST_F(FakeSystem, TheSmallestLimitOfAllAncestorsCounts) {
  write_group("0::/a/b/c\n");
  write("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(limit(), 2U);
}

TEST_F(FakeSystem, TheRootOfTheMountCountsIfThePathExistsOnlyOnTheHost) {
  write_group("0::/docker/0123\n");
  write("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(limit(), 3U);
  write_group("0::/../../elsewhere\n");
  EXPECT_EQ(limit(), 3U);
}

TEST_F(FakeSystem, Version1IsFoundByTheNamesOfItsControllers) {
  write_group("5:memory:/x\n4:cpu,cpuacct:/a\n");
  write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit(), 2U);
  write("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(FakeSystem, Version1IsFoundByTheNameCpu) {
  write_group("4:cpuacct,cpu:/a\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit(), 4U);
}

TEST_F(FakeSystem, OtherControllersSetNoLimit) {
  write_group("4:cpuset,cpuacct:/a\n");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(FakeSystem, BothVersionsMayBeMounted) {
  write_group("4:cpu:/a\n0::/b\n");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "800000\n");
  write("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/unified/b/cpu.max", "500000 100000\n");
  EXPECT_EQ(limit(), 5U);
}

TEST_F(FakeSystem, MalformedFilesSetNoLimit) {
  write_group("0::/a\n");
  for (const char* text :
       {"", "\n", "max", "100000", "100000 ", " 100000", "x 100000", "1 0", "-5 100000",
        "100000 -1", "1e5 100000", "100000 100000 1", "99999999999999999999 100000"}) {
    write("/sys/fs/cgroup/a/cpu.max", text);
    EXPECT_EQ(limit(), std::nullopt) << '"' << text << '"';
  }
  write("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  for (const char* text : {"", "\n", "0\n", "0:\n", ":\n", "nonsense\n"}) {
    write_group(text);
    EXPECT_EQ(limit(), std::nullopt) << '"' << text << '"';
  }
}

TEST_F(FakeSystem, AHugeQuotaDoesNotOverflow) {
  write_group("0::/\n");
  write("/sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
  EXPECT_EQ(limit(), 4294967295U);
}

TEST(DefaultConcurrency, IsPositiveAndRespectsTheAffinity) {
  EXPECT_GE(default_concurrency(), 1U);
  EXPECT_GE(usable_processors(), default_concurrency());
#ifdef __linux__
  unsigned on_one = 0;
  unsigned usable = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    on_one = default_concurrency();
    usable = usable_processors();
  }).join();
  EXPECT_EQ(on_one, 1U);
  EXPECT_EQ(usable, 1U);
#endif
}

}  // namespace
}  // namespace fathom::rt
