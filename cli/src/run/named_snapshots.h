// NamedSnapshots: finds snapshots of the store by name, and says which ones cannot be read.
//
//   NamedSnapshots snapshots(open_store(request));
//   store::Snapshot::open(snapshots.folder_of("@latest"));

#pragma once

#include <set>
#include <span>
#include <string>

#include "fathom/store/store.h"

namespace fathom::cli {

// Says on standard error which snapshots of a store cannot be read. Returns the exit code:
// kIncomplete if there is one.
int tell_unreadable(const store::Store& store, const store::StoreContents& contents);

// What to add to a sentence that says that a snapshot is not there; empty if all can be read.
[[nodiscard]] std::string unreadable_note(const store::StoreContents& contents);

// After "there is none": the note or, if all can be read, how to keep one.
[[nodiscard]] std::string none_kept_note(const store::StoreContents& contents);

class NamedSnapshots {
 public:
  explicit NamedSnapshots(store::Store store);

  [[nodiscard]] const store::StoreContents& contents() const { return contents_; }
  [[nodiscard]] std::string path_of(const store::StoredSnapshot& snapshot) const;

  // Whether a word names a snapshot, even if that cannot be read.
  [[nodiscard]] bool has(const std::string& word) const;

  // The directory of the snapshot with this name; see store::find_snapshot(). A name that is not
  // that of one snapshot may have meant one that cannot be read: of each that is as late as the
  // chosen one or later, it says so once. Throws UsageError, with the reason if the name is that of
  // a snapshot that cannot be read.
  std::string folder_of(const std::string& name, const std::string& path = "");
  // The same for one of some snapshots, the oldest first.
  std::string folder_among(std::span<const store::StoredSnapshot> some, const std::string& name,
                           const std::string& path = "");

 private:
  [[nodiscard]] const store::UnreadableSnapshot* unreadable_called(const std::string& word) const;

  store::Store store_;
  store::StoreContents contents_;
  std::set<std::string> told_;  // names of unreadable snapshots
};

}  // namespace fathom::cli
