// Watch: what it says about changes of real filesystems, mounted for the test.

#include "fathom/fs/watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <poll.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/testing/temp_tree.h"
#include "volume_images.h"

namespace fathom::fs {
namespace {

using InodeOnDevice = std::pair<std::uint64_t, std::uint64_t>;

InodeOnDevice inode_of(const std::string& path) {
  struct stat found = {};
  require(::lstat(path.c_str(), &found) == 0, path + " exists");
  return {found.st_dev, found.st_ino};
}

// Throws the errno if the call failed.
void succeed(int result, const std::string& what) {
  if (result < 0) throw base::SystemError("cannot " + what, errno);
}

void rename_to(const std::string& from, const std::string& to) {
  succeed(::rename(from.c_str(), to.c_str()), "rename " + from);
}
void change_mode(const std::string& path, mode_t mode) {
  succeed(::chmod(path.c_str(), mode), "change the mode of " + path);
}
void link_to(const std::string& from, const std::string& to) {
  succeed(::link(from.c_str(), to.c_str()), "link " + from);
}
void unlink_it(const std::string& path) {
  succeed(::unlink(path.c_str()), "unlink " + path);
}
void unmount(const std::string& point) {
  succeed(::umount(point.c_str()), "unmount " + point);
}

// Waits until there is something to take. The limit is only for a test that fails.
Changes next(Watch& watch) {
  while (!watch.changed()) {
    struct pollfd asked = {.fd = watch.descriptor(), .events = POLLIN, .revents = 0};
    require(::poll(&asked, 1, 60'000) > 0, "something is reported");
    watch.read();
  }
  return watch.take();
}

std::string text_of(const std::vector<InodeOnDevice>& inodes) {
  std::string text;
  for (const auto& [device, inode] : inodes) {
    text += ' ' + std::to_string(device) + ':' + std::to_string(inode);
  }
  return text;
}

// Exactly these have changed since the last take().
void require_changed(Watch& watch, const std::vector<std::string>& paths) {
  std::vector<InodeOnDevice> expected;
  for (const std::string& path : paths) expected.push_back(inode_of(path));
  std::sort(expected.begin(), expected.end());
  const Changes changes = next(watch);
  require(!changes.missed, "nothing is missed");
  require(changes.inodes == expected,
          "reported" + text_of(changes.inodes) + ", expected" + text_of(expected));
  require(!watch.changed() && watch.take().inodes.empty(), "nothing else is reported");
}

// The file, or its directory, is among those that have changed.
void require_among_changed(Watch& watch, const std::string& path) {
  const Changes changes = next(watch);
  require(!changes.missed, "nothing is missed");
  require(std::binary_search(changes.inodes.begin(), changes.inodes.end(), inode_of(path)),
          path + " is reported");
}

void require_missed(Watch& watch) {
  const Changes changes = next(watch);
  require(changes.missed && changes.inodes.empty(), "something is missed");
}

// Why filesystems cannot be followed here; empty if they can.
std::string why_not_followed() {
  constexpr unsigned kReport = 0x200 | 0x400 | 0x800 | 0x1000;  // FAN_REPORT_DFID_NAME_TARGET
  const base::Fd queue(::fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | kReport, O_RDONLY));
  if (!queue) return "this kernel does not report the changes of filesystems";
  return testing::is_root() ? "" : "only root may follow filesystems";
}

// Runs the body in a mount namespace, or says why it cannot.
void in_namespace(const std::function<void()>& body) {
  if (const std::string why = why_not_followed(); !why.empty()) GTEST_SKIP() << why;
  if (!testing::can_use_namespaces()) GTEST_SKIP() << "mounting is not allowed here";
  EXPECT_EQ(testing::in_mount_namespace(body), 0);
}

// The same, with a tmpfs; the parameter of the body is where it is mounted.
void on_tmpfs(const std::function<void(const std::string&)>& body) {
  testing::TempTree tree;
  tree.dir("mounted");
  in_namespace([&] {
    mount_tmpfs(tree.path("mounted"));
    body(tree.path("mounted"));
  });
}

// Runs the body with an image mounted.
void on_image(const ImageKind& kind, const std::function<void(const Image&)>& body) {
  if (const std::string why = why_not_followed(); !why.empty()) GTEST_SKIP() << why;
  Image image(kind);
  const bool passed = image.why_not().empty() && image.run([&] { body(image); });
  if (!image.why_not().empty()) GTEST_SKIP() << kind << ": " << image.why_not();
  EXPECT_TRUE(passed);
}

class Watching : public ::testing::TestWithParam<ImageKind> {
 protected:
  void mounted(const std::function<void(const std::string&)>& body) {
    if (GetParam().type == "tmpfs") return on_tmpfs(body);
    on_image(GetParam(), [&](const Image& image) { body(image.top()); });
  }
};

TEST_P(Watching, ReportsANewFileAndItsDirectory) {
  mounted([](const std::string& top) {
    Watch watch({top});
    write_file(top + "/file", 100);
    require_changed(watch, {top, top + "/file"});
    make_directory(top + "/folder");
    require_changed(watch, {top, top + "/folder"});
    succeed(::symlink("nowhere", (top + "/folder/link").c_str()), "make a link");
    require_changed(watch, {top + "/folder", top + "/folder/link"});
    succeed(::mkfifo((top + "/folder/fifo").c_str(), 0644), "make a fifo");
    require_changed(watch, {top + "/folder", top + "/folder/fifo"});
  });
}

TEST_P(Watching, ReportsOnlyAFileWhoseMetadataChanges) {
  mounted([](const std::string& top) {
    const std::string file = top + "/file";
    const base::Fd open(open_file(file, 100));
    Watch watch({top});
    require(::write(open.get(), "x", 1) == 1, "written by a descriptor that was open before");
    require_changed(watch, {file});
    succeed(::truncate(file.c_str(), 10), "truncate");
    require_changed(watch, {file});
    succeed(::posix_fallocate(open.get(), 0, 100'000) == 0 ? 0 : -1, "allocate");
    require_changed(watch, {file});
    change_mode(file, 0600);
    require_changed(watch, {file});
    succeed(::chown(file.c_str(), 5, 5), "change the owner");
    require_changed(watch, {file});
    succeed(::utimensat(AT_FDCWD, file.c_str(), nullptr, 0), "change the times");
    require_changed(watch, {file});
    change_mode(top, 0700);
    require_changed(watch, {top});
  });
}

TEST_P(Watching, ReportsWhatWasWrittenThroughAMapWhenItIsGone) {
  mounted([](const std::string& top) {
    const std::string file = top + "/file";
    write_file(file, 0);
    succeed(::truncate(file.c_str(), 8192), "make a hole");
    Watch watch({top});
    base::Fd open(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    void* const map = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, open.get(), 0);
    require(map != MAP_FAILED, "mapped");
    open.reset();
    *static_cast<char*>(map) = 'x';
    watch.read();
    require(!watch.changed(), "the kernel does not report it yet");
    succeed(::munmap(map, 8192), "unmap");
    require_changed(watch, {file});
  });
}

TEST_P(Watching, ReportsARenameInBothDirectories) {
  mounted([](const std::string& top) {
    make_directory(top + "/a");
    make_directory(top + "/b");
    write_file(top + "/a/file", 1);
    Watch watch({top});
    rename_to(top + "/a/file", top + "/a/other");
    require_changed(watch, {top + "/a", top + "/a/other"});
    rename_to(top + "/a/other", top + "/b/file");
    require_changed(watch, {top + "/a", top + "/b", top + "/b/file"});
    rename_to(top + "/b", top + "/a/c");
    require_changed(watch, {top, top + "/a", top + "/a/c"});
    change_mode(top + "/a/c/file", 0600);
    require_changed(watch, {top + "/a/c/file"});
  });
}

TEST_P(Watching, ReportsBothFilesThatAreExchanged) {
  mounted([](const std::string& top) {
    make_directory(top + "/a");
    make_directory(top + "/b");
    write_file(top + "/a/file", 1);
    write_file(top + "/b/file", 2);
    Watch watch({top});
    succeed(static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, (top + "/a/file").c_str(), AT_FDCWD,
                                       (top + "/b/file").c_str(), RENAME_EXCHANGE)),
            "exchange");
    require_changed(watch, {top + "/a", top + "/b", top + "/a/file", top + "/b/file"});
  });
}

TEST_P(Watching, ReportsTheOtherHardLinks) {
  mounted([](const std::string& top) {
    make_directory(top + "/a");
    make_directory(top + "/b");
    write_file(top + "/a/file", 1);
    Watch watch({top});
    link_to(top + "/a/file", top + "/b/link");
    require_changed(watch, {top + "/b", top + "/a/file"});
    unlink_it(top + "/b/link");
    require_changed(watch, {top + "/b", top + "/a/file"});
    link_to(top + "/a/file", top + "/b/link");
    write_file(top + "/b/new", 1);
    static_cast<void>(next(watch));
    rename_to(top + "/b/new", top + "/b/link");
    require_changed(watch, {top + "/b", top + "/b/link", top + "/a/file"});
  });
}

TEST_P(Watching, ReportsWhatTakesThePlaceOfADeletedDirectory) {
  mounted([](const std::string& top) {
    make_directory(top + "/folder");
    Watch watch({top});
    succeed(::rmdir((top + "/folder").c_str()), "remove");
    require_changed(watch, {top});
    make_directory(top + "/folder");
    succeed(::rmdir((top + "/folder").c_str()), "remove");
    write_file(top + "/folder", 1);
    require_changed(watch, {top, top + "/folder"});
  });
}

TEST_P(Watching, ReportsAFileWithoutANameThatGetsOne) {
  mounted([](const std::string& top) {
    Watch watch({top});
    const base::Fd file(::open(top.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644));
    require(bool(file) && ::write(file.get(), "x", 1) == 1, "written");
    watch.read();
    static_cast<void>(watch.take());
    const std::string self = "/proc/self/fd/" + std::to_string(file.get());
    succeed(::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, (top + "/file").c_str(), AT_SYMLINK_FOLLOW),
            "link");
    require_changed(watch, {top, top + "/file"});
  });
}

TEST_P(Watching, AcceptsLongAndStrangeNames) {
  mounted([](const std::string& top) {
    Watch watch({top});
    for (const std::string& name : {std::string("new\nline"), std::string(255, 'n'),
                                    std::string("\xff\xfe"), std::string("'\"\\ ")}) {
      write_file(top + "/" + name, 1);
      require_changed(watch, {top, top + "/" + name});
    }
  });
}

TEST_P(Watching, ReachesFilesWhosePathIsTooLong) {
  mounted([](const std::string& top) {
    const std::string name(200, 'd');
    base::Fd folder(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < 40; ++i) {
      succeed(::mkdirat(folder.get(), name.c_str(), 0755), "make a directory");
      folder.reset(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    Watch watch({top});
    succeed(::fchmod(folder.get(), 0700), "change the mode");
    struct stat found = {};
    succeed(::fstat(folder.get(), &found), "examine it");
    const Changes changes = next(watch);
    require(changes.inodes == std::vector<InodeOnDevice>{{found.st_dev, found.st_ino}}, "reported");
  });
}

TEST_P(Watching, ReportsNothingThatReadingCauses) {
  mounted([](const std::string& top) {
    make_directory(top + "/folder");
    write_file(top + "/folder/file", 100);
    write_file(top + "/other", 1);
    Watch watch({top});
    command({"cat", top + "/folder/file"});
    command({"ls", "-laR", top});
    command({"find", top, "-newer", top + "/folder/file"});
    change_mode(top + "/other", 0600);
    require_changed(watch, {top + "/other"});
  });
}

TEST_P(Watching, ForgetsWhatWasTaken) {
  mounted([](const std::string& top) {
    write_file(top + "/a", 1);
    write_file(top + "/b", 1);
    Watch watch({top});
    require(!watch.changed(), "nothing has changed yet");
    change_mode(top + "/a", 0600);
    change_mode(top + "/a", 0700);
    require_changed(watch, {top + "/a"});
    change_mode(top + "/b", 0600);
    require_changed(watch, {top + "/b"});
    change_mode(top + "/a", 0600);
    require_changed(watch, {top + "/a"});
  });
}

TEST_P(Watching, ReportsWhatIsChangedThroughAnotherMount) {
  mounted([](const std::string& top) {
    make_directory(top + "/inner");
    make_directory(top + "/elsewhere");
    write_file(top + "/inner/file", 1);
    bind_mount(top + "/inner", top + "/elsewhere");
    Watch watch({top + "/inner"});
    write_file(top + "/elsewhere/new", 1);
    require_changed(watch, {top + "/inner", top + "/inner/new"});
    unmount(top + "/elsewhere");
  });
}

TEST_P(Watching, ReportsWhatAnOverlayWritesToItsUpperDirectory) {
  mounted([](const std::string& top) {
    for (const char* const name : {"/lower", "/upper", "/work", "/both"}) {
      make_directory(top + name);
    }
    const std::string options =
        "lowerdir=" + top + "/lower,upperdir=" + top + "/upper,workdir=" + top + "/work";
    if (::mount("overlay", (top + "/both").c_str(), "overlay", 0, options.c_str()) != 0) {
      std::puts("overlays are not allowed here: nothing is tested");
      return;
    }
    base::Fd open(open_file(top + "/both/file", 1));
    Watch watch({top + "/upper"});
    require(::write(open.get(), "x", 1) == 1, "written");
    require_changed(watch, {top + "/upper/file"});
    open.reset();
    unmount(top + "/both");
  });
}

TEST_P(Watching, MissesWhatIsMountedLaterAndThenFollowsIt) {
  mounted([](const std::string& top) {
    make_directory(top + "/later");
    write_file(top + "/file", 1);
    Watch watch({top});
    mount_tmpfs(top + "/later");
    require_missed(watch);
    write_file(top + "/later/file", 1);
    require_changed(watch, {top + "/later", top + "/later/file"});
    unmount(top + "/later");  // the watch does not keep it busy
    require_missed(watch);
    change_mode(top + "/file", 0600);
    require_changed(watch, {top + "/file"});
  });
}

TEST_P(Watching, MissesNothingIfSomethingIsMountedElsewhere) {
  mounted([](const std::string& top) {
    make_directory(top + "/followed");
    make_directory(top + "/elsewhere");
    Watch watch({top + "/followed"});
    mount_tmpfs(top + "/elsewhere");
    change_mode(top + "/followed", 0700);
    require_changed(watch, {top + "/followed"});
    unmount(top + "/elsewhere");
  });
}

TEST_P(Watching, FindsAMountAgainWhosePathHasChanged) {
  mounted([](const std::string& top) {
    make_directory(top + "/old");
    make_directory(top + "/old/mount");
    mount_tmpfs(top + "/old/mount");
    Watch watch({top});
    rename_to(top + "/old", top + "/new");
    require_changed(watch, {top, top + "/new"});
    write_file(top + "/new/mount/file", 1);
    require_missed(watch);
    write_file(top + "/new/mount/other", 1);
    require_changed(watch, {top + "/new/mount", top + "/new/mount/other"});
    unmount(top + "/new/mount");
  });
}

TEST_P(Watching, MissesWhatItHasNoRoomFor) {
  mounted([](const std::string& top) {
    Watch watch({top}, 10);
    for (int i = 0; i < 20; ++i) write_file(top + "/" + std::to_string(i), 0);
    require_missed(watch);
    change_mode(top + "/1", 0600);
    require_changed(watch, {top + "/1"});
  });
}

// All metadata except blocks, which a filesystem may allocate later, and access times; of
// directories also their names. By inode, without paths: those change when a directory is renamed.
using FactsByInode = std::map<InodeOnDevice, std::string>;

std::string metadata_of(const std::string& path) {
  struct stat found = {};
  succeed(::lstat(path.c_str(), &found), "examine " + path);
  std::ostringstream text;
  text << found.st_mode << ' ' << found.st_uid << ' ' << found.st_nlink << ' ' << found.st_size;
  for (const auto& time : {found.st_mtim, found.st_ctim}) {
    text << ' ' << time.tv_sec << '.' << time.tv_nsec;
  }
  return text.str();
}

FactsByInode facts_below(const std::string& top) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
    paths.insert(entry.path());
  }
  FactsByInode facts = {{inode_of(top), metadata_of(top)}};
  for (const std::string& path : paths) facts[inode_of(path)] = metadata_of(path);
  for (const std::filesystem::path path : paths) {
    const InodeOnDevice inode = inode_of(path);
    facts[inode_of(path.parent_path())] +=
        "\n" + path.filename().string() + ' ' + std::to_string(inode.second);
  }
  return facts;
}

// Does something to something, if it can be done.
void change_anything(const std::string& top, std::mt19937& random) {
  const auto any = [&] {
    std::string path = top;
    for (auto depth = 1 + random() % 3; depth != 0; --depth) {
      path += '/' + std::to_string(random() % 4);
    }
    return path;
  };
  const std::string path = any();
  const std::string other = any();
  std::error_code impossible;
  switch (random() % 10) {
    case 0:
    case 1:
      std::filesystem::create_directory(path, impossible);
      return;
    case 2:
    case 3:
      std::ofstream(path, std::ios::app) << other;
      return;
    case 4:
      std::filesystem::remove(path, impossible);
      return;
    case 5:
      std::filesystem::rename(path, other, impossible);
      return;
    case 6:
      std::filesystem::create_hard_link(path, other, impossible);
      return;
    case 7:
      std::filesystem::create_symlink("target", path, impossible);
      return;
    case 8:
      static_cast<void>(::chmod(path.c_str(), static_cast<mode_t>(0700 | random() % 64)));
      return;
    default:
      std::filesystem::resize_file(path, random() % 10'000, impossible);
      return;
  }
}

TEST_P(Watching, ReportsEverythingThatRandomChangesLeave) {
  mounted([](const std::string& top) {
    std::mt19937 random(11);
    Watch watch({top});
    FactsByInode before = facts_below(top);
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 20; ++i) change_anything(top, random);
      watch.read();
      const Changes changes = watch.take();
      require(!changes.missed, "nothing is missed");
      FactsByInode after = facts_below(top);
      for (const auto& [inode, facts] : after) {
        const auto old = before.find(inode);
        if (old != before.end() && old->second == facts) continue;
        require(std::binary_search(changes.inodes.begin(), changes.inodes.end(), inode),
                std::to_string(inode.second) + " is reported: " + facts);
      }
      before = std::move(after);
    }
    require(before.size() > 10, "something is left");
  });
}

std::string name_of(const ::testing::TestParamInfo<ImageKind>& info) {
  return info.param.type;
}

INSTANTIATE_TEST_SUITE_P(Types, Watching,
                         ::testing::Values(ImageKind{.type = "tmpfs"}, ImageKind{.type = "ext4"},
                                           ImageKind{.type = "xfs"}, ImageKind{.type = "btrfs"}),
                         name_of);

TEST(Watch, MissesThatAFilesystemWasMountedAgain) {
  on_image({.type = "ext4"}, [](const Image& image) {
    const std::string file = image.top() + "/file";
    write_file(file, 1);
    Watch watch({image.top()});
    image.mount_again();
    write_file(file + "2", 1);
    require_missed(watch);
    change_mode(file, 0600);
    require_changed(watch, {file});
  });
}

TEST(Watch, ReportsTheInodesOfSubvolumesOfBtrfs) {
  on_image({.type = "btrfs"}, [](const Image& image) {
    const std::string top = image.top();
    Watch watch({top});
    command({"btrfs", "subvolume", "create", top + "/inner"});
    require_changed(watch, {top, top + "/inner"});
    require(inode_of(top).first != inode_of(top + "/inner").first, "they are different devices");
    write_file(top + "/inner/file", 1);
    require_changed(watch, {top + "/inner", top + "/inner/file"});
    command({"btrfs", "subvolume", "create", top + "/inner/most"});
    write_file(top + "/inner/most/file", 1);
    require_changed(watch, {top + "/inner", top + "/inner/most", top + "/inner/most/file"});
    command({"btrfs", "subvolume", "snapshot", top + "/inner", top + "/snapshot"});
    require_changed(watch, {top, top + "/snapshot"});
    change_mode(top + "/snapshot/file", 0600);
    require_changed(watch, {top + "/snapshot/file"});
    command({"btrfs", "subvolume", "delete", top + "/snapshot"});
    require_changed(watch, {top});
  });
}

TEST(Watch, FollowsABtrfsOfWhichOnlyASubvolumeIsMounted) {
  on_image({.type = "btrfs"}, [](const Image& image) {
    const std::string top = image.top();
    command({"btrfs", "subvolume", "create", top + "/@"});
    unmount(top);
    command({"mount", "-o", "loop,subvol=@", image.disk(), top});
    Watch watch({top});
    require(watch.not_followed().empty(), "it is followed");
    write_file(top + "/file", 1);
    require_changed(watch, {top, top + "/file"});
    command({"btrfs", "subvolume", "create", top + "/inner"});
    write_file(top + "/inner/file", 1);
    require_changed(watch, {top, top + "/inner", top + "/inner/file"});
  });
}

TEST(Watch, ReportsTheChangesOfCopiesOfAFilesystem) {
  testing::TempTree other;
  on_image({.type = "ext4"}, [&](const Image& image) {
    const std::string top = image.top();
    const std::string copy = other.path("disk");
    make_directory(top + "/copy");
    write_file(top + "/file", 1);
    ::sync();
    command({"cp", "--sparse=always", image.disk(), copy});
    command({"mount", "-o", "loop", copy, top + "/copy"});
    Watch watch({top});
    require(watch.not_followed().empty(), "both are followed");
    change_mode(top + "/copy/file", 0600);
    require_among_changed(watch, top + "/copy/file");
    change_mode(top + "/file", 0600);
    require_among_changed(watch, top + "/file");
    unmount(top + "/copy");
  });
}

TEST(Watch, FollowsTheFilesystemOfAFile) {
  on_tmpfs([](const std::string& top) {
    write_file(top + "/file", 1);
    write_file(top + "/bound", 1);
    bind_mount(top + "/file", top + "/bound");
    Watch watch({top + "/bound"});
    change_mode(top + "/file", 0600);
    require_changed(watch, {top + "/file"});
  });
}

TEST(Watch, NamesTheMountPointsThatItCannotFollow) {
  on_tmpfs([](const std::string& top) {
    make_directory(top + "/proc");
    succeed(::mount("proc", (top + "/proc").c_str(), "proc", 0, nullptr), "mount");
    Watch watch({top});
    require(watch.not_followed() == std::vector{top + "/proc"}, "it is named");
    write_file(top + "/file", 1);
    require_changed(watch, {top, top + "/file"});
    unmount(top + "/proc");
    require_missed(watch);
    require(watch.not_followed().empty(), "it is not mounted any more");
  });
}

TEST(Watch, IgnoresMountsThatOthersHide) {
  on_tmpfs([](const std::string& top) {
    make_directory(top + "/a");
    make_directory(top + "/a/b");
    mount_tmpfs(top + "/a/b");
    mount_tmpfs(top + "/a");
    make_directory(top + "/a/b");
    Watch watch({top});
    require(watch.not_followed().empty(), "what is visible is followed");
    write_file(top + "/a/b/file", 1);
    require_changed(watch, {top + "/a/b", top + "/a/b/file"});
  });
}

// Sets a limit of the kernel for new queues as long as the object lives.
class QueueLimit {
 public:
  explicit QueueLimit(const std::string& limit) {
    std::getline(std::ifstream(kPath), before_);
    is_set_ = static_cast<bool>(std::ofstream(kPath) << limit << std::flush);
  }
  QueueLimit(const QueueLimit&) = delete;
  QueueLimit& operator=(const QueueLimit&) = delete;
  ~QueueLimit() {
    if (is_set_) std::ofstream(kPath) << before_;
  }
  [[nodiscard]] bool is_set() const { return is_set_; }

 private:
  static constexpr auto kPath = "/proc/sys/fs/fanotify/max_queued_events";
  std::string before_;
  bool is_set_ = false;
};

TEST(Watch, MissesWhatTheQueueHasNoRoomFor) {
  auto limit = std::make_unique<QueueLimit>("50");
  if (!limit->is_set()) GTEST_SKIP() << "the length of queues cannot be changed here";
  on_tmpfs([&](const std::string& top) {
    Watch watch({top});
    limit.reset();
    for (int i = 0; i < 200; ++i) write_file(top + "/" + std::to_string(i), 0);
    require_missed(watch);
    change_mode(top + "/199", 0600);
    require_changed(watch, {top + "/199"});
  });
}

// The message of the refusal.
std::string refusal(const std::vector<std::string>& roots) {
  try {
    const Watch watch(roots);
  } catch (const base::Error& error) {
    return error.what();
  }
  throw base::Error("the roots are followed");
}

void require_says(const std::string& text, const std::string& part) {
  require(text.find(part) != std::string::npos, text + " says " + part);
}

TEST(Watch, IsRefusedToOrdinaryUsers) {
  const std::string why = why_not_followed();
  if (testing::is_root() && !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(testing::as_nobody([] { require_says(refusal({"/"}), "run it as root"); }), 0);
}

TEST(Watch, IsRefusedIfThereIsNothingToFollow) {
  in_namespace([] {
    require_says(refusal({"/proc"}), "cannot follow the changes of /proc: its filesystem");
    require_says(refusal({"/does not exist"}), "No such file");
  });
}

}  // namespace
}  // namespace fathom::fs
