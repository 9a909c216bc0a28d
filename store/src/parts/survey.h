// Survey: what must be known about all parts before their entries are joined one after the other:
// how many entries the shared directories have, which name of an inode owns it, and which
// directories were reached twice.
//
// It has one object for each shared directory and each inode with several names, and about 40
// bytes for each other directory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "parts/part_cursor.h"

namespace fathom::store {

class Survey {
 public:
  // Opens the part with this index. A part comes after those that have left entries to it.
  using OpenPart = std::function<std::unique_ptr<PartCursor>(std::size_t part)>;

  // Reads all parts, up to four times if directories were reached twice. Throws base::Error if one
  // is damaged.
  Survey(std::size_t parts, const OpenPart& open, SharedDirectories& shared,
         JoinedDevices& devices);

  // Entries in all parts.
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  // By part, the path of the first entry that no part before has; empty: it has none.
  [[nodiscard]] const std::vector<std::string>& first_paths() const { return first_paths_; }

  // Whether the directory, or the root that is not one, was reached by another path, at which it
  // counts, and the entries that are directly in it.
  [[nodiscard]] bool is_repeated(const std::string& path) const {
    return !repeated_.empty() && repeated_.contains(path);
  }
  // Whether the entry, which has several names, is counted by another one of them.
  [[nodiscard]] bool is_extra_link(const LoadedEntry& entry, const std::string& path) const;

 private:
  struct Identity {
    std::uint64_t device;
    std::uint64_t inode;
    bool operator==(const Identity&) const = default;
  };
  struct IdentityHash {
    std::size_t operator()(const Identity& of) const {
      return (of.device * 0x9e3779b97f4a7c15U) ^ of.inode;
    }
  };
  using Identities = std::unordered_set<Identity, IdentityHash>;

  static Identity identity_of(const LoadedEntry& entry) {
    return {entry.entry.device, entry.entry.inode};
  }
  static bool has_links(const LoadedEntry& entry);

  template <class Function>
  void for_each_new_entry(const Function& function);
  void count();
  void find_repeated();
  void find_repeated_roots();
  void add_owner(const PartCursor& cursor);

  const std::size_t parts_;
  const OpenPart& open_;
  SharedDirectories& shared_;
  JoinedDevices& devices_;
  std::uint64_t entries_ = 0;
  std::vector<std::string> first_paths_;
  Identities twice_;  // of directories that were reached twice
  std::unordered_set<std::string> repeated_;
  std::unordered_map<Identity, std::vector<std::string>, IdentityHash> plain_roots_;
  std::unordered_map<Identity, std::string, IdentityHash> owners_;  // the smallest path
};

}  // namespace fathom::store
