// Mounts: filesystems inside filesystems, and one directory at two paths.
//
// Each test mounts in a child process with its own mount namespace. Where that is not permitted,
// the tests are skipped.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "mounts.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

struct stat lstat_of(const std::string& path) {
  struct stat buffer = {};
  if (::lstat(path.c_str(), &buffer) != 0) throw base::SystemError("cannot stat " + path, errno);
  return buffer;
}

class Mounts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::is_root()) GTEST_SKIP() << "only root may mount";
    if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  }

  // Runs the body where it may mount; its mounts disappear afterwards.
  void with_mounts(const std::function<void()>& body) {
    EXPECT_EQ(testing::in_mount_namespace(body), 0);
  }

  // Compares every way with du and the oracle; check(Scan) may require more.
  void require_like_du(
      const std::vector<std::string>& roots, bool one_file_system,
      const std::function<void(const Scan&)>& check = [](const Scan&) {}) {
    const testing::OracleTotals totals =
        testing::count(roots, {.one_file_system = one_file_system});
    const std::uint64_t du = testing::du(roots, false, one_file_system);
    for (const Way& way : ways_with({1, 2, 8})) {
      ScanOptions options = options_for(way, roots);
      options.selection.one_file_system = one_file_system;
      const Scan found = scan(options);
      const std::string name = ::testing::PrintToString(way);
      if (!found.complete()) throw base::Error(name + ": " + describe(found.errors));
      const Counts whole = Totals(found.tree).whole();
      require_equal(whole.disk_bytes, du, name + ", du");
      require_equal(whole.disk_bytes, totals.disk_bytes, name + ", disk bytes");
      require_equal(whole.apparent_bytes, totals.apparent_bytes, name + ", apparent bytes");
      require_equal(whole.dirs, totals.dirs, name + ", directories");
      check(found);
    }
  }

  TempTree tree_;
};

TEST_F(Mounts, WithTheSameInodeNumbersAreDistinguished) {
  tree_.dir("one");
  tree_.dir("two");
  with_mounts([&] {
    for (const std::string& on : {tree_.path("one"), tree_.path("two")}) {
      mount_tmpfs(on);
      write_file(on + "/a", 40'000);
      if (::link((on + "/a").c_str(), (on + "/b").c_str()) != 0) throw base::Error("link");
    }
    require_equal(lstat_of(tree_.path("one/a")).st_ino, lstat_of(tree_.path("two/a")).st_ino,
                  "the inode numbers of this test");
    require_like_du({tree_.path()}, false, [&](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 4U, "files");
      for (const char* owner : {"one/a", "two/a"}) {
        require_equal(int{scan.tree.flags(find_node(scan.tree, tree_.path(owner)))}, 0, owner);
      }
      for (const char* link : {"one/b", "two/b"}) {
        require_equal(int{scan.tree.flags(find_node(scan.tree, tree_.path(link)))}, int{kExtraLink},
                      link);
      }
    });
  });
}

TEST_F(Mounts, AreExcludedOnOneFilesystem) {
  tree_.file("here/file", 10'000);
  tree_.dir("mounted");
  tree_.dir("deep/down/mounted");
  with_mounts([&] {
    for (const std::string& on : {tree_.path("mounted"), tree_.path("deep/down/mounted")}) {
      mount_tmpfs(on);
      make_directory(on + "/sub");
      write_file(on + "/sub/file", 40'000);
    }
    require_like_du({tree_.path()}, false, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 3U, "files everywhere");
    });
    require_like_du({tree_.path()}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 1U, "files on one filesystem");
      require_equal(Totals(scan.tree).whole().dirs, 4U, "directories on one filesystem");
    });
  });
}

TEST_F(Mounts, NestedAreWalkedOrExcludedWithEverythingBelow) {
  tree_.dir("outer");
  with_mounts([&] {
    const std::string outer = tree_.path("outer");
    mount_tmpfs(outer);
    make_directory(outer + "/inner");
    write_file(outer + "/file", 5'000);
    mount_tmpfs(outer + "/inner");
    write_file(outer + "/inner/file", 5'000);
    require_like_du({tree_.path()}, false, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 2U, "files everywhere");
    });
    require_like_du({tree_.path()}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().entries(), 1U, "entries beside the mount");
    });
    require_like_du({outer}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 1U, "files of the outer mount");
    });
  });
}

TEST_F(Mounts, AsRootsAreScannedEachOnItsOwnFilesystem) {
  tree_.dir("mounted");
  with_mounts([&] {
    const std::string mounted = tree_.path("mounted");
    mount_tmpfs(mounted);
    make_directory(mounted + "/nested");
    write_file(mounted + "/file", 5'000);
    mount_tmpfs(mounted + "/nested");
    write_file(mounted + "/nested/file", 5'000);
    require_like_du({mounted}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 1U, "files");
    });
    // A nested mount that is an argument stays a root of its own.
    require_like_du({mounted, mounted + "/nested"}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 2U, "files");
    });
    require_like_du({mounted + "/nested", tree_.path()}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 1U, "files");
    });
  });
}

TEST_F(Mounts, OfFilesAreExcludedOnOneFilesystem) {
  tree_.file("file", 10);
  tree_.dir("mounted");
  with_mounts([&] {
    mount_tmpfs(tree_.path("mounted"));
    write_file(tree_.path("mounted/other"), 40'000);
    bind_mount(tree_.path("mounted/other"), tree_.path("file"));
    require_like_du({tree_.path()}, true, [](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 0U, "files on one filesystem");
    });
  });
}

// The names of excluded entries.
std::vector<std::string> excluded_in(const std::vector<std::string>& roots,
                                     const std::function<void(Selection&)>& select) {
  ScanOptions options = options_for({Engine::lockfree, 2}, roots);
  select(options.selection);
  std::vector<std::string> names;
  for (const ExcludedEntry& entry : scan(options).excluded) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  return names;
}

// du counts a directory twice that is bind-mounted twice below one root; the oracle and the scan do
// not.
void require_counted_once(const std::string& root, const testing::OracleTotals& totals) {
  std::string json;
  for (const bool one_file_system : {false, true}) {
    for (const Way& way : ways_with({1, 2, 8})) {
      ScanOptions options = options_for(way, {root});
      options.selection.one_file_system = one_file_system;
      const Scan found = scan(options);
      const std::string name = ::testing::PrintToString(way);
      if (!found.complete()) throw base::Error(name + ": " + describe(found.errors));
      const Counts whole = Totals(found.tree).whole();
      require_equal(whole.disk_bytes, totals.disk_bytes, name + ", disk bytes");
      require_equal(whole.apparent_bytes, totals.apparent_bytes, name + ", apparent bytes");
      require_equal(whole.dirs, totals.dirs, name + ", directories");
      if (json.empty()) json = comparable_json(found);
      require_equal(comparable_json(found) == json, true, name + ", the same JSON");
    }
  }
}

TEST_F(Mounts, ThatBindASiblingAreCountedOnce) {
  tree_.file("here/file", 100'000);
  tree_.file("here/sub/file", 50'000);
  tree_.hardlink("here/file", "here/sub/again");
  tree_.dir("a bound");
  tree_.dir("z bound");
  with_mounts([&] {
    bind_mount(tree_.path("here"), tree_.path("a bound"));
    bind_mount(tree_.path("here"), tree_.path("z bound"));
    require_counted_once(tree_.path(), testing::count({tree_.path()}));

    const Scan found = scan(options_for({Engine::lockfree, 2}, {tree_.path()}));
    const auto flags = [&](const char* path) {
      return int{found.tree.flags(find_node(found.tree, tree_.path(path)))};
    };
    require_equal(flags("a bound"), 0, "the smallest path owns it");
    require_equal(flags("here"), int{kRepeated}, "the original is repeated");
    require_equal(flags("z bound/sub"), int{kRepeated}, "its contents are repeated");
  });
}

TEST_F(Mounts, ThatBindAParentDoNotLoop) {
  tree_.file("parent/file", 100'000);
  tree_.dir("parent/child/again");
  with_mounts([&] {
    // Entries hidden below the mount are still visible through it: everything is counted as if
    // nothing were mounted.
    const testing::OracleTotals all = testing::count({tree_.path()});
    const testing::OracleTotals parent = testing::count({tree_.path("parent")});
    bind_mount(tree_.path("parent"), tree_.path("parent/child/again"));
    require_counted_once(tree_.path(), all);
    require_counted_once(tree_.path("parent"), parent);
  });
}

TEST_F(Mounts, ThatBindAChildAreCountedOnce) {
  tree_.file("z/inner/file", 100'000);
  tree_.file("z/own", 10'000);
  tree_.dir("a");
  with_mounts([&] {
    bind_mount(tree_.path("z/inner"), tree_.path("a"));
    require_counted_once(tree_.path(), testing::count({tree_.path()}));
  });
}

TEST_F(Mounts, ThatBindAFileCountAtBothNames) {
  // For an inode with one link neither du nor the scan looks for a second name.
  tree_.file("file", 100'000);
  tree_.file("bound", 0);
  with_mounts([&] {
    bind_mount(tree_.path("file"), tree_.path("bound"));
    const std::uint64_t du = testing::du(tree_.path(), false);
    for (const Way& way : ways_with({1, 2, 8})) {
      const Scan found = scan(options_for(way, {tree_.path()}));
      if (!found.complete()) throw base::Error(describe(found.errors));
      require_equal(Totals(found.tree).whole().files, 2U, "files");
      require_equal(Totals(found.tree).whole().disk_bytes, du, "du");
    }
  });
}

TEST_F(Mounts, OfTheSameFilesystemStayOnOneFilesystem) {
  // Each directory is mounted where it hides another one: a scan differs only in the names from one
  // without mounts.
  tree_.file("sibling/file", 100'000);
  tree_.file("sibling/sub/file", 10'000);
  tree_.dir("here");
  tree_.file("file", 30'000);
  tree_.file("bound file", 0);
  with_mounts([&] {
    bind_mount(tree_.path("sibling"), tree_.path("here"));
    bind_mount(tree_.path("file"), tree_.path("bound file"));
    for (const Way& way : ways_with({1, 2, 8})) {
      std::vector<std::string> json;
      for (const bool one_file_system : {false, true}) {
        ScanOptions options = options_for(way, {tree_.path()});
        options.selection.one_file_system = one_file_system;
        const Scan found = scan(options);
        if (!found.complete()) throw base::Error(describe(found.errors));
        require_equal(found.excluded.size(), std::size_t{0}, "excluded");
        require_equal(Totals(found.tree).whole().dirs, 3U, "directories");
        json.push_back(comparable_json(found));
      }
      require_equal(json[1], json[0], ::testing::PrintToString(way) + ", with -x");
    }
  });
}

TEST_F(Mounts, OfOtherFilesystemsAreExcludedEvenIfTheirFilesAreLinked) {
  tree_.file("one", 50'000);
  tree_.hardlink("one", "two");
  tree_.dir("mounted");
  with_mounts([&] {
    const std::string mounted = tree_.path("mounted");
    mount_tmpfs(mounted);
    write_file(mounted + "/three", 70'000);
    if (::link((mounted + "/three").c_str(), (mounted + "/four").c_str()) != 0) {
      throw base::SystemError("cannot link", errno);
    }
    require_like_du({tree_.path()}, true, [&](const Scan& scan) {
      require_equal(Totals(scan.tree).whole().files, 2U, "files");
      require_equal(scan.excluded.size(), std::size_t{1}, "excluded");
      require_equal(scan.excluded.front().name, std::string("mounted"), "its name");
      require_equal(int(scan.excluded.front().why), int(Excluded::other_filesystem), "the reason");
    });
  });
}

bool can_overlay() {
  const TempTree tree;
  return testing::in_mount_namespace([&] {
           mount_tmpfs(tree.path());
           for (const char* folder : {"lower", "upper", "work", "merged"}) {
             make_directory(tree.path(folder));
           }
           const std::string layers = "lowerdir=" + tree.path("lower") +
                                      ",upperdir=" + tree.path("upper") +
                                      ",workdir=" + tree.path("work");
           if (::mount("overlay", tree.path("merged").c_str(), "overlay", 0, layers.c_str()) != 0) {
             throw base::SystemError("cannot mount an overlay", errno);
           }
         }) == 0;
}

// Files of an overlay's lower layer may have devices of their own: if -x checked only the device,
// it would lose them.
TEST_F(Mounts, ThatOverlayOthersKeepTheirLowerFilesOnOneFilesystem) {
  if (!can_overlay()) GTEST_SKIP() << "overlays cannot be mounted here";
  tree_.dir("lower");
  tree_.dir("over");
  tree_.dir("merged");
  with_mounts([&] {
    // Two filesystems, so that the layers differ in more than their directories.
    mount_tmpfs(tree_.path("lower"));
    mount_tmpfs(tree_.path("over"));
    make_directory(tree_.path("lower/usr"));
    write_file(tree_.path("lower/usr/below"), 40'000);
    for (const char* folder : {"over/upper", "over/work", "over/upper/etc"}) {
      make_directory(tree_.path(folder));
    }
    write_file(tree_.path("over/upper/etc/above"), 20'000);
    const std::string layers = "lowerdir=" + tree_.path("lower") +
                               ",upperdir=" + tree_.path("over/upper") +
                               ",workdir=" + tree_.path("over/work");
    const std::string merged = tree_.path("merged");
    if (::mount("overlay", merged.c_str(), "overlay", 0, layers.c_str()) != 0) {
      throw base::SystemError("cannot mount an overlay", errno);
    }
    for (const Way& way : ways_with({1, 2, 8})) {
      for (const bool one_file_system : {false, true}) {
        ScanOptions options = options_for(way, {merged});
        options.selection.one_file_system = one_file_system;
        const Scan found = scan(options);
        if (!found.complete()) throw base::Error(describe(found.errors));
        require_equal(Totals(found.tree).whole().files, 2U, "files of both layers");
        require_equal(Totals(found.tree).whole().dirs, 3U, "directories of both layers");
        require_equal(found.excluded.size(), std::size_t{0}, "excluded");
      }
    }
    // From outside, it is another filesystem as a whole.
    require_equal(excluded_in({tree_.path()}, [](Selection& it) { it.one_file_system = true; }),
                  std::vector<std::string>({"lower", "merged", "over"}), "excluded beside it");
  });
}

TEST_F(Mounts, OfTheKernelAreExcludedOnRequest) {
  tree_.file("file", 10);
  tree_.dir("deep/proc");
  tree_.dir("memory");
  with_mounts([&] {
    if (::mount("proc", tree_.path("deep/proc").c_str(), "proc", 0, nullptr) != 0) {
      throw base::SystemError("cannot mount proc", errno);
    }
    mount_tmpfs(tree_.path("memory"));
    write_file(tree_.path("memory/file"), 5'000);
    const auto without = [](Selection& it) { it.kernel_filesystems = false; };
    for (const Way& way : ways_with({1, 2, 8})) {
      ScanOptions options = options_for(way, {tree_.path()});
      without(options.selection);
      const Scan found = scan(options);
      if (!found.complete()) throw base::Error(describe(found.errors));
      require_equal(Totals(found.tree).whole().files, 2U, "files");
      require_equal(Totals(found.tree).whole().dirs, 3U, "directories");
      require_equal(found.excluded.size(), std::size_t{1}, "excluded");
      require_equal(int(found.excluded.front().why), int(Excluded::kernel_filesystem),
                    "the reason");
    }
    // A root is always scanned; what is mounted inside it is another matter.
    const std::string sys = tree_.path("deep/proc/sys/kernel/random");
    for (const Way& way : ways_with({1, 8})) {
      ScanOptions options = options_for(way, {sys});
      without(options.selection);
      if (Totals(scan(options).tree).whole().files == 0) throw base::Error("the root was excluded");
    }
  });
}

TEST_F(Mounts, OfProcessesAreScannedWithoutACrash) {
  tree_.dir("proc");
  with_mounts([&] {
    if (::mount("proc", tree_.path("proc").c_str(), "proc", 0, nullptr) != 0) return;
    for (const Way& way : ways_with({2})) {
      // Threads start and end in it: nothing is equal, but every scan ends, and -x excludes it.
      const Scan found = scan(options_for(way, {tree_.path("proc/self")}));
      require_equal(Totals(found.tree).whole().symlinks, 1U, "proc/self is a link");
      (void)scan(options_for(way, {tree_.path("proc/self/")}));
      ScanOptions options = options_for(way, {tree_.path()});
      options.selection.one_file_system = true;
      require_equal(Totals(scan(options).tree).whole().entries(), 1U, "entries");
    }
  });
}

}  // namespace
}  // namespace fathom::fs
