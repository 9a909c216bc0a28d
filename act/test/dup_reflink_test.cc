// Files that share blocks, on a btrfs in an image file, where one can be created and mounted.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <functional>

#include "dup_acts.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/subprocess.h"

namespace fathom::act {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

void require(bool holds, const std::string& what) {
  if (!holds) throw base::Error(what);
}

class Reflinks : public Acts {
 protected:
  void SetUp() override {
    if (!testing::is_root()) GTEST_SKIP() << "only root may mount";
    if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
    tree_.dir("data");
    tree_.sparse("disk", 200 * kMiB);
    try {
      if (testing::run({"mkfs.btrfs", "-q", tree_.path("disk")}).status != 0) {
        GTEST_SKIP() << "a btrfs cannot be created here";
      }
    } catch (const base::SystemError&) {
      GTEST_SKIP() << "mkfs.btrfs is not installed";
    }
  }

  // Runs the body with the btrfs mounted on data/.
  void on_btrfs(const std::function<void()>& body) {
    bool mounted = true;
    const int status = testing::in_mount_namespace([&] {
      const auto mount = testing::run({"mount", "-o", "loop", tree_.path("disk"), folder()});
      if (mount.status != 0) {
        std::ofstream(tree_.path("not mounted")) << mount.err;
        return;
      }
      body();
    });
    mounted = !std::filesystem::exists(tree_.path("not mounted"));
    if (!mounted) GTEST_SKIP() << "a btrfs cannot be mounted here";
    EXPECT_EQ(status, 0);
  }
};

std::string random_text(std::size_t bytes) {
  std::string text(bytes, 0);
  std::uint64_t state = 1;
  for (char& byte : text) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(state >> 56);
  }
  return text;
}

TEST_F(Reflinks, ShareBlocksAndChangeNothingElse) {
  on_btrfs([&] {
    // More than one call can do, and not a whole number of blocks.
    const std::string content = random_text(40 * kMiB + 1234);
    std::ofstream(at("a"), std::ios::binary) << content;
    std::ofstream(at("b"), std::ios::binary) << content;
    require(::chmod(at("b").c_str(), 0640) == 0, "chmod");
    require(::chown(at("b").c_str(), 1234, 4321) == 0, "chown");
    require(::setxattr(at("b").c_str(), "user.note", "mine", 4, 0) == 0, "setxattr");
    ::sync();
    struct stat before = {};
    struct stat after = {};
    require(::lstat(at("b").c_str(), &before) == 0, "stat");
    const DupPlan planned = plan(DupAction::reflink, {{"a", "b"}});

    ApplyOptions dry = options();
    dry.dry_run = true;
    const ActResult would = apply_one(planned, dry);
    require(would.outcome == Outcome::would_be_done, would.why);
    const ActResult result = apply_one(planned);
    require(result.outcome == Outcome::done, result.why);
    require(result.freed == would.freed && result.freed >= content.size(), "freed");

    require(::lstat(at("b").c_str(), &after) == 0, "stat");
    require(before.st_ino == after.st_ino && before.st_uid == after.st_uid &&
                before.st_gid == after.st_gid && before.st_mode == after.st_mode,
            "owner or permissions have changed");
    require(before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                before.st_mtim.tv_nsec == after.st_mtim.tv_nsec,
            "the time has changed");
    char note[4] = {};
    require(::getxattr(at("b").c_str(), "user.note", note, sizeof note) == 4, "the attribute");
    require(read_whole(at("a")) == content && read_whole(at("b")) == content, "the content");

    // A file that is shared already frees nothing more.
    ::sync();
    std::filesystem::remove(tree_.path("journal"));
    const ActResult again = apply_one(plan(DupAction::remove, {{"a", "b"}}));
    require(again.outcome == Outcome::done && again.freed == 0, "freed twice");
  });
}

// The kernel detects a difference that the identity does not show.
TEST_F(Reflinks, DifferentContentIsRefusedByTheKernel) {
  on_btrfs([&] {
    std::string content = random_text(20 * kMiB);
    std::ofstream(at("a"), std::ios::binary) << content;
    content[18 * kMiB] = static_cast<char>(content[18 * kMiB] + 1);
    std::ofstream(at("b"), std::ios::binary) << content;
    const ActResult result = apply_one(plan(DupAction::reflink, {{"a", "b"}}));
    require(result.outcome == Outcome::refused && result.freed == 0, result.why);
    require(read_whole(at("b")) == content, "the content");
  });
}

TEST_F(Reflinks, ThatWereInterruptedAreRepeated) {
  on_btrfs([&] {
    const std::string content = random_text(100'000);
    for (const char* name : {"a", "b", "c"}) {
      std::ofstream(at(name), std::ios::binary) << content;
    }
    const DupPlan planned = plan(DupAction::reflink, {{"a", "b", "c"}});
    for (const char* step : {"journal", "sync", "share"}) {
      std::filesystem::remove(tree_.path("journal"));
      int count = 0;
      ApplyOptions stopped = options();
      stopped.before_step = [&](std::string_view name) {
        if (name == step && ++count == 2) throw base::Error("stop");
      };
      try {
        (void)apply_plan(planned, stopped);
      } catch (const base::Error&) {
      }
      (void)apply(planned);
      require(applied_.done + applied_.done_before == 2 && applied_.complete(), "not finished");
      require(contents_of(folder()) == std::set<std::string>{content}, "the content");
    }
  });
}

TEST_F(Acts, UnsupportedSharingIsReported) {
  write("a", std::string(5000, 'x'));
  write("b", std::string(5000, 'x'));
  const int a = ::open(at("a").c_str(), O_RDONLY | O_CLOEXEC);
  const int b = ::open(at("b").c_str(), O_RDWR | O_CLOEXEC);
  const bool can_share = ::ioctl(b, FICLONE, a) == 0;
  ::close(a);
  ::close(b);
  if (can_share) GTEST_SKIP() << "this filesystem can share blocks";
  for (const bool dry : {true, false}) {
    ApplyOptions once = options();
    once.dry_run = dry;
    const ActResult result = apply_one(plan(DupAction::reflink, {{"a", "b"}}), once);
    EXPECT_EQ(result.outcome, Outcome::refused) << result;
    EXPECT_NE(result.why.find("does not support shared blocks"), std::string::npos) << result;
    EXPECT_FALSE(is_same_inode(at("a"), at("b")));  // and there is no fallback
  }
}

}  // namespace
}  // namespace fathom::act
