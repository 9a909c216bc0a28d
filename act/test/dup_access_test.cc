// Access rights of files that would share an inode, and files that must not be changed at all.
//
// The same tests run against a kernel without openat2 and renameat2.

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

namespace fathom::act {
namespace {

TEST_F(Acts, HardLinksNeedTheSameAccess) {
  const auto set_list = [&](const char* path) {
    // Version 2: owner rw, user 1234 r, group r, mask r, others none.
    struct Item {
      std::uint16_t tag, permissions;
      std::uint32_t id;
    };
    struct {
      std::uint32_t version = 2;
      Item items[5] = {{1, 6, 0xffffffff},
                       {2, 4, 1234},
                       {4, 4, 0xffffffff},
                       {16, 4, 0xffffffff},
                       {32, 0, 0xffffffff}};
    } list;
    return ::setxattr(at(path).c_str(), "system.posix_acl_access", &list, sizeof list, 0) == 0;
  };
  struct Case {
    const char* difference;
    std::function<bool()> make;
  };
  const Case cases[] = {
      {"permissions", [&] { return ::chmod(at("b").c_str(), 0600) == 0; }},
      {"owner", [&] { return ::chown(at("b").c_str(), 1234, static_cast<gid_t>(-1)) == 0; }},
      {"group", [&] { return ::chown(at("b").c_str(), static_cast<uid_t>(-1), 1234) == 0; }},
      {"access control list",
       [&] {
         ::chmod(at("a").c_str(), 0640);  // as the list shows it
         return set_list("b");
       }},
      {"user.note", [&] { return ::setxattr(at("b").c_str(), "user.note", "mine", 4, 0) == 0; }},
      {"user.note", [&] { return ::setxattr(at("a").c_str(), "user.note", "mine", 4, 0) == 0; }},
  };
  for (const Case& test : cases) {
    std::filesystem::remove_all(folder());
    for (const char* name : {"a", "b"}) {
      write(name, "same");
      ::chmod(at(name).c_str(), 0644);  // independent of the umask
    }
    if (!test.make()) continue;  // needs root, or a filesystem that supports it
    const ActResult result = apply_one(plan(DupAction::hardlink, {{"a", "b"}}));
    EXPECT_EQ(result.outcome, Outcome::refused) << result;
    EXPECT_NE(result.why.find(test.difference), std::string::npos) << result;
    EXPECT_FALSE(is_same_inode(at("a"), at("b")));
    std::filesystem::remove(tree_.path("journal"));
    // A removal does not change anyone's access.
    EXPECT_EQ(apply_one(plan(DupAction::remove, {{"a", "b"}})).outcome, Outcome::done);
    std::filesystem::remove(tree_.path("journal"));
  }
}

TEST_F(Acts, DirectoriesAboveTheRootNeedNotBeReadable) {
  if (!testing::is_root()) GTEST_SKIP() << "only root may give files to another user";
  write("a", "same");
  write("b", "same");
  std::filesystem::permissions(folder(), std::filesystem::perms::all);
  std::filesystem::permissions(tree_.path(), std::filesystem::perms{0711});
  if (!testing::nobody_can_enter(tree_.path())) GTEST_SKIP() << "$TMPDIR is private to a user";
  EXPECT_EQ(testing::as_nobody([&] {
              ApplyOptions own = options();
              own.journal = at("journal");
              const ActResult result = apply_one(plan(DupAction::remove, {{"a", "b"}}), own);
              if (result.outcome != Outcome::done) throw base::Error(result.why);
            }),
            0);
}

TEST_F(Acts, AnImmutableFileIsReportedAndTheRunContinues) {
  if (!testing::is_root()) GTEST_SKIP() << "only root may make a file immutable";
  for (const DupAction action : kActionsAnywhere) {
    start_over();
    write("a", "same");
    write("b", "same");
    write("c", "same");
    const int file = ::open(at("b").c_str(), O_RDONLY | O_CLOEXEC);
    int flags = 0;
    ::ioctl(file, FS_IOC_GETFLAGS, &flags);
    const int immutable = flags | FS_IMMUTABLE_FL;
    if (::ioctl(file, FS_IOC_SETFLAGS, &immutable) != 0) {
      ::close(file);
      GTEST_SKIP() << "this filesystem has no immutable files";
    }
    const std::vector<ActResult> result = apply(plan(action, {{"a", "b", "c"}}));
    ::ioctl(file, FS_IOC_SETFLAGS, &flags);
    ::close(file);
    EXPECT_EQ(result[0].outcome, Outcome::failed) << result[0];
    EXPECT_EQ(result[0].code, EPERM);
    EXPECT_EQ(result[1].outcome, Outcome::done) << result[1];
    EXPECT_EQ(read_whole(at("b")), "same");
    EXPECT_TRUE(temp_names_in(folder()).empty());
    EXPECT_EQ(applied_.failed, 1U);
    EXPECT_FALSE(applied_.complete());
  }
}

TEST_F(Acts, AReadOnlyFilesystemIsReported) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  write("a", "same");
  write("b", "same");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              const std::string path = folder();
              if (::mount(path.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
                  ::mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY,
                          nullptr) != 0) {
                throw base::SystemError("cannot bind", errno);
              }
              for (const DupAction action : {DupAction::hardlink, DupAction::remove}) {
                const ActResult result = apply_one(plan(action, {{"a", "b"}}));
                if (result.outcome != Outcome::failed || result.code != EROFS) {
                  throw base::Error(std::string(to_string(action)) + ": " + result.why);
                }
                std::filesystem::remove(tree_.path("journal"));
              }
            }),
            0);
  EXPECT_EQ(files_of(folder()).size(), 2U);
}

TEST_F(Acts, AFullFilesystemIsReportedAndTheRunContinues) {
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mount namespaces are not permitted here";
  tree_.dir("data");
  EXPECT_EQ(testing::in_mount_namespace([&] {
              // Each name takes one of its few inodes.
              if (::mount("tmpfs", folder().c_str(), "tmpfs", 0, "size=1m,nr_inodes=4") != 0) {
                throw base::SystemError("cannot mount a tmpfs", errno);
              }
              for (const char* name : {"a", "b", "c"}) std::ofstream(at(name)) << "same";
              const DupPlan planned = plan(DupAction::hardlink, {{"a", "b", "c"}});
              const std::vector<ActResult> result = apply(planned);
              for (const ActResult& one : result) {
                if (one.outcome != Outcome::failed || one.code != ENOSPC)
                  throw base::Error(one.why);
              }
              if (files_of(folder()).size() != 3) throw base::Error("a file is missing");
              // When space is available again, the same run continues.
              ::mount(nullptr, folder().c_str(), nullptr, MS_REMOUNT, "nr_inodes=100");
              if (apply(planned).size() != 2 || !applied_.complete()) throw base::Error("again");
              if (!is_same_inode(at("a"), at("c"))) throw base::Error("not linked");
            }),
            0);
}

}  // namespace
}  // namespace fathom::act
