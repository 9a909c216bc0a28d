// Pending: the entries with which a shard begins, by the directories that contain them.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::fs {

// A directory above such entries. Immutable during a walk.
struct Pending {
  Pending() = default;
  Pending(Pending&&) = default;
  Pending& operator=(Pending&&) = default;
  ~Pending();  // not recursive: a path may have any number of names

  struct Name {
    std::string name;
    bool directory;  // false: its type is not known
  };
  std::vector<Name> names;                             // of the entries that are directly in it
  std::map<std::string, Pending, std::less<>> inside;  // further directories, by name

  [[nodiscard]] bool empty() const { return names.empty() && inside.empty(); }

  // Adds the path of an entry as Scan::rest has it, without the root. Throws base::Error if it does
  // not lead into the directory.
  void add(std::string_view path);
};

// What is pending in each root. Throws base::Error if a path is in none of them, or if one root
// contains another one.
[[nodiscard]] std::vector<Pending> pending_in(const std::vector<std::string>& roots,
                                              const std::vector<std::string>& paths);

}  // namespace fathom::fs
