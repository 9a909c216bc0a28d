// Kinds: other entries than small files.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

Entry entry_of(const Scan& scan, const std::string& path) {
  return scan.tree.entry(find_node(scan.tree, path));
}

struct stat lstat_of(const std::string& path) {
  struct stat buffer = {};
  EXPECT_EQ(::lstat(path.c_str(), &buffer), 0) << path;
  return buffer;
}

TEST(Kinds, HaveTheMetadataThatLstatReturns) {
  TempTree tree;
  tree.file("dir/file", 1234);
  tree.chmod("dir/file", 04711);
  tree.mtime("dir/file", 1'000'000'000);
  tree.hardlink("dir/file", "again");
  tree.symlink("dir/file", "link");
  tree.fifo("fifo");
  tree.socket("socket");
  tree.dir("empty");
  tree.chmod("empty", 01700);
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    for (const std::string& path : find_paths(tree.path())) {
      SCOPED_TRACE(path);
      const Entry entry = entry_of(scan, path);
      const struct stat expected = lstat_of(path);
      EXPECT_EQ(entry.size, static_cast<std::uint64_t>(expected.st_size));
      EXPECT_EQ(entry.blocks, static_cast<std::uint64_t>(expected.st_blocks));
      EXPECT_EQ(entry.inode, expected.st_ino);
      EXPECT_EQ(entry.device, expected.st_dev);
      EXPECT_EQ(entry.mtime, expected.st_mtime);
      EXPECT_EQ(entry.uid, expected.st_uid);
      EXPECT_EQ(entry.gid, expected.st_gid);
      EXPECT_EQ(entry.links, expected.st_nlink);
      EXPECT_EQ(entry.mode, expected.st_mode);
    }
  });
}

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

TEST(Kinds, HaveExactTimesIfTheyAreAskedFor) {
  TempTree tree;
  tree.file("dir/file", 1);
  tree.symlink("dir/file", "link");
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    const Scan without = scan(options);
    options.read_times = true;
    const Scan with = scan(options);
    for (const std::string& path : find_paths(tree.path())) {
      SCOPED_TRACE(path);
      const struct stat expected = lstat_of(path);
      const Times times = entry_of(with, path).times;
      EXPECT_EQ(times.mtime, nanoseconds_of(expected.st_mtim));
      EXPECT_EQ(times.ctime, nanoseconds_of(expected.st_ctim));
      // Not every filesystem stores when an entry was created, but none creates it later.
      EXPECT_LE(times.btime, times.ctime);
      EXPECT_EQ(entry_of(without, path).times.ctime, kUnknownTime);
    }
  }
}

TEST(Kinds, AreCountedApart) {
  TempTree tree;
  tree.file("a/file", 1);
  tree.file("b/file", 1);
  tree.symlink("nothing", "a/link");
  tree.fifo("a/fifo");
  tree.fifo("b/fifo");
  tree.socket("a/socket");
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    const Counts whole = Totals(scan.tree).whole();
    EXPECT_EQ(whole.files, 2U);
    EXPECT_EQ(whole.dirs, 3U);
    EXPECT_EQ(whole.symlinks, 1U);
    EXPECT_EQ(whole.others, 3U);
  });
}

TEST(Kinds, IncludeDevices) {
  TempTree tree;
  tree.dir("dev");
  if (::mknod(tree.path("dev/null").c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) {
    GTEST_SKIP() << "a device cannot be created here";
  }
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete());
    EXPECT_EQ(Totals(scan.tree).whole().others, 1U);
    EXPECT_EQ(entry_of(scan, tree.path("dev/null")).kind(), Kind::other);
  });
}

TEST(SymbolicLinks, AreNeverFollowed) {
  TempTree outside;
  outside.file("marker", 1'000'000);
  TempTree tree;
  tree.symlink(outside.path(), "to a directory");
  tree.symlink(outside.path("marker"), "to a file");
  tree.symlink("nothing at all", "dangling");
  tree.symlink("loop", "loop");
  tree.symlink("pong", "ping");
  tree.symlink("ping", "pong");
  tree.symlink("..", "dir/up");
  tree.symlink(".", "dir/here");
  tree.symlink("/", "dir/root");
  tree.symlink(std::string(4000, 'x'), "long");
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    EXPECT_EQ(Totals(scan.tree).whole().symlinks, 10U);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 12U);
    EXPECT_EQ(entry_of(scan, tree.path("long")).size, 4000U);
  });
}

TEST(HardLinks, AcrossDirectoriesAreCountedOnceAtTheSmallestPath) {
  TempTree tree;
  tree.file("z/file", 100'000);
  for (const char* in : {"d", "c.x", "c", "h", "e", "b", "f"}) {
    tree.hardlink("z/file", std::string(in) + "/link");
  }
  tree.file("c/other", 1);
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    expect_equals_du(scan, {tree.path()});
    EXPECT_EQ(Totals(scan.tree).whole().files, 9U);
    std::vector<std::string> owners;
    scan.tree.for_each_node([&](NodeId node) {
      if (scan.tree.kind(node) != Kind::file || scan.tree.entry(node).links != 8) return;
      if (scan.tree.flags(node) == 0) owners.push_back(scan.tree.path(node));
    });
    EXPECT_EQ(owners, std::vector<std::string>{tree.path("b/link")});
  });
}

TEST(HardLinks, WithOtherNamesOutsideAreCountedInFull) {
  TempTree tree;
  tree.file("outside/file", 100'000);
  tree.hardlink("outside/file", "inside/link");
  const testing::OracleTotals totals = testing::count({tree.path("inside")});
  scan_every_way({tree.path("inside")}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    EXPECT_GE(Totals(scan.tree).whole().apparent_bytes, 100'000U);
  });
}

TEST(SparseFiles, HaveTheirLengthAndTheirBlocks) {
  TempTree tree;
  try {
    tree.sparse("sparse", 1ULL << 40);
  } catch (const std::exception& error) {
    GTEST_SKIP() << error.what();
  }
  tree.file("dense", 100'000);
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    expect_equals_du(scan, {tree.path()});
    EXPECT_EQ(entry_of(scan, tree.path("sparse")).apparent_bytes(), 1ULL << 40);
    EXPECT_LT(entry_of(scan, tree.path("sparse")).disk_bytes(), 1ULL << 30);
  });
}

TEST(PreallocatedFiles, HaveMoreBlocksThanBytes) {
  TempTree tree;
  tree.file("preallocated", 10);
  const int file = ::open(tree.path("preallocated").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  const int result = ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
  ::close(file);
  if (result != 0) GTEST_SKIP() << "this filesystem cannot preallocate";
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    EXPECT_EQ(entry_of(scan, tree.path("preallocated")).apparent_bytes(), 10U);
    EXPECT_GE(entry_of(scan, tree.path("preallocated")).disk_bytes(), 1U << 20);
  });
}

TEST(Times, BeforeTheEpochAndFarAheadAreKept) {
  constexpr std::int64_t kYear2400 = 13'569'465'600;
  std::map<std::string, std::int64_t> kept;
  TempTree tree;
  for (const std::int64_t seconds : std::initializer_list<std::int64_t>{
           -1, 0, 1, -86400, -2'147'483'648, 2'147'483'648, 4'294'967'296, kYear2400}) {
    const std::string name = "at" + std::to_string(seconds);
    tree.file(name);
    tree.mtime(name, seconds);
    // Times that the filesystem cannot store do not test the scan.
    if (lstat_of(tree.path(name)).st_mtime == seconds) kept[tree.path(name)] = seconds;
  }
  if (kept.size() < 3) GTEST_SKIP() << "this filesystem keeps hardly any of these times";
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    for (const auto& [path, seconds] : kept) EXPECT_EQ(entry_of(scan, path).mtime, seconds);
    const rapidjson::Document json =
        parse(json_of(scan, {{.kind = ReportKind::largest_files, .count = 100}}));
    for (const auto& file : json["reports"]["largest_files"].GetArray()) {
      const auto found = kept.find(path_of(file));
      if (found != kept.end()) {
        EXPECT_EQ(file["mtime"].GetInt64(), found->second);
      }
    }
  });
}

}  // namespace
}  // namespace fathom::fs
