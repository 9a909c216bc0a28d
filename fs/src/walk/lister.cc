// Lister: names in blocks of 64 KiB, and one call for each entry that is not a directory.

#include "walk/lister.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/rt/observer.h"
#include "walk/opening.h"

namespace fathom::fs {

namespace {

// Names of one large directory, for another worker to process.
class Batch final : public Work {
 public:
  Batch(Directory& directory, os::NameBlock names)
      : directory_(directory), names_(std::move(names)) {
    directory.share();
    directory.use_descriptor();
  }
  ~Batch() override {
    directory_.done_with_descriptor();
    directory_.release();
  }

  void run(unsigned worker) noexcept override {
    directory_.visitor().visit_names(directory_, names_, worker);
    delete this;
  }

 private:
  Directory& directory_;
  const os::NameBlock names_;
};

std::string path_in(const Directory& directory, const char* name) {
  std::string path = directory.path();
  if (!path.ends_with('/')) path += '/';  // a root may end with one
  return path += name;
}

// The result of test(path) for a name in a directory. Uses the path of the directory as a buffer.
template <class Test>
bool test_path(std::string& directory, std::string_view name, const Test& test) {
  const std::size_t length = directory.size();
  if (length > 0) directory += '/';
  directory += name;
  const bool found = test(std::string_view(directory));
  directory.resize(length);
  return found;
}

// Whether the directory has not changed since its volume was read: each name in it has led to the
// same inode all the time.
bool is_settled(const Directory& directory, const Volume& volume, Worker& worker) {
  Entry entry;
  worker.pace();
  return os::stat_directory(directory.descriptor(), entry, nullptr, os::Wanted::with_times) == 0 &&
         entry.times.ctime != kUnknownTime &&
         base::whole_seconds(entry.times.ctime) < volume.since();
}

}  // namespace

// Who is asked about the names in a directory: the kernel, or its volume, once about each
// subdirectory. A directory that only its volume knows so far is opened for the first question to
// the kernel.
class Lister::Asking {
 public:
  Asking(Directory& directory, Worker& worker)
      : directory_(directory), worker_(worker), descriptor_(directory.descriptor()) {}
  ~Asking() {
    if (opened_ && descriptor_ >= 0) os::close_directory(descriptor_);
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  // Negative if the directory cannot be opened any more, because it was moved or removed. That is
  // reported once: nothing is known then of the names in doubt.
  int descriptor() {
    if (descriptor_ < 0 && !opened_) {
      descriptor_ = open_again(directory_, worker_);
      opened_ = true;
      if (descriptor_ < 0) {
        worker_.report("open", directory_.path(), -descriptor_, directory_.as().id);
      }
    }
    return descriptor_;
  }

  // Whether no earlier name in the directory led to this directory.
  bool is_first_name_of(std::uint64_t subdirectory) {
    return subdirectories_.insert(subdirectory).second;
  }

 private:
  Directory& directory_;
  Worker& worker_;
  int descriptor_;
  bool opened_ = false;
  std::unordered_set<std::uint64_t> subdirectories_;  // that the volume has
};

void Lister::list(Directory& directory, Worker& worker) const {
  struct Done {
    Directory& directory;
    ~Done() { directory.done_with_descriptor(); }
  } const done{directory};
  const DirId id = directory.as().id;
  if (const Pending* const pending = directory.pending()) {
    return look_at_pending(directory, *pending, worker);
  }
  const Volume* const volume = directory.as().volume;
  if (volume != nullptr && volume->lists(directory.as().inode)) {
    return list_volume(directory, worker);
  }
  for (;;) {
    if (worker.stopping()) return worker.mark_incomplete(id);
    const int error = read_names(directory, worker);
    if (error == ENOENT) return worker.count_changed();  // deleted while open: it is empty
    if (error != 0) return worker.report("list", directory.path(), error, id);
    if (worker.names.empty()) return;
    if (volume != nullptr) worker.names.set_settled(is_settled(directory, *volume, worker));
    look_at_block(directory, worker);
  }
}

void Lister::list_volume(Directory& directory, Worker& worker) const {
  const rt::ObservedPhase phase(options_.observer, "list");
  if (options_.selection.checks_paths()) worker.path_in_root = directory.path_in_root();
  Asking asking(directory, worker);
  const Directory::Opened& as = directory.as();
  as.volume->names().for_each_name(as.inode, [&](const NameTable::Name& name) {
    if (worker.stopping()) {
      worker.mark_incomplete(as.id);
      return false;
    }
    look_at(directory, {name.name, name.type, name.inode}, asking, worker);
    return true;
  });
  spawn_subdirectories(worker);
}

// In blocks, as if they had been read now.
void Lister::look_at_pending(Directory& directory, const Pending& pending, Worker& worker) const {
  worker.count_above();
  worker.names.set_used(0);
  for (const auto& [name, is_directory] : pending.names) {
    if (!worker.names.has_room()) {
      look_at_block(directory, worker);
      worker.names.set_used(0);
    }
    worker.names.add(name, is_directory ? DT_DIR : DT_UNKNOWN);
  }
  look_at_block(directory, worker);
  if (options_.selection.checks_paths()) worker.path_in_root = directory.path_in_root();
  for (const auto& [name, inside] : pending.inside) spawn_pending(directory, name, inside, worker);
}

// Looks at the names in the buffer of the worker, or lets another one do so.
void Lister::look_at_block(Directory& directory, Worker& worker) const {
  if (!share(directory, worker)) look_at(directory, worker.names, worker);
}

// Reads the next block of names; returns an errno, or 0.
int Lister::read_names(const Directory& directory, Worker& worker) const {
  worker.pace();
  const rt::ObservedPhase phase(options_.observer, "list");
  return -os::read_names(directory.descriptor(), worker.names);
}

// Gives a block of names to an idle worker, so that one huge directory uses all workers.
bool Lister::share(Directory& directory, Worker& worker) const {
  if (!worker.names.is_large() || !directory.held() || !engine_.has_idle_worker()) return false;
  auto batch = std::make_unique<Batch>(directory, std::exchange(worker.names, os::NameBlock()));
  engine_.spawn(*batch, worker.index());
  static_cast<void>(batch.release());  // it deletes itself
  return true;
}

void Lister::look_at(Directory& directory, const os::NameBlock& names, Worker& worker) const {
  const rt::ObservedPhase phase(options_.observer, "stat");
  if (options_.selection.checks_paths()) worker.path_in_root = directory.path_in_root();
  Asking asking(directory, worker);
  names.for_each([&](const os::RawName& name) {
    if (worker.stopping()) {
      worker.mark_incomplete(directory.as().id);
      return false;
    }
    // A listing of btrfs has the number of a subvolume in place of an inode.
    const bool is_inode = names.settled() && name.type != DT_DIR && name.type != DT_UNKNOWN;
    look_at(directory, {name.name(), name.type, is_inode ? name.inode : 0}, asking, worker);
    return true;
  });
  spawn_subdirectories(worker);
}

void Lister::look_at(Directory& directory, const Name& found, Asking& asking,
                     Worker& worker) const {
  const DirId in = directory.as().id;
  const char* const name = found.name;
  const bool known = found.type != DT_UNKNOWN;
  if (known && excludes(in, name, found.type == DT_DIR, worker)) return;
  if (worker.spent()) {
    return worker.leave(path_in(directory, name) + (found.type == DT_DIR ? "/" : ""));
  }
  if (found.type == DT_DIR) return add_directory(directory, found, asking, worker);
  if (!worker.take()) return worker.leave(path_in(directory, name));
  Entry entry;
  std::uint64_t mount = 0;
  const auto asked = find(directory, found, asking, entry, mount, worker);
  if (!asked) return;
  const int error = *asked;
  if (error == ENOENT) return worker.count_changed();
  if (error != 0) return worker.report("stat", path_in(directory, name), error, in);
  const bool is_directory = entry.kind() == Kind::directory;
  if (!known && excludes(in, name, is_directory, worker)) return;
  if (is_directory) return add_directory(directory, found, asking, worker);
  if (borders_.is_elsewhere(&directory, entry, mount)) {
    return worker.exclude(in, name, Excluded::other_filesystem);
  }
  const bool picked = directory.picked() || picks(name, false, worker);
  const bool reads_link = options_.read_links && entry.kind() == Kind::symlink;
  const int at = reads_link ? asking.descriptor() : directory.descriptor();
  worker.add(at, in, name, entry, picked);
}

// Finds out what a name leads to: from the volume, or from the kernel. Returns an errno, or 0;
// nothing if the kernel cannot be asked.
std::optional<int> Lister::find(Directory& directory, const Name& name, Asking& asking,
                                Entry& entry, std::uint64_t& mount, Worker& worker) const {
  const Directory::Opened& as = directory.as();
  if (as.volume != nullptr) {
    if (const Inode* const inode =
            name.inode == 0 ? nullptr : as.volume->find(as.inode, name.name, name.inode)) {
      entry = inode->entry(name.inode, as.device);
      mount = as.mount;
      return 0;
    }
    if (as.volume->is_image()) return EIO;
    worker.count_asked();
  }
  const int at = asking.descriptor();
  if (at < 0) return std::nullopt;
  worker.pace();
  return -os::stat_at(at, name.name, entry, &mount, worker.wanted());
}

// Whether the selection excludes a name; if so, records it.
bool Lister::excludes(DirId in, std::string_view name, bool directory, Worker& worker) const {
  const Selection& selection = options_.selection;
  if (!selection.checks_names()) return false;
  const bool found = test_path(worker.path_in_root, name, [&](std::string_view path) {
    return selection.excludes(path, directory);
  });
  if (found) worker.exclude(in, name, Excluded::pattern);
  return found;
}

// Whether Selection::only picks an entry of a directory that it does not pick.
bool Lister::picks(std::string_view name, bool directory, Worker& worker) const {
  return test_path(worker.path_in_root, name, [&](std::string_view path) {
    return options_.selection.picks(path, directory);
  });
}

// Adds a directory to those that wait. While another worker has nothing to do, it need not wait for
// the others.
void Lister::add_directory(Directory& in, const Name& name, Asking& asking, Worker& worker) const {
  const Volume* const volume = in.as().volume;
  const bool is_known = volume != nullptr && name.inode != 0 &&
                        volume->lists(name.inode, in.as().inode) && name.inode != in.as().entered &&
                        volume->find(in.as().inode, name.name, name.inode) != nullptr &&
                        asking.is_first_name_of(name.inode);
  const bool picked = in.picked() || picks(name.name, true, worker);
  if (!worker.subdirectories) worker.subdirectories = std::make_unique<Subdirectories>(in);
  worker.subdirectories->add(name.name, is_known ? name.inode : 0, picked);
  if (engine_.has_idle_worker()) spawn_subdirectories(worker);
}

void Lister::spawn_subdirectories(Worker& worker) const {
  if (!worker.subdirectories) return;
  engine_.spawn(*worker.subdirectories, worker.index());
  static_cast<void>(worker.subdirectories.release());  // it deletes itself
}

void Lister::spawn_pending(Directory& in, const std::string& name, const Pending& pending,
                           Worker& worker) const {
  const bool picked = in.picked() || picks(name, true, worker);
  auto* const child = new Directory(in, name.c_str(), picked, &pending);
  try {
    engine_.spawn(*child, worker.index());
  } catch (...) {
    child->leave_parent();
    child->release();
    throw;
  }
}

}  // namespace fathom::fs
