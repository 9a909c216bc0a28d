// The report `explain` on real filesystems: small ones in memory, mounted for the test.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/base/retry.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/report.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "mounts.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

constexpr std::size_t kPage = 4096;

// The facts of the filesystem at a root, and a scan of it.
Scan explained_scan(const std::vector<std::string>& roots) {
  ScanOptions options = options_for({Engine::lockfree, 2}, roots);
  Scan found = scan(options);
  found.filesystems = gather_filesystem_facts(roots);
  return found;
}

Lines ledger(const Scan& scan, const std::vector<std::string_view>& keys) {
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, Measure::disk, 0);
  return lines(explain(input), keys);
}

std::int64_t bytes_of(const Scan& scan, const std::string& item) {
  for (const std::string& line : ledger(scan, {"item", "bytes"})) {
    if (line.starts_with(item + ' ')) return std::stoll(line.substr(item.size() + 1));
  }
  throw base::Error("the ledger lacks " + item);
}

bool has(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// Another process that has the same file open as this one during the object's lifetime.
class Holder {
 public:
  Holder() {
    require(::pipe(pipe_) == 0, "a pipe");
    pid_ = ::fork();
    if (pid_ == 0) wait_for_the_end();
    ::close(pipe_[0]);
  }
  ~Holder() {
    ::close(pipe_[1]);
    ::waitpid(pid_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void wait_for_the_end() const {
    ::close(pipe_[1]);
    char nothing = 0;
    static_cast<void>(base::retry([&] { return ::read(pipe_[0], &nothing, 1); }));
    ::_exit(0);
  }

  int pipe_[2] = {-1, -1};
  pid_t pid_ = -1;
};

class ExplainedMounts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::is_root()) GTEST_SKIP() << "only root may mount";
    if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
    tree_.dir("mounted");
  }

  // Runs the body with a tmpfs at mounted().
  void on_tmpfs(const std::function<void()>& body) {
    const auto prepared = [&] {
      mount_tmpfs(mounted());
      body();
    };
    EXPECT_EQ(testing::in_mount_namespace(prepared), 0);
  }

  [[nodiscard]] std::string mounted() const { return tree_.path("mounted"); }

  testing::TempTree tree_;
};

TEST_F(ExplainedMounts, AddUpToTheByte) {
  on_tmpfs([&] {
    make_directory(mounted() + "/sub");
    write_file(mounted() + "/sub/file", 10 * kPage);
    const Scan scan = explained_scan({mounted()});
    require(scan.filesystems.size() == 1, "one filesystem");
    require(scan.filesystems[0].whole, "all of it is mounted here");
    require(scan.filesystems[0].type == "tmpfs", "its type is known");
    require(bytes_of(scan, "size") == 16 << 20, "the size of the mount");
    require(bytes_of(scan, "size") ==
                bytes_of(scan, "available") + bytes_of(scan, "reserved") + bytes_of(scan, "used"),
            "the parts of the size are the size");
    // On tmpfs only the contents of files take blocks.
    require(bytes_of(scan, "used") == 10 * kPage, "the used bytes of df");
    require(bytes_of(scan, "found") == 10 * kPage, "the bytes that the scan found");
    require(bytes_of(scan, "rest") == 0, "nothing is left to explain");
  });
}

TEST_F(ExplainedMounts, ShowADeletedFileWithItsProcess) {
  on_tmpfs([&] {
    write_file(mounted() + "/kept", kPage);
    const std::string gone = mounted() + "/gone";
    const int file = open_file(gone, 5 * kPage);
    const int other = open_file(mounted() + "/link", 3 * kPage);
    require(::link((mounted() + "/link").c_str(), (mounted() + "/again").c_str()) == 0, "link");
    require(::unlink(gone.c_str()) == 0, "unlink");
    require(::unlink((mounted() + "/link").c_str()) == 0, "unlink of one name of two");
    const int twice = ::dup(file);
    const Holder holder;
    const Scan scan = explained_scan({mounted()});
    const Lines deleted = ledger(scan, {"item", "bytes", "count", "pid", "path"});
    require(has(deleted, "deleted_open " + std::to_string(5 * kPage) + " 1 " +
                             std::to_string(holder.pid()) + ' ' + gone),
            "the file is shown once, with the other process");
    require(scan.filesystems[0].deleted.size() == 1, "a file with another name is not deleted");
    require(!scan.filesystems[0].deleted[0].command.empty(), "the process has a name");
    require(bytes_of(scan, "found") == 4 * kPage, "files with names");
    require(bytes_of(scan, "rest") == 0, "nothing is left to explain");
    for (const int descriptor : {file, other, twice}) ::close(descriptor);
  });
}

TEST_F(ExplainedMounts, ForgetADeletedFileOnceItIsClosed) {
  on_tmpfs([&] {
    write_file(mounted() + "/kept", 4 * kPage);
    const int file = open_file(mounted() + "/gone", 5 * kPage);
    require(::unlink((mounted() + "/gone").c_str()) == 0, "unlink");
    {
      const Holder holder;
      ::close(file);
      require(explained_scan({mounted()}).filesystems[0].deleted.size() == 1, "it is still open");
    }
    const Scan after = explained_scan({mounted()});
    require(after.filesystems[0].deleted.empty(), "a closed file is not listed");
    require(bytes_of(after, "used") == 4 * kPage, "and takes no space");
  });
}

TEST_F(ExplainedMounts, DoNotShowFilesThatOnlyThisProcessHasOpen) {
  on_tmpfs([&] {
    const int file = open_file(mounted() + "/gone", 5 * kPage);
    require(::unlink((mounted() + "/gone").c_str()) == 0, "unlink");
    const Scan scan = explained_scan({mounted()});
    require(scan.filesystems[0].deleted.empty(), "nobody else has a file open");
    require(bytes_of(scan, "rest") == 5 * kPage, "its bytes are in the rest");
    ::close(file);
  });
}

TEST_F(ExplainedMounts, ShowTheGrowthDuringTheScan) {
  on_tmpfs([&] {
    write_file(mounted() + "/before", 2 * kPage);
    const UsedBytes before = used_bytes({mounted(), mounted() + "/missing"});
    require(before.size() == 2 && before[0] == 2 * kPage && !before[1], "the used bytes before");
    write_file(mounted() + "/meanwhile", 3 * kPage);
    Scan scan = explained_scan({mounted()});
    require(has(ledger(scan, {"item", "grown_bytes"}), "used -"), "unknown unless requested");
    scan.filesystems = gather_filesystem_facts({mounted()}, before);
    require(has(ledger(scan, {"item", "grown_bytes"}), "used " + std::to_string(3 * kPage)),
            "by how much it grew");
  });
}

TEST_F(ExplainedMounts, NameMountsHiddenBelowOthers) {
  on_tmpfs([&] {
    const std::string point = mounted() + "/a point";
    make_directory(point);
    write_file(point + "/hidden", 7 * kPage);
    mount_tmpfs(point);
    write_file(point + "/visible", 2 * kPage);
    const Scan scan = explained_scan({mounted()});
    require(has(ledger(scan, {"item", "bytes", "path"}), "hidden - " + point), "it is named");
    require(bytes_of(scan, "used") == 7 * kPage, "the used bytes of df");
    require(bytes_of(scan, "found") == 0, "the mount is not part of it");
    require(bytes_of(scan, "rest") == 7 * kPage, "hidden files are in the rest");
    const Scan both = explained_scan({mounted(), point});
    require(both.filesystems.size() == 2, "each has a ledger");
    require(both.filesystems[1].mount_point == point, "the second ledger is that of the mount");
    require(both.filesystems[1].hidden_by_mounts.empty(), "it hides, and is not hidden");
  });
}

TEST_F(ExplainedMounts, ThatArePartlyScannedAreReportedAsSuch) {
  on_tmpfs([&] {
    make_directory(mounted() + "/sub");
    write_file(mounted() + "/beside", kPage);
    const Scan part = explained_scan({mounted() + "/sub"});
    require(!part.filesystems[0].whole, "a directory below is not the filesystem");
    require(bytes_of(part, "rest") == kPage, "its siblings are in the rest");
    const std::string bound = tree_.path("bound");
    make_directory(bound);
    require(::mount((mounted() + "/sub").c_str(), bound.c_str(), nullptr, MS_BIND, nullptr) == 0,
            "bind");
    require(!explained_scan({bound}).filesystems[0].whole,
            "neither is a part that is mounted elsewhere");
    const Scan all = explained_scan({mounted() + "/sub", mounted()});
    require(all.filesystems.size() == 1, "two roots on one filesystem");
    require(all.filesystems[0].whole, "one of which is the whole");
  });
}

TEST(FilesystemFacts, CountProcessesThatCannotBeInspected) {
  if (!testing::is_root()) GTEST_SKIP() << "only root has processes that another user may not see";
  const auto gather = [] {
    const auto facts = gather_filesystem_facts({"/"});
    require(facts.size() == 1, "the facts are for everyone");
    require(facts[0].unseen_processes > 0, "root's processes are not");
  };
  EXPECT_EQ(testing::as_nobody(gather), 0);
}

TEST(FilesystemFacts, OfAMissingRootAreNone) {
  testing::TempTree tree;
  tree.symlink("/", "link");
  EXPECT_TRUE(gather_filesystem_facts({tree.path("missing"), tree.path("link")}).empty());
}

TEST(FilesystemFacts, OfAFileAreThoseOfItsFilesystem) {
  testing::TempTree tree;
  tree.file("file", 1);
  const auto facts =
      gather_filesystem_facts({tree.path("missing"), tree.path("file"), tree.path()});
  ASSERT_EQ(facts.size(), 1U);
  EXPECT_EQ(facts[0].roots, (std::vector<std::size_t>{1, 2}));
  EXPECT_FALSE(facts[0].whole);
  EXPECT_GE(facts[0].free, facts[0].available);
}

}  // namespace
}  // namespace fathom::fs
