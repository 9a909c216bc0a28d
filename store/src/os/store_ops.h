// StoreOps: the system calls of a store that change something, and those that list and lock it.
//
// Each call that changes something passes its name to a listener before it runs, so that tests can
// end the process there. A call that fails throws base::SystemError, with a sentence that names
// what it was about.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/fd.h"

namespace fathom::store {

class StoreOps {
 public:
  // `path` is that of the store, for messages.
  StoreOps(std::string path, std::function<void(std::string_view)> before)
      : path_(std::move(path)), before_(std::move(before)) {}

  // ---- Calls that change something. Folders are open directories.

  // Creates the directory of the store, which only its owner may enter, and those above it, as far
  // as they are missing.
  void make_path() const;
  void make_folder(int folder, const std::string& name) const;
  void make_private(int folder) const;
  void write_file(int folder, const std::string& name, std::string_view text) const;
  // Returns 0; EEXIST: the new name exists, and stays; ENOENT: the old one does not exist.
  [[nodiscard]] int rename(int folder, const std::string& from, const std::string& to) const;
  // The same, in place of a file that has the new name.
  void replace(int folder, const std::string& from, const std::string& to) const;
  void sync(int folder) const;
  // Not an error if there is no such file, or no such empty directory. `within`: the name that the
  // folder has in the store, for messages; empty if it is the store.
  void remove_file(int folder, const std::string& name, const std::string& within = {}) const;
  void remove_folder(int folder, const std::string& name) const;
  // Removes a file, or a directory of files. Returns how much space it took on the disk.
  std::uint64_t erase(int folder, const std::string& name) const;

  // Locks a file of the folder, which is created if necessary, until the result is closed: for
  // any number of processes, or alone, waiting if necessary; or alone, or not at all if another
  // process has locked it.
  [[nodiscard]] base::Fd lock_shared(int folder, const std::string& name) const;
  [[nodiscard]] base::Fd lock_alone(int folder, const std::string& name) const;
  [[nodiscard]] base::Fd try_lock(int folder, const std::string& name) const;

 private:
  void before(std::string_view step) const {
    if (before_) before_(step);
  }
  [[nodiscard]] base::Fd lock(int folder, const std::string& name, int how) const;
  [[nodiscard]] base::Fd open_lock(int folder, const std::string& name) const;
  [[noreturn]] void cannot(const char* what, const std::string& name, int code) const;

  std::string path_;
  std::function<void(std::string_view)> before_;
};

// The names that unfinished files and directories have, and a new one of them.
inline constexpr std::string_view kTemporary = ".tmp-";
[[nodiscard]] std::string temporary_name();

// ---- Calls that change nothing

// Opens a directory of a store. None if there is no directory of that name. Links are not followed.
[[nodiscard]] base::Fd open_existing_folder(int folder, const std::string& name);

// The names in a directory, sorted by their bytes.
[[nodiscard]] std::vector<std::string> names_in(int folder);

// The id of the owner, if that is not the user who runs the process.
[[nodiscard]] std::optional<std::uint32_t> foreign_owner(int folder);

// The size of a file of the directory on the disk; 0 if there is none.
[[nodiscard]] std::uint64_t disk_bytes_of(int folder, const std::string& name);

// The content of a small file; none if it does not exist. Throws base::Error if it is longer.
[[nodiscard]] std::optional<std::string> read_small_file(int folder, const std::string& name,
                                                         std::size_t most);

}  // namespace fathom::store
