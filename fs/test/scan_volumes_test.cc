// Engines that read filesystems in bulk, compared with the walk, on images of each type.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/base/fd.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/rt/observer.h"
#include "fathom/testing/temp_tree.h"
#include "volume_images.h"
#include "volume_scans.h"

namespace fathom::fs {
namespace {

void set_times(const std::string& path, std::int64_t seconds, long rest) {
  const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                    {.tv_sec = seconds, .tv_nsec = rest}};
  require(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0, "times of " + path);
}

// Attributes in inodes, in blocks and in inodes of their own, where the filesystem takes them.
void add_attributes(const std::string& folder) {
  for (const std::size_t bytes : {10, 300, 3000, 20'000}) {
    const std::string path = folder + "/attribute-" + std::to_string(bytes);
    write_file(path, 5);
    const std::string value(bytes, 'v');
    static_cast<void>(::setxattr(path.c_str(), "user.value", value.data(), bytes, 0));
  }
}

// Where the filesystem can share blocks.
void add_reflink(const std::string& of, const std::string& path) {
  const base::Fd source(::open(of.c_str(), O_RDONLY | O_CLOEXEC));
  const base::Fd copy(open_file(path, 0));
  static_cast<void>(::ioctl(copy.get(), FICLONE, source.get()));
}

// A directory whose entries inherit the number of a project, where the filesystem has them.
void add_project(const std::string& folder) {
  make_directory(folder);
  const base::Fd directory(::open(folder.c_str(), O_RDONLY | O_CLOEXEC));
  struct fsxattr attributes = {};
  if (::ioctl(directory.get(), FS_IOC_FSGETXATTR, &attributes) == 0) {
    attributes.fsx_projid = 0x89abcdef;
    attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
    static_cast<void>(::ioctl(directory.get(), FS_IOC_FSSETXATTR, &attributes));
  }
  write_file(folder + "/file", 5000);
  make_directory(folder + "/below");
  write_file(folder + "/below/file", 50);
}

// Files of every kind, links, holes, deep and wide directories, deleted and open ones.
void fill(const std::string& top) {
  std::mt19937 random(7);
  make_directory(top + "/kinds");
  const std::string kinds = top + "/kinds";
  for (const std::size_t bytes :
       {0, 1, 50, 59, 61, 100, 156, 200, 511, 512, 513, 3000, 4096, 4097, 100'000}) {
    write_file(kinds + "/bytes-" + std::to_string(bytes), bytes);
  }
  write_file(kinds + "/hole", 10);
  require(::truncate((kinds + "/hole").c_str(), off_t{1} << 32) == 0, "a hole");
  for (const std::size_t bytes : {1, 59, 60, 61, 300, 1000}) {
    require(::symlink(std::string(bytes, 'l').c_str(),
                      (kinds + "/link-" + std::to_string(bytes)).c_str()) == 0,
            "a link");
  }
  require(::mkfifo((kinds + "/fifo").c_str(), 0644) == 0, "a fifo");
  require(::mknod((kinds + "/device").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0, "a device");
  require(::mknod((kinds + "/socket").c_str(), S_IFSOCK | 0600, 0) == 0, "a socket");
  write_file(kinds + "/high-ids", 5);
  require(::chown((kinds + "/high-ids").c_str(), 3'000'000'000U, 70'000) == 0, "ids");
  require(::chmod((kinds + "/high-ids").c_str(), 07777) == 0, "modes");
  write_file(kinds + "/old", 5);
  set_times(kinds + "/old", -2'000'000'000, 123'456'789);
  write_file(kinds + "/new", 5);
  set_times(kinds + "/new", 4'000'000'000, 1);
  for (const char* const name : {"\xff\xfe", "new\nline", "\xe2\x82\xac", " "}) {
    write_file(kinds + "/" + name, 3);
  }
  write_file(kinds + "/" + std::string(255, 'n'), 3);
  add_attributes(kinds);
  add_reflink(kinds + "/bytes-100000", kinds + "/reflink");
  add_project(top + "/project");

  make_directory(top + "/wide");
  for (int i = 0; i < 1500; ++i) {
    write_file(top + "/wide/a name that is rather long, so that blocks fill, " + std::to_string(i),
               random() % 3 == 0 ? 10 : 0);
  }
  for (int i = 0; i < 1500; i += 2) {
    const std::string name =
        top + "/wide/a name that is rather long, so that blocks fill, " + std::to_string(i);
    if (i % 20 == 0) {
      require(::link(name.c_str(), (kinds + "/hard-" + std::to_string(i)).c_str()) == 0, "a link");
    }
    require(::unlink(name.c_str()) == 0, "deleted");
  }
  std::string deep = top;
  for (int i = 0; i < 60; ++i) {
    deep += "/deep-" + std::to_string(i);
    make_directory(deep);
    write_file(deep + "/file", random() % 5000);
    make_directory(deep + "/empty");
  }
  make_directory(top + "/emptied");
  for (int i = 0; i < 500; ++i) write_file(top + "/emptied/" + std::to_string(i), 0);
  for (int i = 0; i < 500; ++i) ::unlink((top + "/emptied/" + std::to_string(i)).c_str());
}

class Volumes : public ::testing::TestWithParam<ImageKind> {
 protected:
  void mounted(const std::function<void(const std::string&)>& body) { run_mounted(image_, body); }
  [[nodiscard]] Engine engine() const { return engine_of(GetParam().type); }

  Image image_{GetParam()};
};

TEST_P(Volumes, AreTheSameWhetherTheyAreReadOrWalked) {
  mounted([&](const std::string& top) {
    fill(top);
    base::Fd orphan(open_file(top + "/orphan", 100'000));
    require(::unlink((top + "/orphan").c_str()) == 0, "deleted while open");
    settle(top);
    const Scan walked = scan_with(Engine::lockfree, {top});
    for (const Engine chosen : {Engine::automatic, engine()}) {
      const Scan read = scan_with(chosen, {top});
      require_read(read);
      require_same(walked, read);
    }
    orphan.reset();
    image_.mount_again();
    require_same(scan_with(engine(), {top}), scan_with(Engine::lockfree, {top}));
  });
}

TEST_P(Volumes, ShowAtOnceWhatWasJustWritten) {
  mounted([&](const std::string& top) {
    for (int round = 0; round < 20; ++round) {
      const std::string folder = top + "/" + std::to_string(round);
      make_directory(folder);
      for (int i = 0; i < 20; ++i) {
        write_file(folder + "/" + std::to_string(i), 3000U * static_cast<unsigned>(i));
      }
      const Scan read = scan_with(engine(), {top});
      require_read(read);
      require_same(scan_with(Engine::lockfree, {top}), read);
    }
  });
}

TEST_P(Volumes, LeadToWhatIsMountedOnThem) {
  mounted([&](const std::string& top) {
    for (const char* const name : {"/tmpfs", "/bound", "/inner", "/inner/folder"}) {
      make_directory(top + name);
    }
    write_file(top + "/tmpfs/hidden", 100'000);
    write_file(top + "/inner/folder/file", 5000);
    write_file(top + "/file", 10);
    write_file(top + "/other", 20'000);
    settle(top);
    mount_tmpfs(top + "/tmpfs");
    write_file(top + "/tmpfs/seen", 20'000);
    bind_mount(top + "/inner/folder", top + "/bound");
    bind_mount(top + "/other", top + "/file");
    const auto scan_both = [&](const std::vector<std::string>& roots) {
      require_same(scan_with(Engine::lockfree, roots), scan_with(engine(), roots));
      require_same(scan_with(Engine::lockfree, roots), scan_with(Engine::automatic, roots));
    };
    scan_both({top});
    scan_both({top + "/bound", top});
    scan_both({top + "/inner", top + "/inner/folder"});
    for (const char* const point : {"/file", "/bound", "/tmpfs"}) {
      require(::umount((top + point).c_str()) == 0, "unmounted");
    }
  });
}

TEST_P(Volumes, AreFilteredAndExcludedLikeAWalk) {
  mounted([&](const std::string& top) {
    fill(top);
    settle(top);
    ScanOptions options = options_for({Engine::lockfree, 0}, {top});
    options.selection.excluded.add_line("deep-3/");
    options.selection.excluded.add_line("*7");
    options.selection.min_size = 1;
    const Scan walked = scan(options);
    options.engine = engine();
    const Scan read = scan(options);
    require_read(read);
    require_same(walked, read);
    require(walked.filtered_out == read.filtered_out, "as many are filtered out");
    require(walked.excluded.size() == read.excluded.size(), "as many are excluded");
  });
}

TEST_P(Volumes, AreOnlyReadIfEverythingInThemIsWanted) {
  mounted([&](const std::string& top) {
    make_directory(top + "/inner");
    write_file(top + "/inner/file", 100);
    const Scan part = scan_with(Engine::automatic, {top + "/inner"});
    require(part.volumes.at(0).why_walked.starts_with("the directory is only a part of it"), "why");
    require_read(scan_with(engine(), {top + "/inner"}));

    ScanOptions options = options_for({engine(), 0}, {top});
    options.read_links = true;
    require(scan(options).volumes.at(0).why_walked == "the targets of symbolic links are wanted",
            "why");
    options.engine = GetParam().type == "xfs" ? Engine::ext4 : Engine::xfs;
    require(scan(options).volumes.at(0).why_walked == "it is of another type", "why");
  });
}

TEST(XfsVolumes, AreTheSameIfTheirInodeNumbersNeedMoreThan32Bits) {
  Image image({.type = "xfs", .make = {"-l", "size=64m"}}, std::uint64_t{8} << 40);
  run_mounted(image, [&](const std::string& top) {
    for (int i = 0; i < 20; ++i) {  // in another allocation group each
      const std::string folder = top + "/" + std::to_string(i);
      make_directory(folder);
      write_file(folder + "/file", 100);
    }
    settle(top);
    const Scan walked = scan_with(Engine::lockfree, {top});
    std::uint64_t largest = 0;
    walked.tree.for_each_node(
        [&](NodeId node) { largest = std::max(largest, walked.tree.inode(node)); });
    require(largest > std::uint64_t{1} << 32, "a large number");
    const Scan read = scan_with(Engine::xfs, {top});
    require_read(read);
    require_same(walked, read);
  });
}

// Gives a filesystem a key for its encrypted directories.
struct fscrypt_key_specifier add_key(const std::string& top) {
  using Request = struct fscrypt_add_key_arg;  // followed by the key
  alignas(Request) std::array<std::uint8_t, sizeof(Request) + FSCRYPT_MAX_KEY_SIZE> bytes = {};
  auto* const request = new (bytes.data()) Request{};
  request->key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
  request->raw_size = FSCRYPT_MAX_KEY_SIZE;
  std::iota(bytes.begin() + sizeof(Request), bytes.end(), std::uint8_t{1});
  const base::Fd directory(::open(top.c_str(), O_RDONLY | O_CLOEXEC));
  if (::ioctl(directory.get(), FS_IOC_ADD_ENCRYPTION_KEY, request) != 0) Image::end_unsupported();
  return request->key_spec;
}

void encrypt(const std::string& folder, const struct fscrypt_key_specifier& key) {
  struct fscrypt_policy_v2 policy = {};
  policy.version = FSCRYPT_POLICY_V2;
  policy.contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS;
  policy.filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS;
  policy.flags = FSCRYPT_POLICY_FLAGS_PAD_32;
  std::copy_n(key.u.identifier, FSCRYPT_KEY_IDENTIFIER_SIZE, policy.master_key_identifier);
  const base::Fd directory(::open(folder.c_str(), O_RDONLY | O_CLOEXEC));
  require(::ioctl(directory.get(), FS_IOC_SET_ENCRYPTION_POLICY, &policy) == 0, "encrypted");
}

TEST(Ext4Volumes, ShowEncryptedNamesAsTheKernelDoesWithTheKeyAndWithout) {
  Image image({.type = "ext4", .make = {"-O", "encrypt"}});
  run_mounted(image, [&](const std::string& top) {
    const struct fscrypt_key_specifier key = add_key(top);
    make_directory(top + "/secret");
    encrypt(top + "/secret", key);
    fill(top + "/secret");
    fill(top);
    settle(top);
    const auto sums = [&] {
      const Scan read = scan_with(Engine::ext4, {top});
      require_read(read);
      require_same(scan_with(Engine::lockfree, {top}), read);
      const Counts whole = Totals(read.tree).whole();
      return std::pair(whole.entries(), whole.disk_bytes);
    };
    const auto with_key = sums();
    image.mount_again();  // forgets the key
    require(sums() == with_key, "the same sums");
  });
}

// ---- Damaged filesystems

// Turns bits over in blocks of the image that are not empty; the same ones for the same seed.
void damage(const std::string& disk, unsigned seed, int bits) {
  std::mt19937_64 random(seed);
  const base::Fd file(::open(disk.c_str(), O_RDWR | O_CLOEXEC));
  std::vector<off_t> blocks;
  constexpr off_t kBlock = 4096;
  std::array<char, kBlock> block{};
  for (off_t at = 0; (at = ::lseek(file.get(), at, SEEK_DATA)) >= 0; at += kBlock) {
    at -= at % kBlock;
    static_cast<void>(::pread(file.get(), block.data(), block.size(), at));
    // Not the superblocks, without which nothing can be mounted, and not the content of files.
    constexpr off_t kBehindSuperblocks = 200'000;
    const bool is_content = std::count(block.begin(), block.end(), 'x') > kBlock / 2;
    const bool is_empty = std::count(block.begin(), block.end(), 0) == kBlock;
    if (at >= kBehindSuperblocks && !is_content && !is_empty) blocks.push_back(at);
  }
  for (int i = 0; i < bits; ++i) {
    const off_t at = blocks[random() % blocks.size()] + static_cast<off_t>(random() % kBlock);
    char byte = 0;
    static_cast<void>(::pread(file.get(), &byte, 1, at));
    byte = static_cast<char>(byte ^ (1 << random() % 8));
    static_cast<void>(::pwrite(file.get(), &byte, 1, at));
  }
}

TEST_P(Volumes, AreTheSameWithDamageWhetherTheyAreReadOrWalked) {
  mounted([&](const std::string& top) {
    fill(top);
    const int rounds =
        kSmall || engine() == Engine::xfs ? 2 : 6;  // the kernel tries again for long
    settle(top);
    const std::string whole = image_.disk() + "-whole";
    require(::umount(top.c_str()) == 0, "unmounted");
    command({"cp", "--sparse=always", image_.disk(), whole});
    unsigned seed = 0;
    int compared = 0;
    while (compared < rounds) {
      damage(image_.disk(), seed++, 20);
      const auto scanned = [&](Engine chosen) -> std::optional<Scan> {
        if (!image_.mount()) return std::nullopt;  // too much
        Scan found = scan_with(chosen, {top});
        require(::umount(top.c_str()) == 0, "unmounted");
        return found;
      };
      const auto walked = scanned(Engine::lockfree);
      const auto read = walked ? scanned(engine()) : std::nullopt;
      if (read) {
        require_same(*walked, *read, Devices::in_order);
        ++compared;
      } else if (compared > 0) {
        break;
      } else {  // where the damage falls depends on checksums, and these on the random UUID
        require(seed < 20, "it can be mounted with some damage at least");
        command({"cp", "--sparse=always", whole, image_.disk()});
      }
    }
    command({"mount", "-t", "tmpfs", "tmpfs", top});  // run() unmounts it
  });
}

// Changes an ext4 that is not in use.
void debugfs(const std::string& disk, const std::vector<std::string>& requests) {
  const std::string file = disk + "-requests";
  std::ofstream out(file);
  for (const std::string& request : requests) out << request << '\n';
  out.close();
  command({"debugfs", "-w", "-f", file, disk});
}

// Directories that contain each other.
void make_circle(const std::string& disk) {
  debugfs(disk, {"mkdir a", "mkdir a/b", "link a a/b/again", "unlink a/..", "link a/b a/.."});
}

TEST(Ext4Volumes, WithDirectoriesThatContainEachOtherEndLikeAWalk) {
  Image image({.type = "ext4"});
  const bool passed = image.why_not().empty() && image.run([&] {
    const std::string top = image.top();
    require(::umount(top.c_str()) == 0, "unmounted");
    make_circle(image.disk());
    require(image.mount(), "mounted again");
    const Scan walked = scan_with(Engine::lockfree, {top});
    require(!walked.errors.empty(), "the kernel sees the circle");
    image.mount_again();
    require_same(walked, scan_with(Engine::ext4, {top}), Devices::in_order);
    require(::umount(top.c_str()) == 0, "unmounted");
    const Scan read = scan_with(Engine::ext4, {image.disk()});
    require(!read.errors.empty() && Totals(read.tree).whole().entries() < 10, "it ends");
    require(image.mount(), "mounted again");
  });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

// ---- Images

// Otherwise each level would double the number of directories.
TEST(Ext4Images, WithASecondNameForEachDirectoryBesideTheFirstHaveEachDirectoryOnce) {
  const Image image({.type = "ext4"});
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  constexpr std::size_t kLevels = 10;
  std::vector<std::string> requests;
  std::string path = "d";
  for (std::size_t level = 0; level < kLevels; ++level, path += "/d") {
    requests.push_back("mkdir " + path);
  }
  path = "";
  for (std::size_t level = 0; level < kLevels; ++level, path += "d/") {
    requests.push_back("link " + path + "d " + path + "e");
  }
  debugfs(image.disk(), requests);
  const Scan read = scan_with(Engine::ext4, {image.disk()});
  std::size_t directories = 0;
  read.tree.for_each_directory([&](DirId) { ++directories; });
  EXPECT_EQ(directories, kLevels + 2) << "with the topmost and lost+found";
  EXPECT_EQ(read.errors.size(), kLevels);
  for (const ScanError& error : read.errors) EXPECT_EQ(error.code, EIO) << error.path;
}

constexpr std::uint64_t kLargeSparseFile = std::uint64_t{64} << 30;

// The lines of a scan without what depends on where the filesystem is.
std::vector<std::string> without_place(const Scan& scan, const std::string& root) {
  std::vector<std::string> lines = lines_of(scan, Devices::in_order);
  for (std::string& line : lines) line.replace(0, root.size(), "");
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(Ext4Images, HaveTheSameEntriesAsWhenTheyAreMounted) {
  Image image({.type = "ext4"});
  const bool passed = image.why_not().empty() && image.run([&] {
    const std::string top = image.top();
    fill(top);
    settle(top);
    require(scan_with(Engine::ext4, {image.disk()})
                .volumes.at(0)
                .why_walked.starts_with("it is mounted"),
            "a mounted image is not read");
    const auto mounted = without_place(scan_with(Engine::lockfree, {top}), top);
    require(::umount(top.c_str()) == 0, "unmounted");
    const Scan read = scan_with(Engine::ext4, {image.disk()});
    require_read(read);
    require(read.errors.empty(), "all is read: " + describe(read.errors));
    require(without_place(read, image.disk()) == mounted, "the same entries");
    require(Totals(scan_with(Engine::automatic, {image.disk()}).tree).whole().entries() == 1,
            "otherwise an image is a file");
    require(image.mount(), "mounted again");
  });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

// The path, mode, links and, except of directories, size of each entry below the root, sorted.
std::vector<std::string> names_and_sizes(const Scan& scan) {
  std::vector<std::string> lines;
  scan.tree.for_each_node([&](NodeId node) {
    const Entry entry = scan.tree.entry(node);
    if (scan.tree.parent(node) == kNoDir || scan.tree.name(node) == "lost+found") return;
    const std::uint64_t size = entry.kind() == Kind::directory ? 0 : entry.size;
    const std::string path = scan.tree.path(node).substr(scan.roots.front().size());
    lines.push_back(path + ' ' + std::to_string(entry.mode) + ' ' + std::to_string(entry.links) +
                    ' ' + std::to_string(size));
  });
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Sets a field of the inode of the directory Folder; debugfs itself does not fail.
void set_in_folder(const std::string& disk, const std::string& field_and_value) {
  const auto run = [&](const std::string& request) {
    return testing::run({"debugfs", "-w", "-R", request, disk}).out;
  };
  const std::string before = run("stat Folder");
  run("sif Folder " + field_and_value);
  require(run("stat Folder") != before, "debugfs has set " + field_and_value);
}

// Some kernels cannot mount them.
TEST(Ext4Images, WithProjectsOrNamesThatIgnoreCaseHaveTheEntriesThatWereCopiedIntoThem) {
  testing::TempTree tree;
  tree.file("Folder/name", 5000);
  tree.file("Folder/NAME 2", 10);
  tree.symlink("somewhere", "Folder/link");
  for (int i = 0; i < 300; ++i)
    tree.file("wide/a name that is rather long " + std::to_string(i), 1);
  for (const std::vector<std::string>& features : {std::vector<std::string>{"-O", "quota,project"},
                                                   {"-O", "casefold", "-E", "encoding=utf8"}}) {
    std::vector<std::string> make = features;
    make.insert(make.end(), {"-d", tree.path()});
    const Image image({.type = "ext4", .make = make});
    if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
    set_in_folder(image.disk(), features.size() > 2 ? "flags 0x40080000" : "projid 77");
    const Scan read = scan_with(Engine::ext4, {image.disk()});
    require_read(read);
    EXPECT_TRUE(read.errors.empty()) << describe(read.errors);
    EXPECT_EQ(names_and_sizes(read), names_and_sizes(scan_with(Engine::lockfree, {tree.path()})));
  }
}

TEST(Ext4Images, WithDamageAreReadAsFarAsPossibleAndAnErrorSaysWhere) {
  Image image({.type = "ext4"});
  const bool passed = image.why_not().empty() && image.run([&] {
    const std::string top = image.top();
    fill(top);
    settle(top);
    const std::uint64_t all = Totals(scan_with(Engine::lockfree, {top}).tree).whole().entries();
    require(::umount(top.c_str()) == 0, "unmounted");
    bool was_damaged = false;
    for (unsigned round = 0; round < 30; ++round) {
      damage(image.disk(), round, 5);
      const Scan read = scan_with(Engine::ext4, {image.disk()});
      if (!read.volumes.at(0).why_walked.empty()) break;  // now it is a file
      const std::uint64_t entries = Totals(read.tree).whole().entries();
      require(entries <= all, "nothing is invented");
      require(entries == all || !read.errors.empty(), "what is missing is said");
      was_damaged = was_damaged || entries < all;
    }
    require(was_damaged, "the damage hit something");
    command({"mount", "-t", "tmpfs", "tmpfs", top});
  });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

// Why an image is counted as a file.
std::string why_not_read(const Image& image) {
  const Scan found = scan_with(Engine::ext4, {image.disk()});
  require(found.volumes.size() == 1 && Totals(found.tree).whole().entries() == 1, "it is a file");
  return found.volumes.front().why_walked;
}

// Directories of 32,768 blocks each. Some bytes per directory would become megabytes in memory.
void claim_blocks(const Image& image, int directories) {
  std::vector<std::string> requests;
  for (int i = 0; i < directories; ++i) {
    const std::string name = "d" + std::to_string(i);
    requests.insert(requests.end(), {"mkdir " + name, "sif " + name + " block[4] 32768",
                                     "sif " + name + " block[5] 1"});
    requests.push_back("sif " + name + " size 134217728");
  }
  debugfs(image.disk(), requests);
}

TEST(Ext4Images, WhoseDirectoriesClaimMoreBlocksThanThereAreAreRefused) {
  const Image image({.type = "ext4", .make = {"-b", "4096"}});  // 81,920 blocks
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  claim_blocks(image, 3);
  EXPECT_EQ(why_not_read(image), "its directories claim more than it contains");
}

// Of such a file, the size limits nothing.
TEST(Ext4Images, WhoseDirectoriesClaimMoreThanASparseFileContainsAreRefused) {
  const Image image({.type = "ext4", .make = {"-b", "4096", "-E", "nodiscard"}}, kLargeSparseFile);
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  claim_blocks(image, 3);
  EXPECT_EQ(why_not_read(image), "its directories claim more than it contains");
}

TEST(Ext4Images, WhoseInodesClaimMoreThanASparseFileContainsAreRefused) {
  const Image image({.type = "ext4", .make = {"-N", "16777216", "-E", "nodiscard"}},
                    kLargeSparseFile);
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  std::vector<std::string> requests;
  for (int group = 1; group <= 80; ++group) {  // of 32,768 inodes, which take 8 MiB
    const std::string set = "set_bg " + std::to_string(group);
    requests.insert(requests.end(), {set + " flags 0", set + " itable_unused 0"});
    requests.push_back(set + " checksum calc");
  }
  debugfs(image.disk(), requests);
  EXPECT_EQ(why_not_read(image), "its tables of inodes claim more than it contains");
}

// A sparse file can claim any number of groups, each of which would take memory.
TEST(Ext4Images, WhoseGroupsAreMostlyDamagedAreRefused) {
  const Image image({.type = "ext4", .make = {"-b", "1024", "-N", "131072", "-E", "nodiscard"}},
                    kLargeSparseFile);
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  command({"dd", "if=/dev/zero", "of=" + image.disk(), "bs=1024", "seek=2", "count=256",
           "conv=notrunc", "status=none"});
  EXPECT_EQ(why_not_read(image), "most descriptors of its groups are damaged");
}

TEST(Ext4Images, WithAMapOfBlocksForTheTopmostDirectoryAreRefused) {
  const Image image({.type = "ext4", .make = {"-O", "^extent,^64bit,metadata_csum"}});
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_EQ(why_not_read(image), "the names in its topmost directory cannot be read");
}

// Unlike others, they count blocks of 1 KiB from 0.
TEST(Ext4Images, WithClustersOfSmallBlocksAreRead) {
  const Image image({.type = "ext4", .make = {"-b", "1024", "-O", "bigalloc"}});
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  const Scan found = scan_with(Engine::ext4, {image.disk()});
  ASSERT_EQ(found.volumes.size(), 1U);
  EXPECT_EQ(found.volumes.front().why_walked, "");
  EXPECT_EQ(Totals(found.tree).whole().dirs, 2U);  // and lost+found
}

TEST(Ext4Images, MustBeginLikeOne) {
  testing::TempTree tree;
  tree.file("short", 100);
  tree.file("long", 100'000);
  tree.fifo("fifo");
  const Scan found = scan_with(
      Engine::ext4, {tree.path("short"), tree.path("long"), tree.path("fifo"), tree.path("none")});
  EXPECT_EQ(Totals(found.tree).whole().entries(), 3U);
  ASSERT_EQ(found.volumes.size(), 2U);
  for (const VolumeFacts& volume : found.volumes) {
    EXPECT_EQ(volume.why_walked, "it does not begin like one") << volume.path;
  }
}

TEST(Ext4Images, SayWhyTheyAreCountedAsFiles) {
  const Image image({.type = "ext4"});
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  const auto why = [&](const ScanOptions& options) {
    return scan(options).volumes.at(0).why_walked;
  };
  ScanOptions options = options_for({Engine::ext4, 0}, {image.disk()});
  options.read_links = true;
  EXPECT_EQ(why(options), "the targets of symbolic links are wanted");
  ::chmod(image.disk().c_str(), 0);
  EXPECT_EQ(testing::as_nobody([&] {
              options.read_links = false;
              require(why(options) == "it cannot be opened: Permission denied", why(options));
            }),
            0);
}

// ---- Subvolumes

TEST(BtrfsVolumes, AreSubvolumesAndSnapshotsOnTheirOwn) {
  Image image({.type = "btrfs"});
  const bool passed = image.why_not().empty() && image.run([&] {
    const std::string top = image.top();
    make_directory(top + "/folder");
    command({"btrfs", "-q", "subvolume", "create", top + "/folder/inner"});
    write_file(top + "/folder/inner/file", 70'000);
    command({"btrfs", "-q", "subvolume", "snapshot", "-r", top + "/folder/inner", top + "/before"});
    command({"btrfs", "-q", "subvolume", "create", top + "/folder/inner/innermost"});
    write_file(top + "/folder/inner/innermost/file", 5);
    write_file(top + "/folder/inner/later", 100);
    settle(top);
    const Scan walked = scan_with(Engine::lockfree, {top});
    const Scan read = scan_with(Engine::automatic, {top});
    require_same(walked, read);
    require(read.volumes.size() >= 4, "each is a volume");
    require_same(scan_with(Engine::lockfree, {top + "/folder/inner"}),
                 scan_with(Engine::automatic, {top + "/folder/inner"}));
  });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

// All of the subvolume is of the moment of the snapshot, also its topmost directory.
TEST(BtrfsVolumes, AreOfOneMomentIfTheyAreFrozen) {
  Image image({.type = "btrfs"});
  const bool passed = image.why_not().empty() && image.run([&] {
    const std::string top = image.top();
    fill(top);
    command({"btrfs", "-q", "subvolume", "create", top + "/inner"});
    write_file(top + "/inner/file", 70'000);
    make_directory(top + "/elsewhere");
    const Scan before = scan_with(Engine::lockfree, {top});
    ScanOptions options = options_for({Engine::automatic, 0}, {top});
    options.read_times = true;
    int frozen = 0;
    options.freeze = [&](int directory) {
      const std::string subvolume =
          "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(directory);
      const std::string copy = top + "/elsewhere/" + std::to_string(frozen);
      if (frozen++ == 0) write_file(top + "/too-late", 10);  // the walk has seen the directory
      command({"btrfs", "-q", "subvolume", "snapshot", "-r", subvolume, copy});
      write_file(top + "/wide/" + std::to_string(frozen), 10);
      ::unlink((top + "/kinds/bytes-1").c_str());
      return std::make_shared<const base::Fd>(::open(copy.c_str(), O_RDONLY | O_CLOEXEC));
    };
    ::unlink((top + "/too-late").c_str());
    const Scan read = scan(options);
    require(frozen == 2, "each subvolume is frozen");
    for (const VolumeFacts& volume : read.volumes) require(volume.is_frozen, volume.path);
    // The name that was made before the snapshot is there, and nothing that came later.
    auto expected = lines_of(before);
    auto found = lines_of(read);
    const auto is_moving = [&](const std::string& line) {
      return line.starts_with(top + " ") || line.starts_with(top + "/elsewhere ") ||
             line.starts_with(top + "/too-late ");
    };
    std::erase_if(expected, is_moving);
    require(std::count_if(found.begin(), found.end(), is_moving) == 3, "it is of the snapshot");
    std::erase_if(found, is_moving);
    require(expected == found, "it is the tree before");
  });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

TEST(BtrfsVolumes, ThatNobodyFreezesMayChange) {
  Image image({.type = "btrfs"});
  const bool passed = image.why_not().empty() && image.run([&] {
    const std::string top = image.top();
    write_file(top + "/file", 10);
    ScanOptions options = options_for({Engine::automatic, 0}, {top});
    options.freeze = [](int) { return nullptr; };
    const Scan read = scan(options);
    require_read(read);
    require(!read.volumes.front().is_frozen, "no snapshot was read");
    require(read.asked > 0, "what has just changed is in doubt");
  });
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  EXPECT_TRUE(passed);
}

// ---- While others write

TEST_P(Volumes, GiveEachFileAStateThatItHadWhileOthersWrite) {
  mounted([&](const std::string& top) {
    make_directory(top + "/quiet");
    write_file(top + "/quiet/file", 1234);
    make_directory(top + "/busy");
    Writer writer(top + "/busy");
    settle(top);
    writer.start();
    const int rounds = kSmall ? 10 : 20;
    for (int round = 0; round < rounds; ++round) {
      const Scan found = scan_with(engine(), {top});
      require_read(found);
      require(found.errors.empty(), "no errors: " + describe(found.errors));
      require_states(found, top + "/busy");
    }
  });
}

// Renames a directory when the first one is listed: then the volume has been read.
class RenamesAtTheFirstList final : public rt::Observer {
 public:
  RenamesAtTheFirstList(std::string from, std::string to)
      : from_(std::move(from)), to_(std::move(to)) {}
  Moment phase_begins(const char* name) const noexcept override {
    if (std::string_view(name) == "list" && !done_.exchange(true, base::memory_order_relaxed)) {
      ::rename(from_.c_str(), to_.c_str());
    }
    return 0;
  }

 private:
  const std::string from_;
  const std::string to_;
  mutable base::atomic<bool> done_{false};
};

// Names in doubt are asked by path. If a directory above them has another name by then, their
// absence must not look like that of deleted files.
TEST_P(Volumes, LoseNothingInSilenceWhenADirectoryIsRenamed) {
  mounted([&](const std::string& top) {
    constexpr std::uint64_t kFiles = 50;
    make_directory(top + "/moved");
    make_directory(top + "/moved/below");
    for (std::uint64_t i = 0; i < kFiles; ++i) {
      write_file(top + "/moved/below/" + std::to_string(i), 1);
    }
    settle(top);
    for (std::uint64_t i = 0; i < kFiles; ++i) {
      const std::string path = top + "/moved/below/" + std::to_string(i);
      require(::chmod(path.c_str(), 0600) == 0, "in doubt");
    }
    const RenamesAtTheFirstList renames(top + "/moved", top + "/elsewhere");
    ScanOptions options = options_for({engine(), 0}, {top});
    options.observer = &renames;
    const Scan found = scan(options);
    require_read(found);
    const Counts whole = Totals(found.tree).whole();
    const bool is_gone = whole.dirs <= 2;  // as in a walk, which opens it by its old name
    require(whole.files == kFiles || is_gone || !found.errors.empty(),
            std::to_string(kFiles - whole.files) + " files are missing, without an error");
  });
}

INSTANTIATE_TEST_SUITE_P(
    OfEachType, Volumes,
    ::testing::Values(
        ImageKind{.type = "ext4"},
        ImageKind{.type = "ext4", .make = {"-b", "1024", "-I", "128", "-O", "^64bit,^huge_file"}},
        ImageKind{.type = "ext4", .make = {"-I", "512", "-O", "inline_data,large_dir"}},
        ImageKind{.type = "ext4", .make = {"-O", "bigalloc,ea_inode,encrypt,verity,^flex_bg"}},
        ImageKind{.type = "btrfs"}, ImageKind{.type = "btrfs", .mount = "loop,compress-force=zstd"},
        ImageKind{.type = "xfs"},
        ImageKind{.type = "xfs", .make = {"-m", "reflink=0,bigtime=0", "-i", "size=1024"}}));

}  // namespace
}  // namespace fathom::fs
