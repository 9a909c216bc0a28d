// Quarantine: creates and removes the directories in it.

#include "run/quarantine.h"

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "run/make_location.h"

namespace fathom::act {

Quarantine::Quarantine(const std::string& path, bool may_make, const MutatingOps& ops)
    : ops_(ops), path_(path) {
  const bool is_absolute = path.starts_with('/') && is_plain_path(path.substr(1));
  if (!is_absolute) {
    throw base::Error("the quarantine '" + path + "' is not an absolute path without . and ..");
  }
  const std::size_t slash = path.rfind('/');
  Location location;
  location.name = path.substr(slash + 1);
  int result = open_root(path.substr(0, slash + 1), location.folder);
  if (result == 0) result = open_folder(location.folder.get(), location.name, folder_);
  if (result == -ENOENT && location.folder && may_make) {
    result = ops.make_folder(location);
    if (result == 0) result = ops.sync(location.folder.get());
    if (result == 0 || result == -EEXIST) {  // another run may have created it
      result = open_folder(location.folder.get(), location.name, folder_);
    }
  }
  // If it does not exist, it will be on the mount of its parent.
  const bool will_be_made = result == -ENOENT && location.folder && !may_make;
  if (result < 0 && !will_be_made) {
    throw base::SystemError("cannot open the quarantine " + path, -result);
  }
  const int folder = will_be_made ? location.folder.get() : folder_.get();
  mount_ = mount_id_at(folder, "").value_or(MountId());
}

std::string Quarantine::path_of(const std::string& root, const std::string& path) {
  return root.size() > 1 ? root.substr(1) + '/' + path : path;
}

int Quarantine::find(const std::string& path, Location& location) const {
  return folder_ ? find_location(folder_.get(), path, location) : -ENOENT;
}

int Quarantine::make(const std::string& path, Location& location, Unsynced& unsynced) const {
  return make_location(folder_.get(), path, ops_, unsynced, location);
}

void Quarantine::remove_empty(const std::string& path) const {
  std::string_view above = path;
  for (std::size_t slash = above.rfind('/'); slash != std::string_view::npos;
       slash = above.rfind('/')) {
    above = above.substr(0, slash);
    Location location;
    if (find(std::string(above), location) < 0 || ops_.remove_folder(location) < 0) return;
  }
}

}  // namespace fathom::act
