// Scans that take from an earlier one what has not changed, compared with walks, on images.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/fd.h"
#include "fathom/fs/earlier_scan.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree_builder.h"
#include "volume_images.h"
#include "volume_scans.h"

namespace fathom::fs {
namespace {

std::int64_t file_clock() {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

// A scan, and what the next one needs of it.
struct Kept {
  std::int64_t started = 0;
  std::shared_ptr<const Scan> scan;
  std::map<std::uint64_t, std::string> filesystems = filesystem_ids(scan->tree);

  [[nodiscard]] EarlierScan as_earlier() const {
    EarlierScan earlier{
        .tree = {scan, &scan->tree}, .started = started, .filesystems = filesystems};
    for (const VolumeFacts& volume : scan->volumes) {
      if (volume.state.transaction == 0) continue;
      earlier.transactions[filesystems.at(volume.device)] = volume.state;
    }
    return earlier;
  }
};

Kept kept_scan(const std::string& top, const std::optional<EarlierScan>& earlier,
               Engine engine = Engine::automatic) {
  const std::int64_t started = file_clock();
  ScanOptions options = options_for({engine, 0}, {top});
  options.read_times = true;
  if (earlier) {
    options.earlier = [&] { return std::make_shared<const EarlierScan>(*earlier); };
  }
  return {started, std::make_shared<const Scan>(scan(options))};
}

// Scans what has changed since, and requires the same as of a walk.
Kept renewed_scan(const std::string& top, const Kept& before) {
  Kept next = kept_scan(top, before.as_earlier());
  for (const VolumeFacts& volume : next.scan->volumes) {
    require(volume.why_walked.empty(), "it is read, but: " + volume.why_walked);
  }
  require_same(scan_with(Engine::lockfree, {top}), *next.scan);
  return next;
}

void require_renewed(const Kept& kept) {
  for (const VolumeFacts& volume : kept.scan->volumes) {
    require(volume.why_anew.empty(), "it begins with the earlier scan, but: " + volume.why_anew);
  }
}

// Writes a file, which may exist; nothing if there is something else.
void rewrite(const std::string& path, std::size_t bytes) {
  const base::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const std::string content(bytes, 'x');
  if (file) require(::write(file.get(), content.data(), bytes) >= 0, "written: " + path);
}

// Changes a tree at random, in every way that a program can.
class Changer {
 public:
  explicit Changer(std::string top, unsigned seed) : random_(seed), folders_{std::move(top)} {
    for (int i = 0; i < 40; ++i) add_folder();
    for (int i = 0; i < 400; ++i) add_file();
  }

  void change(int times) {
    for (; times > 0; --times) change();
  }

 private:
  using Paths = std::vector<std::string>;

  std::string new_path() {
    return folders_[random_() % folders_.size()] + "/" + std::to_string(++names_);
  }
  std::string& some(Paths& paths) { return paths[random_() % paths.size()]; }
  void add_folder() {
    folders_.push_back(new_path());
    ::mkdir(folders_.back().c_str(), 0755);
  }
  void add_file() {
    files_.push_back(new_path());
    rewrite(files_.back(), random_() % 3 == 0 ? 70'000 : random_() % 300);
  }

  void change() {
    const std::string file = some(files_);
    const std::string folder = some(folders_);
    switch (random_() % 11) {
      case 0:
        return add_file();
      case 1:
        return add_folder();
      case 2:
        return rewrite(file, random_() % 100'000);
      case 3:
        return static_cast<void>(::truncate(file.c_str(), random_() % 200'000));
      case 4:
        return static_cast<void>(::chmod(file.c_str(), random_() % 2 == 0 ? 0600 : 0640));
      case 5:
        return static_cast<void>(::chown(folder.c_str(), static_cast<uid_t>(random_() % 9), 0));
      case 6:
        return static_cast<void>(::unlink(file.c_str()));
      case 7:
        return static_cast<void>(::rename(file.c_str(), new_path().c_str()));
      case 8:
        return static_cast<void>(::link(file.c_str(), new_path().c_str()));
      case 9:
        return static_cast<void>(::symlink("somewhere", new_path().c_str()));
      default:
        return move_or_remove(folder);
    }
  }

  // Paths of what is not there any more stay in the lists: changes to them fail, or make it anew.
  void move_or_remove(const std::string& folder) {
    if (folder == folders_.front()) return;
    if (random_() % 2 == 0) {
      ::rename(folder.c_str(), new_path().c_str());
      return;
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    ::mkdir(folder.c_str(), 0755);
  }

  std::mt19937 random_;
  Paths folders_;
  Paths files_;
  int names_ = 0;
};

class EarlierScans : public ::testing::TestWithParam<ImageKind> {
 protected:
  void mounted(const std::function<void(const std::string&)>& body) { run_mounted(image_, body); }
  [[nodiscard]] bool is_btrfs() const { return GetParam().type == "btrfs"; }

  Image image_{GetParam()};
};

TEST_P(EarlierScans, GiveWhatAWalkGivesWhateverHasChanged) {
  mounted([&](const std::string& top) {
    Changer changer(top, 5);
    settle(top);
    Kept last = kept_scan(top, {});
    for (int round = 0; round < 6; ++round) {
      changer.change(round == 0 ? 0 : 12 * round);
      if (round % 2 == 0) settle(top);
      if (round == 3) image_.mount_again();
      last = renewed_scan(top, last);
      require_renewed(last);
    }
  });
}

// A tree of a directory and of the directories in it, without the files in these.
Tree without_files(const Tree& tree) {
  TreeBuilder builder(true);
  NodeId root = kNoNode;
  {
    TreeBuilder::Appender rows(builder);
    const NodeId top = tree.roots().front();
    const auto added = rows.add_directory(kNoDir, 0, tree.name(top), tree.entry(top));
    root = added.node;
    tree.for_each_directory([&](DirId id) {
      const NodeId node = tree.node(id);
      if (tree.depth(id) != 1) return;
      rows.add_directory(added.id, 1, tree.name(node), tree.entry(node));
    });
  }
  return builder.finish({root});
}

std::vector<std::string> names_of_files(const Scan& scan) {
  std::vector<std::string> names;
  scan.tree.for_each_node([&](NodeId node) {
    if (scan.tree.kind(node) == Kind::file) names.emplace_back(scan.tree.name(node));
  });
  std::sort(names.begin(), names.end());
  return names;
}

// An earlier scan that lies shows where names come from.
TEST_P(EarlierScans, ListOnlyTheDirectoriesThatHaveChanged) {
  mounted([&](const std::string& top) {
    make_directory(top + "/same");
    write_file(top + "/same/old", 10);
    make_directory(top + "/changed");
    write_file(top + "/changed/old", 10);
    settle(top);
    const Kept first = kept_scan(top, {});
    EarlierScan lie = first.as_earlier();
    lie.tree = std::make_shared<const Tree>(without_files(first.scan->tree));
    write_file(top + "/changed/new", 10);
    settle(top);
    const Kept next = kept_scan(top, lie);
    require_renewed(next);
    std::vector<std::string> seen = {"new", "old"};
    if (GetParam().type == "ext4") seen.emplace_back("old");  // it is read completely
    require(names_of_files(*next.scan) == seen, "only the changed directory is listed");
  });
}

// A change within one tick of the clock leaves the time as it was.
TEST_P(EarlierScans, ListAgainWhatHadJustChangedWhenTheEarlierOneBegan) {
  mounted([&](const std::string& top) {
    make_directory(top + "/folder");
    write_file(top + "/folder/file", 10);
    settle(top);
    const Kept first = kept_scan(top, {});
    EarlierScan lie = first.as_earlier();
    lie.tree = std::make_shared<const Tree>(without_files(first.scan->tree));
    lie.started -= 1000;
    lie.transactions.clear();
    const Kept next = kept_scan(top, lie);
    require(names_of_files(*next.scan) == std::vector<std::string>{"file"}, "it is listed");
  });
}

TEST_P(EarlierScans, ListAgainWhatCouldNotBeReadOrWasExcluded) {
  mounted([&](const std::string& top) {
    make_directory(top + "/folder");
    write_file(top + "/folder/a.o", 10);
    write_file(top + "/folder/b", 10);
    settle(top);
    ScanOptions options = options_for({Engine::automatic, 0}, {top});
    options.read_times = true;
    options.selection.excluded.add_line("*.o");
    const Kept first{file_clock(), std::make_shared<const Scan>(scan(options))};
    const Kept next = kept_scan(top, first.as_earlier());
    require(names_of_files(*next.scan) == std::vector<std::string>{"a.o", "b"}, "it is listed");
  });
}

TEST_P(EarlierScans, GiveEachFileAStateThatItHadWhileOthersWrite) {
  mounted([&](const std::string& top) {
    make_directory(top + "/quiet");
    write_file(top + "/quiet/file", 1234);
    make_directory(top + "/busy");
    Writer writer(top + "/busy");
    settle(top);
    writer.start();
    Kept last = kept_scan(top, {});
    const int rounds = kSmall ? 10 : 20;
    for (int round = 0; round < rounds; ++round) {
      last = kept_scan(top, last.as_earlier());
      require(last.scan->errors.empty(), "no errors: " + describe(last.scan->errors));
      require_states(*last.scan, top + "/busy");
    }
  });
}

TEST_P(EarlierScans, MayHaveBeenMadeWhileOthersWrote) {
  mounted([&](const std::string& top) {
    make_directory(top + "/busy");
    for (int round = 0; round < 3; ++round) {
      const Kept last = [&] {
        Writer writer(top + "/busy");
        writer.start();
        return kept_scan(top, {});
      }();
      settle(top);
      renewed_scan(top, last);
      std::filesystem::remove_all(top + "/busy");
      make_directory(top + "/busy");
    }
  });
}

TEST_P(EarlierScans, OfAnotherFilesystemAreNotUsed) {
  mounted([&](const std::string& top) {
    write_file(top + "/file", 10);
    settle(top);
    EarlierScan other = kept_scan(top, {}).as_earlier();
    for (auto& [device, id] : other.filesystems) id = "00000000-0000-0000-0000-000000000000";
    const Kept next = renewed_scan(top, kept_scan(top, {}));
    const Kept anew = kept_scan(top, other);
    require(GetParam().type == "ext4" ||  // never uses one
                anew.scan->volumes.front().why_anew == "the earlier scan does not have it",
            "it says so");
    require_same(*next.scan, *anew.scan);
  });
}

INSTANTIATE_TEST_SUITE_P(OfEachType, EarlierScans,
                         ::testing::Values(ImageKind{.type = "ext4"}, ImageKind{.type = "btrfs"},
                                           ImageKind{.type = "xfs"}));

// ---- What only btrfs can do

class BtrfsEarlierScans : public ::testing::Test {
 protected:
  void mounted(const std::function<void(const std::string&)>& body) { run_mounted(image_, body); }
  Image image_{{.type = "btrfs"}};
};

TEST_F(BtrfsEarlierScans, FindSubvolumesThatWereMadeRemovedOrReplaced) {
  mounted([&](const std::string& top) {
    const auto subvolume = [&](const char* act, const std::string& path) {
      command({"btrfs", "-q", "subvolume", act, top + path});
    };
    for (const char* const name : {"/stays", "/goes", "/replaced"}) {
      subvolume("create", name);
      write_file(top + name + "/file", 70'000);
    }
    settle(top);
    Kept last = kept_scan(top, {});
    write_file(top + "/stays/later", 10);
    subvolume("delete", "/goes");
    subvolume("delete", "/replaced");
    subvolume("create", "/replaced");
    write_file(top + "/replaced/another", 10);
    command({"btrfs", "-q", "subvolume", "snapshot", top + "/stays", top + "/copy"});
    settle(top);
    last = renewed_scan(top, last);
    rewrite(top + "/copy/file", 20);
    settle(top);
    last = renewed_scan(top, last);
    require_renewed(last);
  });
}

// What is created between the opening of a subvolume and the reading of its transaction.
TEST_F(BtrfsEarlierScans, MissNothingInTheTopOfASubvolumeThatOthersWriteTo) {
  mounted([&](const std::string& top) {
    constexpr int kSubvolumes = 40;
    std::vector<std::string> subvolumes;
    for (int i = 0; i < kSubvolumes; ++i) {
      subvolumes.push_back(top + "/subvolume-" + std::to_string(i));
      command({"btrfs", "-q", "subvolume", "create", subvolumes.back()});
      for (int file = 0; file < 50; ++file) {
        write_file(subvolumes.back() + "/" + std::to_string(file), 10);
      }
    }
    settle(top);
    base::atomic<bool> stop{false};
    std::thread writer([&] {
      for (int name = 0; !stop.load(base::memory_order_relaxed); ++name) {
        for (const std::string& subvolume : subvolumes) {
          rewrite(subvolume + "/new-" + std::to_string(name % 100), 10);
        }
      }
    });
    const Kept first = kept_scan(top, {});
    stop.store(true, base::memory_order_relaxed);
    writer.join();
    settle(top);
    renewed_scan(top, first);
  });
}

// It was opened before the transaction was known.
TEST_F(BtrfsEarlierScans, ListTheTopOfASubvolumeAgain) {
  mounted([&](const std::string& top) {
    write_file(top + "/file", 10);
    make_directory(top + "/folder");
    write_file(top + "/folder/inner", 10);
    settle(top);
    const Kept first = kept_scan(top, {});
    EarlierScan lie = first.as_earlier();
    lie.tree = std::make_shared<const Tree>(without_files(first.scan->tree));
    const Kept next = kept_scan(top, lie);
    require_renewed(next);
    require(names_of_files(*next.scan) == std::vector<std::string>{"file"}, "it is listed");
  });
}

// A listing names a subvolume by the number of its tree, which may be that of an inode beside it.
TEST_F(BtrfsEarlierScans, DoNotTakeTheNumberOfASubvolumeForAnInode) {
  mounted([&](const std::string& top) {
    for (const char* const name : {"/a", "/b", "/c", "/d"}) {
      make_directory(top + name);
      write_file(top + name + "/file", 10);
    }
    command({"btrfs", "-q", "subvolume", "create", top + "/s0"});
    settle(top);
    const Kept first = kept_scan(top, {});
    for (const char* const name : {"/s1", "/s2", "/s3"}) {
      command({"btrfs", "-q", "subvolume", "create", top + name});
      write_file(top + name + "/hello", 10);
    }
    settle(top);
    renewed_scan(top, first);
  });
}

TEST_F(BtrfsEarlierScans, OfAnotherSubvolumeWithTheSameNumberAreNotUsed) {
  mounted([&](const std::string& top) {
    write_file(top + "/file", 10);
    settle(top);
    EarlierScan other = kept_scan(top, {}).as_earlier();
    other.transactions.begin()->second.uuid.back() ^= 1;
    const Kept next = kept_scan(top, other);
    require(next.scan->volumes.front().why_anew ==
                "the earlier scan has another subvolume with its number",
            "it says so");
  });
}

// The transaction that made it may still go on.
TEST_F(BtrfsEarlierScans, OfANewSubvolumeMissNothing) {
  mounted([&](const std::string& top) {
    command({"btrfs", "-q", "subvolume", "create", top + "/new"});
    make_directory(top + "/new/part");
    write_file(top + "/new/part/a", 10);
    const Kept first = kept_scan(top + "/new/part", {});
    write_file(top + "/new/part/b", 10);
    rewrite(top + "/new/part/a", 100'000);
    settle(top);
    renewed_scan(top + "/new/part", first);
  });
}

TEST_F(BtrfsEarlierScans, OfAPartOfASubvolumeAreEnough) {
  mounted([&](const std::string& top) {
    make_directory(top + "/part");
    make_directory(top + "/part/folder");
    write_file(top + "/part/folder/file", 10);
    settle(top);
    const Kept first = kept_scan(top + "/part", {});
    require(!first.scan->volumes.front().why_walked.empty(), "a part is walked first");
    rewrite(top + "/part/folder/file", 20'000);
    settle(top);
    require_renewed(renewed_scan(top + "/part", first));
  });
}

TEST_F(BtrfsEarlierScans, AreReadAgainIfTooMuchHasChanged) {
  mounted([&](const std::string& top) {
    settle(top);
    const Kept first = kept_scan(top, {});
    for (int i = 0; i < 2000; ++i) make_directory(top + "/" + std::to_string(i));
    settle(top);
    const Kept next = renewed_scan(top, first);
    require(next.scan->volumes.front().why_anew == "too much has changed since the earlier scan",
            "it says so");
  });
}

TEST_F(BtrfsEarlierScans, OfALaterTimeAreNotUsed) {
  mounted([&](const std::string& top) {
    write_file(top + "/file", 10);
    settle(top);
    EarlierScan later = kept_scan(top, {}).as_earlier();
    later.transactions.begin()->second.transaction += 1000;
    const Kept next = kept_scan(top, later);
    require(next.scan->volumes.front().why_anew == "it is older than the earlier scan",
            "it says so");
  });
}

// ---- If somebody says what has changed

class KnownChanges : public EarlierScans {};

TEST_P(KnownChanges, AreTheOnlyThingThatIsLookedAt) {
  mounted([&](const std::string& top) {
    for (const char* const folder : {"/seen", "/unseen"}) {
      make_directory(top + folder);
      write_file(top + folder + "/file", 10);
    }
    EarlierScan earlier = kept_scan(top, {}, Engine::lockfree).as_earlier();
    struct stat seen = {};
    require(::stat((top + "/seen").c_str(), &seen) == 0, "stat");
    earlier.changed = {{seen.st_dev, seen.st_ino}};
    for (const char* const folder : {"/seen", "/unseen"}) write_file(top + folder + "/new", 10);
    const Kept next = kept_scan(top, earlier, Engine::lockfree);
    require(names_of_files(*next.scan) == std::vector<std::string>{"file", "file", "new"},
            "only what is said to have changed is looked at");
  });
}

TEST_P(KnownChanges, OfAnInodeAreSeenByAllOfItsNames) {
  mounted([&](const std::string& top) {
    make_directory(top + "/a");
    make_directory(top + "/b");
    write_file(top + "/a/file", 10);
    require(::link((top + "/a/file").c_str(), (top + "/b/file").c_str()) == 0, "link");
    EarlierScan earlier = kept_scan(top, {}, Engine::lockfree).as_earlier();
    rewrite(top + "/a/file", 20'000);
    struct stat file = {};
    require(::stat((top + "/a/file").c_str(), &file) == 0, "stat");
    earlier.changed = {{file.st_dev, file.st_ino}};
    const Kept next = kept_scan(top, earlier, Engine::lockfree);
    require_same(scan_with(Engine::lockfree, {top}), *next.scan);
  });
}

INSTANTIATE_TEST_SUITE_P(OfEachType, KnownChanges,
                         ::testing::Values(ImageKind{.type = "ext4"}, ImageKind{.type = "btrfs"}));

}  // namespace
}  // namespace fathom::fs
