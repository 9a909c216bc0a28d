// Volumes: the rules for reading a filesystem in bulk.

#include "walk/volumes.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "os/os.h"
#include "os/volume_ops.h"
#include "volume/ext4_format.h"
#include "volume/volume_reader.h"

namespace fathom::fs {

namespace {

struct Reader {
  os::VolumeType type;
  Engine engine;
  VolumeTables (*read)(const VolumePlace&);
};

constexpr Reader kReaders[] = {
    {os::VolumeType::btrfs, Engine::btrfs, read_btrfs},
    {os::VolumeType::ext4, Engine::ext4, read_ext4},
    {os::VolumeType::xfs, Engine::xfs, read_xfs},
};

// Enough to keep a disk busy; on one with everything in its cache, they cost next to nothing.
constexpr unsigned kReadingThreads = 16;

const Reader* reader_for(os::VolumeType type) {
  const auto* const found = std::find_if(std::begin(kReaders), std::end(kReaders),
                                         [type](const Reader& one) { return one.type == type; });
  return found == std::end(kReaders) ? nullptr : found;
}

bool names_volumes(Engine engine) {
  return engine == Engine::automatic ||
         std::any_of(std::begin(kReaders), std::end(kReaders),
                     [engine](const Reader& reader) { return reader.engine == engine; });
}

// Why the options need a walk; empty if they do not.
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

}  // namespace

Volumes::Volumes(const ScanOptions& options, std::function<bool()> stopped)
    : options_(options), stopped_(std::move(stopped)), wanted_(names_volumes(options.engine)) {}

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

const Volume* Volumes::image(const Directory& root, const Entry& entry) {
  if (options_.engine != Engine::ext4 || !needs_walk(options_).empty()) return nullptr;
  const base::Fd file(os::open_image(os::kCurrentDirectory, root.name().c_str()));
  if (!file || !looks_like_ext4(file.get())) return nullptr;
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
      const VolumePlace place{.image = file.get(),
                              .device = device,
                              .since = std::numeric_limits<std::int64_t>::max(),
                              .threads = reading_threads(),
                              .stopped = stopped_};
      auto volume = std::make_shared<const Volume>(device, place.since, read_ext4(place),
                                                   Volume::MountPoints(), true);
      if (!volume->lists(ext4::kRootInode)) throw base::Error("its topmost directory is damaged");
      return volume;
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

void Volumes::decide(Slot& slot, int directory, const Entry& entry, std::uint64_t mount) const {
  const Reader* const reader = reader_for(os::volume_type(directory));
  const bool any = options_.engine == Engine::automatic;
  if (reader == nullptr || (!any && options_.engine != reader->engine)) {
    slot.facts.why_walked = "it is of another type";
    return;
  }
  slot.facts.type = reader->engine;
  const std::vector<Mount> mounts = own_mounts();
  const auto own = std::find_if(mounts.begin(), mounts.end(), [mount](const Mount& one) {
    return static_cast<std::uint64_t>(one.id) == mount;
  });
  if (const auto why = needs_walk(options_); !why.empty()) {
    slot.facts.why_walked = why;
  } else if (own == mounts.end()) {
    slot.facts.why_walked = "it is not in the list of mounts";
  } else if (own->maps_ids || !os::sees_stored_ids()) {
    slot.facts.why_walked = "user ids are mapped";
  } else if (auto known = known_volume(entry.device)) {
    slot.volume = std::move(known);  // through another mount
    slot.facts.inodes = slot.volume->inodes();
  } else if (any && !is_whole(directory, entry, *own, reader->engine)) {
    slot.facts.why_walked = "the directory is only a part of it";
  } else {
    attempt(slot, [&] {
      const VolumePlace place{.directory = directory,
                              .device = entry.device,
                              .since = os::file_clock_seconds(),
                              .threads = reading_threads(),
                              .stopped = stopped_};
      if (const int error = -os::flush(directory); error != 0) {
        throw base::Error("it cannot be flushed: " + std::generic_category().message(error));
      }
      VolumeTables tables = reader->read(place);
      return std::make_shared<const Volume>(entry.device, place.since, std::move(tables),
                                            mount_points(entry.device, *own, mounts));
    });
  }
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
