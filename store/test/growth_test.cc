// Growth says of each snapshot what a scan of its tree said.

#include "fathom/store/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::store {
namespace {

using testing::TempTree;

constexpr std::int64_t kDayInNanoseconds = 86'400'000'000'000;

void remove(const TempTree& tree, const std::string& path) {
  std::filesystem::remove_all(tree.path(path));
}

// Snapshots of trees as they are when add() is called, one per day.
class Series {
 public:
  fs::Scan& add(const std::vector<std::string>& roots) {
    fs::ScanOptions options;
    options.roots = roots;
    scans_.push_back(fs::scan(options));
    SnapshotOptions& facts = facts_.emplace_back();
    facts.meta.roots = roots;
    facts.meta.started_ns = static_cast<std::int64_t>(facts_.size()) * kDayInNanoseconds;
    facts.meta.ended_ns = facts.meta.started_ns + 5'000'000'000;
    facts.group_rows = 700;  // so that there are several groups
    return scans_.back();
  }

  [[nodiscard]] Growth growth(const GrowthOptions& options) {
    return measure_growth(
        scans_.size(),
        [this](std::size_t i) -> std::optional<Snapshot> {
          if (removed_.contains(i)) return std::nullopt;
          rt::Executor writing({.threads = 1});
          return Snapshot::of(scans_[i], facts_[i], writing);
        },
        options, executor_);
  }

  // As if another process had removed the snapshot after it was listed.
  void remove(std::size_t i) { removed_.insert(i); }

  // Says which filesystem everything in a snapshot is on.
  void identify(std::size_t i, const std::string& uuid) {
    const fs::Tree& tree = scans_[i].tree;
    tree.for_each_node([&](fs::NodeId node) {
      facts_[i].filesystem_ids.insert_or_assign(tree.device(node), uuid);
    });
  }

  SnapshotMeta& meta(std::size_t i) { return facts_[i].meta; }
  [[nodiscard]] const std::vector<fs::Scan>& scans() const { return scans_; }

 private:
  rt::Executor executor_{{.threads = 2}};
  std::vector<fs::Scan> scans_;
  std::vector<SnapshotOptions> facts_;
  std::set<std::size_t> removed_;
};

// What scans say about the directories at most so deep in the path: by path and scan.
using Sizes = std::map<std::string, std::map<std::size_t, std::vector<std::uint64_t>>>;

Sizes sizes_of(const std::vector<fs::Scan>& scans, const std::string& path, unsigned depth,
               fs::Measure measure) {
  Sizes sizes;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    const fs::Tree& tree = scans[i].tree;
    const fs::Totals totals(tree);
    tree.for_each_directory([&](fs::DirId id) {
      const std::string at = tree.path(tree.node(id));
      if (at != path && !at.starts_with(path + '/')) return;
      if (std::count(at.begin() + static_cast<long>(path.size()), at.end(), '/') > depth) return;
      const fs::Counts counts = totals.below(id);
      sizes[at][i] = {bytes_of(counts, measure), counts.entries()};
    });
  }
  return sizes;
}

Sizes sizes_of(const Growth& growth) {
  Sizes sizes;
  for (std::size_t i = 0; i < growth.directories.size(); ++i) {
    auto& of_path = sizes[growth.path_of(i)];
    for (std::size_t at = 0; at < growth.snapshots.size(); ++at) {
      const GrowthSize& size = growth.directories[i].sizes[at];
      if (size.exists) of_path[at] = {size.bytes, size.entries};
    }
  }
  return sizes;
}

// A directory precedes those in it, siblings are ordered, and no path occurs twice.
void expect_ordered(const Growth& growth) {
  std::map<std::size_t, const GrowthDirectory*> last_child;
  std::set<std::string> paths;
  for (std::size_t i = 0; i < growth.directories.size(); ++i) {
    const GrowthDirectory& directory = growth.directories[i];
    EXPECT_TRUE(paths.insert(growth.path_of(i)).second);
    if (directory.parent != GrowthDirectory::kNoParent) {
      ASSERT_LT(directory.parent, i);
      EXPECT_EQ(directory.depth, growth.directories[directory.parent].depth + 1);
    }
    if (const auto* before = last_child[directory.parent]) {
      EXPECT_GE(std::llabs(before->change()), std::llabs(directory.change()));
      if (std::llabs(before->change()) == std::llabs(directory.change())) {
        EXPECT_LT(before->name, directory.name);
      }
    }
    last_child[directory.parent] = &directory;
  }
}

TEST(Growth, EqualsScanningTheTree) {
  std::mt19937 random(7);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    TempTree tree;
    auto paths = testing::generate(
        tree, {.seed = seed, .directories = 150, .files_per_directory = 2, .hard_links = 5});
    Series series;
    series.add({tree.path()});
    for (int day = 0; day < 4; ++day) {
      for (int edit = 0; edit < 20; ++edit) {
        const std::string& at = paths.directories[1 + random() % (paths.directories.size() - 1)];
        const std::string name = at + "/new-" + std::to_string(random() % 1000);
        if (edit % 3 == 0) {
          remove(tree, at);
        } else {
          tree.file(name + "/" + std::to_string(edit), random() % 100'000);
        }
      }
      series.add({tree.path()});
    }
    for (const unsigned depth : {0U, 2U, 100U}) {
      for (const auto measure : {fs::Measure::disk, fs::Measure::apparent}) {
        const Growth growth =
            series.growth({.path = tree.path(), .depth = depth, .measure = measure});
        EXPECT_EQ(sizes_of(growth), sizes_of(series.scans(), tree.path(), depth, measure));
        expect_ordered(growth);
      }
    }
    // A directory below the root, with the slash at its end that shells complete.
    const std::string inner = tree.path(paths.directories[paths.directories.size() / 2]);
    const auto expected = sizes_of(series.scans(), inner, 2, fs::Measure::disk);
    if (expected.empty()) continue;
    EXPECT_EQ(sizes_of(series.growth({.path = inner + "/", .depth = 2})), expected);
  }
}

TEST(Growth, KeepsDirectoriesThatExistInSomeSnapshots) {
  TempTree tree;
  tree.file("old/file", 10'000);
  Series series;
  series.add({tree.path()});
  remove(tree, "old");
  tree.file("between/file", 1);
  series.add({tree.path()});
  remove(tree, "between");
  tree.file("new/file", 200'000);
  series.add({tree.path()});
  const Growth growth = series.growth({.path = tree.path()});
  ASSERT_EQ(growth.directories.size(), 4U);
  EXPECT_EQ(growth.directories[1].name, "new");
  EXPECT_EQ(growth.directories[2].name, "old");
  EXPECT_EQ(growth.directories[3].name, "between");
  EXPECT_GT(growth.directories[1].change(), 200'000);
  EXPECT_LT(growth.directories[2].change(), -10'000);
  EXPECT_EQ(growth.directories[3].change(), 0);
  EXPECT_EQ(growth.directories[1].change_of_entries(), 2);
  EXPECT_EQ(growth.directories[2].change_of_entries(), -2);
  EXPECT_FALSE(growth.directories[1].sizes[1].exists);
  EXPECT_TRUE(growth.directories[3].sizes[1].exists);
}

TEST(Growth, OfNoPathIsThatOfAllRoots) {
  TempTree tree;
  tree.file("b/file", 10);
  tree.file("a/\xff/file", 10);
  Series series;
  series.add({tree.path("b"), tree.path("a")});
  tree.file("a/\xff/other", 100'000);
  series.add({tree.path("b"), tree.path("a")});
  const Growth growth = series.growth({});
  ASSERT_EQ(growth.directories.size(), 3U);
  EXPECT_EQ(growth.path_of(0), tree.path("a"));
  EXPECT_EQ(growth.path_of(1), tree.path("a/\xff"));
  EXPECT_EQ(growth.path_of(2), tree.path("b"));
}

TEST(Growth, ReadsADirectoryWhereItIsCountedIfRootsContainEachOther) {
  TempTree tree;
  tree.file("r/a/x", 10'000);
  Series series;
  series.add({tree.path("r/a")});
  series.add({tree.path("r"), tree.path("r/a")});
  const Growth growth = series.growth({.path = tree.path("r/a")});
  EXPECT_EQ(growth.directories.at(0).change(), 0);
  EXPECT_EQ(growth.directories.at(0).change_of_entries(), 0);
}

TEST(Growth, ListsARootInsideOfAnotherOneOnceWithItsSize) {
  TempTree tree;
  tree.file("r/a/b/x", 10'000);
  tree.file("r/c/y", 10);
  const std::string outer = tree.path("r");
  const std::string inner = tree.path("r/a/b");
  Series both;
  both.add({outer, inner});
  Series alone[2];
  alone[0].add({outer});
  alone[1].add({inner});
  for (const unsigned depth : {0U, 1U, 5U}) {
    Sizes expected = sizes_of(alone[0].growth({.depth = depth}));
    expected.merge(sizes_of(alone[1].growth({.depth = depth})));
    const Growth growth = both.growth({.depth = depth});
    EXPECT_EQ(sizes_of(growth), expected);
    expect_ordered(growth);
  }
}

// What a snapshot says about a directory.
GrowthSize size_in(const Growth& growth, const std::string& path, std::size_t snapshot) {
  for (std::size_t i = 0; i < growth.directories.size(); ++i) {
    if (growth.path_of(i) == path) return growth.directories[i].sizes[snapshot];
  }
  ADD_FAILURE() << path << " is not listed";
  return {};
}

void expect_unread(const GrowthSize& size) {
  EXPECT_TRUE(size.exists);
  EXPECT_TRUE(size.lower_bound);
  EXPECT_EQ(size.bytes, 0U);
}

TEST(Growth, OfARootThatCouldNotBeReadIsALowerBound) {
  TempTree tree;
  tree.file("a/b/c/x", 10'000);
  tree.dir("other");
  const std::vector<std::string> roots = {tree.path("a"), tree.path("other")};
  Series series;
  series.add(roots);
  remove(tree, "a");
  series.add(roots).errors.at(0).code = EACCES;
  tree.dir("a");
  series.add(roots);
  const std::string inner = tree.path("a/b");
  for (const std::string& path : {std::string(), tree.path("a"), inner}) {
    const Growth growth = series.growth({.path = path, .depth = 2});
    expect_unread(size_in(growth, inner, 1));
    expect_unread(size_in(growth, inner + "/c", 1));
    EXPECT_FALSE(size_in(growth, inner, 2).exists);
    EXPECT_FALSE(size_in(growth, inner + "/c", 2).lower_bound);
    if (path != inner) expect_unread(size_in(growth, tree.path("a"), 1));
  }
  EXPECT_FALSE(size_in(series.growth({}), tree.path("other"), 1).lower_bound);
}

TEST(Growth, OfARootThatIsGoneIsNotALowerBound) {
  TempTree tree;
  tree.file("a/x", 10'000);
  const std::vector<std::string> roots = {tree.path("a")};
  Series series;
  series.add(roots);
  remove(tree, "a");
  series.add(roots);
  for (const std::string& path : {std::string(), tree.path("a")}) {
    const Growth growth = series.growth({.path = path});
    EXPECT_FALSE(size_in(growth, tree.path("a"), 1).exists);
    EXPECT_FALSE(size_in(growth, tree.path("a"), 1).lower_bound);
  }
}

TEST(Growth, ListsOnlyRootsThatWereADirectory) {
  TempTree tree;
  tree.file("file", 10);
  tree.dir("directory");
  const std::vector<std::string> roots = {tree.path("directory"), tree.path("file"),
                                          tree.path("nothing")};
  Series series;
  series.add(roots);
  remove(tree, "file");
  for (fs::ScanError& error : series.add(roots).errors) error.code = EACCES;
  const Growth growth = series.growth({});
  ASSERT_EQ(growth.directories.size(), 1U);
  EXPECT_EQ(growth.path_of(0), tree.path("directory"));
  EXPECT_EQ(growth.unread_roots, (std::vector<std::string>{roots[1], roots[2]}));
}

TEST(Growth, NamesWhatASnapshotCountsAtAnotherPath) {
  TempTree tree;
  tree.file("all/inner/file", 10'000);
  tree.symlink("all", "link");
  const std::string again = tree.path("link/inner");  // as a bind mount
  Series series;
  series.add({tree.path("all"), again});
  for (const std::string& path : {std::string(), again}) {
    const Growth growth = series.growth({.path = path});
    EXPECT_EQ(size_in(growth, again, 0).bytes, 0U);
    EXPECT_EQ(growth.counted_elsewhere, (std::vector<std::string>{again}));
  }
  Series nested;
  nested.add({tree.path("all"), tree.path("all/inner")});
  EXPECT_TRUE(nested.growth({}).counted_elsewhere.empty()) << "it is listed with its size";
}

TEST(Growth, ListsANestedRootOnceAlsoIfItIsCountedAtAnotherPath) {
  TempTree tree;
  tree.file("all/inner/file", 10'000);
  tree.symlink("all", "a");
  Series series;
  series.add({tree.path("a/inner"), tree.path("all"), tree.path("all/inner")});
  const Growth growth = series.growth({});
  EXPECT_EQ(growth.counted_elsewhere, (std::vector<std::string>{tree.path("all/inner")}));
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < growth.directories.size(); ++i) paths.push_back(growth.path_of(i));
  EXPECT_EQ(std::count(paths.begin(), paths.end(), tree.path("all/inner")), 1);
}

TEST(Growth, NeedsADirectoryOfSomeSnapshot) {
  TempTree tree;
  tree.file("a/file", 10);
  Series series;
  series.add({tree.path()});
  try {
    static_cast<void>(series.growth({.path = tree.path("a/file")}));
    FAIL() << "a file was accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.what(), tree.path("a/file") + " is not a directory in any of the snapshots");
  }
}

TEST(Growth, LeavesOutSnapshotsThatWereRemovedMeanwhile) {
  TempTree tree;
  Series series;
  for (int i = 0; i < 3; ++i) series.add({tree.path()});
  series.remove(1);
  const Growth growth = series.growth({.path = tree.path()});
  ASSERT_EQ(growth.snapshots.size(), 2U);
  EXPECT_EQ(growth.snapshots[1].started_ns, 3 * kDayInNanoseconds);
  EXPECT_EQ(growth.directories.at(0).sizes.size(), 2U);
  for (const std::size_t i : {0, 2}) series.remove(i);
  EXPECT_THROW(static_cast<void>(series.growth({})), NotFound);
}

TEST(Growth, NamesTheSnapshots) {
  TempTree tree;
  Series series;
  series.add({tree.path()});
  series.add({tree.path()});
  series.meta(1).tag = "release";
  const Growth growth = series.growth({.path = tree.path()});
  ASSERT_EQ(growth.snapshots.size(), 2U);
  EXPECT_EQ(growth.snapshots[0].ended_ns, kDayInNanoseconds + 5'000'000'000);
  EXPECT_EQ(growth.snapshots[1].started_ns, 2 * kDayInNanoseconds);
  EXPECT_EQ(growth.snapshots[1].tag, "release");
  EXPECT_TRUE(growth.snapshots[1].complete);
}

// ---- The forecast

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

SnapshotFilesystem filesystem(std::uint64_t available, const std::string& uuid = "1234",
                              const std::string& mount = "/srv") {
  return {.fs_uuid = uuid,
          .type = "ext4",
          .mount_point = mount,
          .roots = {0},
          .size = 100 * kGibibyte,
          .free = available * kGibibyte,
          .available = available * kGibibyte};
}

// Six snapshots of an empty tree; the filesystem fills up by 10 GiB a day.
struct Filling {
  explicit Filling(const std::string& uuid = "1234") {
    for (std::uint64_t day = 0; day < 6; ++day) {
      series.add({tree.path()});
      series.identify(day, uuid);
      series.meta(day).filesystems = {filesystem(90 - 10 * day)};
    }
  }
  TempTree tree;
  Series series;
};

TEST(GrowthForecast, IsAboutTheFilesystemOfThePath) {
  Filling filling;
  for (const std::string& path : {std::string(), filling.tree.path()}) {
    const Forecast forecast = filling.series.growth({.path = path}).forecast;
    ASSERT_TRUE(forecast.full) << forecast.why_none;
    EXPECT_EQ(forecast.mount_point, "/srv");
    EXPECT_EQ(forecast.available, 40 * kGibibyte);
    // The last snapshot ends 5 seconds after the beginning of the sixth day.
    EXPECT_NEAR(static_cast<double>(forecast.full->expected), (6 + 4) * 86'400 + 5, 2);
  }
}

TEST(GrowthForecast, IsNotAboutTheRootIfAnotherFilesystemIsMountedThere) {
  Filling filling("");  // such as /proc: it has no identity, and that of the root is known
  const Forecast forecast = filling.series.growth({.path = filling.tree.path()}).forecast;
  EXPECT_FALSE(forecast.full);
  EXPECT_EQ(forecast.mount_point, "");
}

TEST(GrowthForecast, OfAPathThatIsYoungerUsesTheSnapshotsBefore) {
  Filling filling;
  filling.tree.file("new/deep/x", 10);
  filling.series.add({filling.tree.path()});
  filling.series.identify(6, "1234");
  filling.series.meta(6).filesystems = {filesystem(30)};
  const std::string path = filling.tree.path("new/deep");
  const Forecast forecast = filling.series.growth({.path = path}).forecast;
  EXPECT_TRUE(forecast.full) << forecast.why_none;
  EXPECT_EQ(forecast.points, 7U);
  // Another filesystem is mounted there.
  filling.series.identify(6, "5678");
  filling.series.meta(6).filesystems = {filesystem(30, "5678", path)};
  EXPECT_EQ(filling.series.growth({.path = path}).forecast.points, 1U);
  filling.series.meta(6).filesystems = {};
  EXPECT_EQ(filling.series.growth({.path = path}).forecast.points, 0U);
}

TEST(GrowthForecast, NeedsTheSameFilesystem) {
  Filling filling;
  filling.series.meta(2).filesystems.front().fs_uuid = "5678";
  filling.series.identify(2, "5678");
  const Forecast forecast = filling.series.growth({.path = filling.tree.path()}).forecast;
  EXPECT_FALSE(forecast.full);
  EXPECT_FALSE(forecast.bytes_per_day);
  EXPECT_EQ(forecast.why_none, "the snapshots are of different filesystems");
}

TEST(GrowthForecast, ComparesMountPointsIfThereAreNoUuids) {
  Filling filling;
  for (std::size_t i = 0; i < 6; ++i) filling.series.meta(i).filesystems.front().fs_uuid = "";
  EXPECT_TRUE(filling.series.growth({}).forecast.full);
  filling.series.meta(3).filesystems.front().mount_point = "/mnt";
  EXPECT_FALSE(filling.series.growth({}).forecast.full);
}

// So it is if the root of the scan was removed and created again.
TEST(GrowthForecast, ComparesMountPointsIfAnIdentityIsOfADirectory) {
  Filling filling("dir-100-1");
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string id = i < 3 ? "dir-100-1" : "dir-200-2";
    filling.series.meta(i).filesystems.front().fs_uuid = id;
    filling.series.identify(i, id);
  }
  const std::string path = filling.tree.path();
  EXPECT_TRUE(filling.series.growth({.path = path}).forecast.full);
  filling.series.meta(3).filesystems.front().mount_point = "/mnt";
  EXPECT_EQ(filling.series.growth({.path = path}).forecast.why_none,
            "the snapshots are of different filesystems");
}

TEST(GrowthForecast, IsTheSameForEachSubvolume) {
  Filling filling("1234/256");
  for (std::size_t i = 0; i < 6; ++i) {
    filling.series.meta(i).filesystems = {filesystem(90 - 10 * i, "1234/5"),
                                          filesystem(90 - 10 * i, "1234/257", "/home")};
  }
  EXPECT_TRUE(filling.series.growth({.path = filling.tree.path()}).forecast.full);
  EXPECT_TRUE(filling.series.growth({}).forecast.full);
}

TEST(GrowthForecast, IsAboutAFilesystemThatIsMountedBelowARoot) {
  Filling filling;
  for (std::size_t i = 0; i < 6; ++i) {
    SnapshotMeta& meta = filling.series.meta(i);
    meta.filesystems = {filesystem(50, "5678", "/")};
    meta.other_filesystems = {filesystem(90 - 10 * i)};
    meta.other_filesystems.front().roots.clear();
  }
  const std::string path = filling.tree.path();
  const Forecast forecast = filling.series.growth({.path = path}).forecast;
  EXPECT_TRUE(forecast.full) << forecast.why_none;
  EXPECT_EQ(forecast.mount_point, "/srv");
  EXPECT_EQ(filling.series.growth({}).forecast.mount_point, "/");  // that of the roots
}

TEST(GrowthForecast, OfAllRootsNeedsOneFilesystem) {
  Filling filling;
  for (std::size_t i = 0; i < 6; ++i) {
    filling.series.meta(i).filesystems.push_back(filesystem(50, "5678", "/home"));
  }
  EXPECT_EQ(filling.series.growth({}).forecast.why_none,
            "the snapshots do not say how large the filesystem is");
  EXPECT_TRUE(filling.series.growth({.path = filling.tree.path()}).forecast.full);
}

}  // namespace
}  // namespace fathom::store
