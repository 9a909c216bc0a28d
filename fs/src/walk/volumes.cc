// Volumes: the rules for reading a filesystem in bulk.

#include "walk/volumes.h"

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/earlier_scan.h"
#include "fathom/fs/filesystem_id.h"
#include "os/os.h"
#include "os/volume_ops.h"
#include "volume/earlier_volume.h"
#include "volume/ext4_format.h"
#include "volume/volume_reader.h"

namespace fathom::fs {

// How filesystems of a type are read.
struct VolumeMethod {
  os::VolumeType type;
  Engine engine;
  VolumeTables (*read)(const VolumePlace&);
};

namespace {

constexpr VolumeMethod kMethods[] = {
    {os::VolumeType::btrfs, Engine::btrfs, read_btrfs},
    {os::VolumeType::ext4, Engine::ext4, read_ext4},
    {os::VolumeType::xfs, Engine::xfs, read_xfs},
};

// Enough to keep a disk busy; on one with everything in its cache, they cost next to nothing.
constexpr unsigned kReadingThreads = 16;

const VolumeMethod* method_for(os::VolumeType type) {
  const auto* const found =
      std::find_if(std::begin(kMethods), std::end(kMethods),
                   [type](const VolumeMethod& one) { return one.type == type; });
  return found == std::end(kMethods) ? nullptr : found;
}

bool names_volumes(Engine engine) {
  return engine == Engine::automatic ||
         std::any_of(std::begin(kMethods), std::end(kMethods),
                     [engine](const VolumeMethod& method) { return method.engine == engine; });
}

// Why the options need a walk instead of reading in bulk; empty if they do not.
std::string_view needs_walk(const ScanOptions& options) {
  if (options.read_links) return "the targets of symbolic links are wanted";
  if (!options.selection.caches) return "tagged caches are to be excluded";
  if (options.max_operations_per_second != 0) return "the rate of operations is limited";
  if (options.shard) return "only a part is to be scanned";
  return {};
}

std::string parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

// Only mounts on this filesystem are looked at: another one may not answer.
Volume::MountPoints mount_points(std::uint64_t device, const Mount& mount,
                                 const std::vector<Mount>& mounts) {
  Volume::MountPoints points;
  for (const Mount& upper : mounts) {
    const bool is_on_it = std::any_of(mounts.begin(), mounts.end(), [&](const Mount& lower) {
      return lower.id == upper.parent && lower.device == mount.device;
    });
    Entry entry;
    if (is_on_it &&
        os::stat_at(os::kCurrentDirectory, parent_of(upper.point).c_str(), entry) == 0 &&
        entry.device == device) {
      points.emplace(entry.inode, upper.point.substr(upper.point.rfind('/') + 1));
    }
  }
  return points;
}

// Whether the directory contains everything of its filesystem, or of its subvolume.
bool is_whole(int directory, const Entry& entry, const Mount& mount, Engine type) {
  constexpr std::uint64_t kRootOfSubvolume = 256;
  if (type == Engine::btrfs) return entry.inode == kRootOfSubvolume;
  return mount.top == "/" && os::is_top_of_mount(directory);
}

// Of the subvolume of an open directory, after the filesystem was flushed.
SubvolumeState committed(int directory) {
  os::BtrfsSubvolume found;
  if (os::btrfs_subvolume(directory, found) < 0) return {};
  // The transaction that made a new one may still go on.
  const bool is_new = found.generation != 0 && found.generation <= found.made;
  return {.transaction = found.generation - (is_new ? 1 : 0), .uuid = uuid_text(found.uuid)};
}

#ifdef EUCLEAN
constexpr int kDamaged = EUCLEAN;  // as Linux says that a filesystem has to be repaired
#else
constexpr int kDamaged = EIO;
#endif

// A file that may contain a filesystem.
base::Fd open_image(const std::string& path, std::uint64_t& allocated, int& error) {
  const int file = os::open_image(os::kCurrentDirectory, path.c_str(), allocated);
  if (file < 0) {
    error = -file;
    throw base::Error("it cannot be opened: " + std::generic_category().message(-file));
  }
  base::Fd image(file);
  if (!looks_like_ext4(file)) throw base::Error("it does not begin like one");
  return image;
}

void flush(int directory) {
  if (const int error = -os::flush(directory); error != 0) {
    throw base::Error("it cannot be flushed: " + std::generic_category().message(error));
  }
}

}  // namespace

Volumes::Volumes(const ScanOptions& options, std::function<bool()> stopped)
    : options_(options),
      stopped_(std::move(stopped)),
      wanted_(names_volumes(options.engine) || options.earlier) {}

const Volume* Volumes::at(const Directory& directory, int descriptor, const Entry& entry,
                          std::uint64_t mount) {
  if (!wanted_) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = slots_.try_emplace({entry.device, mount});
  Slot& slot = found->second;
  if (is_new) {
    slot.facts.device = entry.device;
    slot.facts.path = directory.path();
    decide(slot, descriptor, entry, mount);
  }
  return slot.volume.get();
}

const Volume* Volumes::image(const Directory& root, const Entry& entry, int& error) {
  const bool may_be_image = S_ISREG(entry.mode) || S_ISBLK(entry.mode);
  if (options_.engine != Engine::ext4 || !may_be_image) return nullptr;
  // No device of the kernel has such a number.
  constexpr std::uint64_t kOfImages = std::uint64_t{1} << 63;
  const std::uint64_t device = kOfImages | ((entry.device << 32) ^ entry.inode);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = slots_.try_emplace({device, 0});
  Slot& slot = found->second;
  if (is_new) {
    slot.facts.device = device;
    slot.facts.path = root.name();
    slot.facts.is_image = true;
    slot.facts.type = Engine::ext4;
    attempt(slot, [&] {
      std::uint64_t allocated = 0;
      const base::Fd file(open_image(root.name(), allocated, error));
      error = EOPNOTSUPP;
      if (const auto why = needs_walk(options_); !why.empty()) throw base::Error(std::string(why));
      error = ENOMEM;  // unless something else is thrown
      const VolumePlace place{.image = file.get(),
                              .image_allocated = allocated,
                              .device = device,
                              .since = std::numeric_limits<std::int64_t>::max(),
                              .threads = reading_threads(),
                              .stopped = stopped_};
      try {
        auto volume = std::make_shared<const Volume>(device, place.since, read_ext4(place),
                                                     Volume::MountPoints(), Volume::Source::image);
        if (!volume->lists(ext4::kRootInode)) {
          throw base::Error("the names in its topmost directory cannot be read");
        }
        error = 0;
        return volume;
      } catch (const base::Error&) {
        error = stopped_() ? 0 : kDamaged;
        throw;
      }
    });
  }
  return slot.volume.get();
}

unsigned Volumes::reading_threads() const {
  return options_.threads != 0 ? options_.threads : kReadingThreads;
}

// Reads a volume; if that fails, says why.
template <class Read>
void Volumes::attempt(Slot& slot, Read read) const {
  try {
    slot.volume = read();
    slot.facts.inodes = slot.volume->inodes();
  } catch (const base::Error& error) {
    slot.facts.why_walked = error.what();
  } catch (const std::bad_alloc&) {
    slot.facts.why_walked = "there is not enough memory";
  }
}

void Volumes::decide(Slot& slot, int directory, const Entry& entry, std::uint64_t mount) {
  const bool knows_changes = !names_volumes(options_.engine);
  const VolumeMethod* const method = method_for(os::volume_type(directory));
  const bool any = options_.engine == Engine::automatic;
  if (!knows_changes && (method == nullptr || (!any && options_.engine != method->engine))) {
    slot.facts.why_walked = "it is of another type";
    return;
  }
  // Where a snapshot does not have a subvolume, there is an empty directory with this number.
  constexpr std::uint64_t kPlaceOfSubvolume = 2;
  if (!knows_changes && method->engine == Engine::btrfs && entry.inode == kPlaceOfSubvolume) {
    slot.facts.why_walked = "it is empty";
    return;
  }
  if (!knows_changes) slot.facts.type = method->engine;
  const std::vector<Mount> mounts = own_mounts();
  const auto own = std::find_if(mounts.begin(), mounts.end(), [mount](const Mount& one) {
    return static_cast<std::uint64_t>(one.id) == mount;
  });
  if (const auto why = needs_walk(options_); !knows_changes && !why.empty()) {
    slot.facts.why_walked = why;
  } else if (own == mounts.end()) {
    slot.facts.why_walked = "it is not in the list of mounts";
  } else if (own->maps_ids || !os::sees_stored_ids()) {
    slot.facts.why_walked = "user ids are mapped";
  } else if (auto known = known_volume(entry.device)) {
    slot.volume = std::move(known);  // through another mount
    slot.facts.inodes = slot.volume->inodes();
  } else {
    attempt(slot, [&] {
      const Place place{.directory = directory,
                        .device = entry.device,
                        .inode = entry.inode,
                        .method = method,
                        .is_whole = !any || is_whole(directory, entry, *own, method->engine)};
      std::int64_t since = std::numeric_limits<std::int64_t>::max();
      VolumeTables tables =
          knows_changes ? unchanged_tables(entry.device) : read(place, since, slot.facts);
      return std::make_shared<const Volume>(
          entry.device, since, std::move(tables), mount_points(entry.device, *own, mounts),
          slot.facts.is_frozen ? Volume::Source::snapshot : Volume::Source::mounted);
    });
  }
}

// What the earlier scan says, without what has changed since.
VolumeTables Volumes::unchanged_tables(std::uint64_t device) {
  if (earlier() == nullptr) throw base::Error("there is no earlier scan");
  const EarlierScan& earlier = *earlier_;
  const EarlierVolume volume(*earlier_tree_, device, earlier.started);
  if (volume.entries() == 0) throw base::Error("the earlier scan does not have it");
  std::vector<ChangedInode> changed;
  for (auto next = std::lower_bound(earlier.changed.begin(), earlier.changed.end(),
                                    std::pair(device, std::uint64_t{0}));
       next != earlier.changed.end() && next->first == device; ++next) {
    changed.push_back({.number = next->second});
  }
  return volume.tables(changed);
}

// Reads a filesystem in bulk, or what has changed in it. Sets the time from which on a change
// leaves an inode in doubt.
VolumeTables Volumes::read(const Place& place, std::int64_t& since, VolumeFacts& facts) {
  const bool is_btrfs = place.method->type == os::VolumeType::btrfs;
  const auto need_everything = [&] {
    if (place.is_whole) return;
    const std::string advice =
        " (the engine " + std::string(to_string(place.method->engine)) + " reads it anyway)";
    throw base::Error("the directory is only a part of it" + (os::is_root() ? advice : ""));
  };
  if (!is_btrfs) need_everything();
  const std::int64_t now = os::file_clock_seconds();
  flush(place.directory);
  if (is_btrfs) facts.state = committed(place.directory);
  std::uint64_t then = 0;
  const auto earlier = earlier_volume(place, facts, then);
  const bool has_changes = is_btrfs && earlier;
  if (!has_changes) need_everything();
  std::shared_ptr<const base::Fd> frozen;
  if (is_btrfs && options_.freeze) {
    need_everything();  // only whole subvolumes have snapshots
    frozen = options_.freeze(place.directory);
  }
  facts.is_frozen = frozen != nullptr;
  if (!frozen) since = now;
  const VolumePlace at{.directory = frozen ? frozen->get() : place.directory,
                       .device = place.device,
                       .since = since,
                       .threads = reading_threads(),
                       .stopped = stopped_,
                       .earlier = earlier ? &*earlier : nullptr};
  if (has_changes) {
    if (auto tables = renew_btrfs(at, place.inode, then)) return std::move(*tables);
    facts.why_anew = "too much has changed since the earlier scan";
    need_everything();
  }
  return place.method->read(at);
}

const EarlierScan* Volumes::earlier() {
  if (!std::exchange(is_loaded_, true) && options_.earlier) {
    earlier_ = options_.earlier();
    if (earlier_) earlier_tree_.emplace(*earlier_->tree, options_.read_times);
  }
  return earlier_.get();
}

// What the earlier scan has of the filesystem of an open directory, and, on btrfs, the transaction
// after which it was made; nothing if that is of no use.
std::optional<EarlierVolume> Volumes::earlier_volume(const Place& place, VolumeFacts& facts,
                                                     std::uint64_t& transaction) {
  const bool is_btrfs = place.method->type == os::VolumeType::btrfs;
  // Reading the directories of an ext4 takes less time than loading what they contained.
  const bool is_useful = is_btrfs || (place.method->type == os::VolumeType::xfs && place.is_whole);
  if (!is_useful || earlier() == nullptr) return std::nullopt;
  const auto id = filesystem_uuid(place.directory, place.device);
  const auto& devices = earlier_->filesystems;
  const auto is_same = [&id](const auto& filesystem) { return filesystem.second == id; };
  const auto found = std::find_if(devices.begin(), devices.end(), is_same);
  if (found == devices.end() || std::count_if(devices.begin(), devices.end(), is_same) != 1) {
    facts.why_anew = "the earlier scan does not have it";  // or also a copy of its blocks
    return std::nullopt;
  }
  if (is_btrfs) {
    const auto last = earlier_->transactions.find(*id);
    if (last == earlier_->transactions.end() || last->second.transaction == 0) {
      facts.why_anew = "the earlier scan walked it, and does not know its state then";
    } else if (last->second.uuid != facts.state.uuid) {
      facts.why_anew = "the earlier scan has another subvolume with its number";
    } else if (last->second.transaction > facts.state.transaction) {
      facts.why_anew = "it is older than the earlier scan";
    }
    if (!facts.why_anew.empty()) return std::nullopt;
    transaction = last->second.transaction;
  }
  return EarlierVolume(*earlier_tree_, found->first, earlier_->started);
}

std::shared_ptr<const Volume> Volumes::known_volume(std::uint64_t device) const {
  for (auto slot = slots_.lower_bound({device, 0});
       slot != slots_.end() && slot->first.first == device; ++slot) {
    if (slot->second.volume) return slot->second.volume;
  }
  return nullptr;
}

std::vector<VolumeFacts> Volumes::facts() const {
  const std::lock_guard lock(mutex_);
  std::vector<VolumeFacts> facts;
  for (const auto& [device, slot] : slots_) facts.push_back(slot.facts);
  return facts;
}

}  // namespace fathom::fs
