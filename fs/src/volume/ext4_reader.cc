// read_ext4: the tables of inodes and the blocks of directories, read from the block device.
//
// While the filesystem is mounted, the device's page cache holds the same buffers that ext4
// changes, so reads through it see the newest metadata, written back or not. They can see it
// half-changed: then a checksum is wrong, and the inode is in doubt.
//
// The order makes the result safe. First all inodes are read, then the directories, then all inodes
// again, to find out which changed meanwhile. A name that was added, and the inode that it got,
// were changed before the name was read; so the last pass sees it, whatever the inode was before.

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"
#include "fathom/base/saturating.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "os/volume_ops.h"
#include "volume/ext4_format.h"
#include "volume/volume_reader.h"

namespace fathom::fs {

namespace {

using ext4::Bytes;

constexpr std::size_t kReadBytes = std::size_t{256} * 1024;  // at a time
constexpr unsigned kPartsPerThread = 16;
// The tables of inodes, and the directories, may each have this many times the bytes that an image
// has on its disk, where it may be compressed, and at least so many: some filesystems say only
// after some seconds what a file has.
constexpr std::uint64_t kMostCompressed = 16;
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{256} << 20;

class Ext4Reader {
 public:
  explicit Ext4Reader(const VolumePlace& place)
      : place_(place), executor_({.threads = std::max(place.threads, 1U), .name = "fathom ext4"}) {}

  VolumeTables read() {
    open();
    read_groups();
    read_inodes();
    read_directories();
    if (place_.image < 0) find_changed();
    return take();
  }

 private:
  struct Directory {
    std::uint64_t inode;
    ext4::DirectoryInode facts;
  };
  struct DirectoryBlock {
    std::uint64_t on_disk;
    std::uint32_t directory;  // in directories_
    std::uint32_t at;         // in the directory
  };

  void open() {
    if (place_.image < 0) open_device();
    file_ = place_.image < 0 ? device_.get() : place_.image;
    // The kernel may be changing the superblock at this moment.
    constexpr int kAttempts = 10;
    for (int attempt = 1;; ++attempt) {
      std::array<std::byte, ext4::kSuperBytes> bytes;
      if (os::read_exactly(file_, bytes, ext4::kSuperAt) != 0) {
        throw base::Error("its superblock cannot be read");
      }
      try {
        super_ = ext4::parse_super(bytes);
        break;
      } catch (const base::Error&) {
        if (attempt == kAttempts) throw;
      }
    }
    if (place_.image >= 0) check_image();
  }

  // What the kernel checks when it mounts a filesystem.
  void check_image() const {
    if (super_.needs_recovery) {
      throw base::Error("it is mounted, or its journal has to be replayed (e2fsck does that)");
    }
    std::array<std::byte, 1> last;
    if (super_.blocks > std::numeric_limits<std::int64_t>::max() / super_.block_bytes ||
        os::read_exactly(file_, last, super_.blocks * super_.block_bytes - 1) != 0) {
      throw base::Error("it is shorter than its superblock says");
    }
  }

  // Of what the tables of inodes, or the directories, claim to have. The holes of an image that is
  // small on its disk would otherwise take any time and memory.
  [[nodiscard]] bool is_too_much(std::uint64_t blocks) const {
    if (blocks > super_.blocks) return true;
    const std::uint64_t most =
        std::max(base::saturating_mul(place_.image_allocated, kMostCompressed), kAlwaysAllowed);
    return blocks > most / super_.block_bytes;
  }

  void stop_if_asked() const {
    if (place_.stopped()) throw base::Error("the scan was stopped");
  }

  void open_device() {
    const int device = os::open_block_device(place_.device);
    if (device < 0) {
      throw base::Error("its block device cannot be read: " +
                        std::generic_category().message(-device));
    }
    device_.reset(device);
  }

  void read_groups() {
    const std::size_t each = super_.descriptor_bytes;
    std::vector<std::byte> buffer(std::min(std::size_t{super_.groups} * each, kReadBytes));
    std::uint32_t damaged = 0;
    while (groups_.size() < super_.groups) {
      const std::size_t count = std::min(super_.groups - groups_.size(), buffer.size() / each);
      const std::span<std::byte> descriptors = std::span(buffer).first(count * each);
      if (os::read_exactly(file_, descriptors, super_.descriptors_at() + groups_.size() * each) !=
          0) {
        throw base::Error("the descriptors of its groups cannot be read");
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto group = ext4::parse_group(super_, static_cast<std::uint32_t>(groups_.size()),
                                             Bytes(descriptors).subspan(i * each, each));
        damaged += group ? 0U : 1U;
        // Without its inodes, which are then asked of the kernel one by one.
        groups_.push_back(group.value_or(ext4::Group()));
      }
      // A small image can claim to have any number of groups, each of which takes memory.
      if (super_.groups > count && damaged > groups_.size() / 2) {
        throw base::Error("most descriptors of its groups are damaged");
      }
    }
    std::uint64_t inodes = 0;
    for (const ext4::Group& group : groups_) inodes += group.inodes;
    if (is_too_much(inodes * super_.inode_bytes / super_.block_bytes)) {
      throw base::Error("its tables of inodes claim more than it contains");
    }
  }

  // Calls function(number, raw) for each inode of the group that was ever used, or failed(number)
  // if it cannot be read.
  template <class Function, class Failed>
  void for_each_inode(std::uint32_t group, std::vector<std::byte>& buffer, Function&& function,
                      Failed&& failed) {
    const std::size_t each = super_.inode_bytes;
    const std::size_t total = groups_[group].inodes * each;
    const std::uint64_t table = groups_[group].table * super_.block_bytes;
    stop_if_asked();
    if (total == 0) return;  // posix_fadvise() would take it for everything to the end
    buffer.resize(std::min(total, kReadBytes));
    os::will_read(file_, table, total);
    for (std::size_t at = 0; at < total; at += buffer.size()) {
      stop_if_asked();
      const std::size_t length = std::min(buffer.size(), total - at);
      const std::span<std::byte> block = std::span(buffer).first(length);
      const bool is_read = os::read_exactly(file_, block, table + at) == 0;
      for (std::size_t i = 0; i < length; i += each) {
        const std::uint64_t number = super_.first_inode(group) + (at + i) / each;
        if (is_read) {
          function(number, Bytes(block).subspan(i, each));
        } else {
          failed(number);
        }
      }
    }
  }

  void read_inodes() {
    inodes_.resize(super_.groups);
    std::vector<std::vector<Directory>> directories(super_.groups);
    rt::parallel_for(executor_, 0U, super_.groups, [&](std::uint32_t group) {
      std::vector<std::byte> buffer;
      ext4::ParsedInode parsed;
      for_each_inode(
          group, buffer,
          [&](std::uint64_t number, Bytes raw) {
            ext4::parse_inode(super_, number, raw, parsed);
            if (parsed.found != ext4::Found::inode && parsed.found != ext4::Found::directory)
              return;
            inodes_[group].add(number, parsed.inode);
            if (parsed.found == ext4::Found::directory) {
              directories[group].push_back({number, parsed.directory});
            }
          },
          [](std::uint64_t) {});
    });
    for (auto& some : directories) {
      std::move(some.begin(), some.end(), std::back_inserter(directories_));
    }
  }

  // Adds the blocks of a directory to the list; none if they cannot be located.
  void add_blocks(std::uint32_t index, std::vector<std::byte>& buffer) {
    ext4::DirectoryInode& facts = directories_[index].facts;
    for (const std::uint64_t node : facts.nodes) {
      buffer.resize(super_.block_bytes);
      if (node >= super_.blocks ||
          os::read_exactly(file_, buffer, node * super_.block_bytes) != 0 ||
          !ext4::parse_extent_block(facts.seed, buffer, facts.extents)) {
        return;
      }
    }
    std::uint64_t found = 0;
    for (const ext4::Extent& extent : facts.extents) {
      if (extent.on_disk >= super_.blocks || super_.blocks - extent.on_disk < extent.blocks) return;
      found += extent.blocks;
    }
    if (found < facts.blocks) return;
    if (is_too_much(blocks_.size() + facts.blocks)) {
      throw base::Error("its directories claim more than it contains");
    }
    for (const ext4::Extent& extent : facts.extents) {
      const std::uint32_t rest = facts.blocks - std::min(extent.at, facts.blocks);
      for (std::uint32_t i = 0; i < std::min(extent.blocks, rest); ++i) {
        blocks_.push_back({extent.on_disk + i, index, extent.at + i});
      }
    }
    facts.extents = {};
    facts.nodes = {};
  }

  // Blocks that are read together: neighbours on the disk, also across small gaps.
  struct Run {
    std::size_t first;  // in blocks_
    std::size_t end;
    std::uint64_t at;  // bytes
    std::uint64_t bytes;
  };

  [[nodiscard]] std::vector<Run> runs() const {
    constexpr std::uint64_t kGap = 64 * 1024;
    const std::uint64_t each = super_.block_bytes;
    std::vector<Run> runs;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::uint64_t at = blocks_[i].on_disk * each;
      if (!runs.empty() && at <= runs.back().at + runs.back().bytes + kGap &&
          at + each - runs.back().at <= kReadBytes) {
        runs.back().end = i + 1;
        runs.back().bytes = at + each - runs.back().at;
      } else {
        runs.push_back({.first = i, .end = i + 1, .at = at, .bytes = each});
      }
    }
    return runs;
  }

  void read_directories() {
    std::vector<std::byte> node;
    for (std::uint32_t i = 0; i < directories_.size(); ++i) {
      stop_if_asked();
      add_blocks(i, node);
    }
    std::sort(blocks_.begin(), blocks_.end(), [](const DirectoryBlock& a, const DirectoryBlock& b) {
      return std::pair(a.on_disk, a.directory) < std::pair(b.on_disk, b.directory);
    });
    const std::vector<Run> all = runs();
    const std::size_t parts = std::min<std::size_t>(all.size(), kPartsPerThread * place_.threads);
    names_.resize(parts);
    wrong_.resize(parts);
    rt::parallel_for(executor_, std::size_t{0}, parts, [&](std::size_t part) {
      std::vector<std::byte> buffer;
      const std::size_t first = all.size() * part / parts;
      const std::size_t end = all.size() * (part + 1) / parts;
      for (std::size_t run = first; run < end; ++run) {
        os::will_read(file_, all[run].at, all[run].bytes);
      }
      for (std::size_t run = first; run < end; ++run) {
        stop_if_asked();
        buffer.resize(all[run].bytes);
        read_run(all[run], buffer, part);
      }
    });
  }

  void read_run(const Run& run, std::span<std::byte> buffer, std::size_t part) {
    const bool failed = os::read_exactly(file_, buffer, run.at) != 0;
    for (std::size_t i = run.first; i < run.end; ++i) {
      const DirectoryBlock& block = blocks_[i];
      const Directory& directory = directories_[block.directory];
      const Bytes bytes =
          Bytes(buffer).subspan(block.on_disk * super_.block_bytes - run.at, super_.block_bytes);
      NameTable::Part& names = names_[part];
      if (block.at != 0) names.begin(directory.inode);
      const auto add = [&](std::string_view name, std::uint32_t inode, std::uint8_t type) {
        if (name == "..") {
          names.begin(directory.inode, inode);
        } else {
          names.add(name, inode, stored_type(type));
        }
      };
      if (failed || !ext4::for_each_name(directory.facts, bytes, block.at == 0, add)) {
        wrong_[part].push_back(directory.inode);
      }
    }
  }

  void find_changed() {
    changed_.resize(super_.groups);
    rt::parallel_for(executor_, 0U, super_.groups, [&](std::uint32_t group) {
      std::vector<std::byte> buffer;
      for_each_inode(
          group, buffer,
          [&](std::uint64_t number, Bytes raw) {
            if (ext4::change_seconds(raw) >= place_.since) changed_[group].push_back(number);
          },
          [&](std::uint64_t number) { changed_[group].push_back(number); });
    });
  }

  [[nodiscard]] VolumeTables take() {
    VolumeTables tables{.inodes = InodeTable(std::move(inodes_)),
                        .names = NameTable(std::move(names_))};
    for (const auto& doubtful : {std::cref(wrong_), std::cref(changed_)}) {
      for (const auto& some : doubtful.get()) {
        for (const std::uint64_t inode : some) tables.inodes.forget(inode);
      }
    }
    return tables;
  }

  const VolumePlace& place_;
  rt::Executor executor_;
  base::Fd device_;  // of a mounted filesystem
  int file_ = -1;    // the device, or the image
  ext4::Super super_;
  std::vector<ext4::Group> groups_;
  std::vector<InodeTable::Part> inodes_;  // by group
  std::vector<Directory> directories_;
  std::vector<DirectoryBlock> blocks_;               // as on the disk
  std::vector<NameTable::Part> names_;               // by part of the blocks
  std::vector<std::vector<std::uint64_t>> wrong_;    // the same: directories with wrong blocks
  std::vector<std::vector<std::uint64_t>> changed_;  // by group
};

}  // namespace

bool looks_like_ext4(int image) {
  std::array<std::byte, ext4::kSuperBytes> bytes;
  return os::read_exactly(image, bytes, ext4::kSuperAt) == 0 && ext4::has_magic(bytes);
}

VolumeTables read_ext4(const VolumePlace& place) {
  return Ext4Reader(place).read();
}

}  // namespace fathom::fs
