// ItemJournal: the acts of a run of a Plan, on the disk before they happen.
//
//   {"schema":"fathom.journal/1","plan":"0123456789abcdef","run":"2026-11-24T080424Z-01234567",
//    "created_ns":...,"roots":[{"path":"/srv"}]}
//   {"begin":0,"do":"quarantine","root":0,"path":"b","device":...,"inode":...,
//    "place":"/srv/.fathom-quarantine-0/2026-11-24T080424Z-01234567","to":"srv/b"}
//   {"done":0}
//   {"undone":0}
//   {"refused":1}
//
// "refused" ends an act that was begun, before it changed anything: it counts as never begun.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/act/plan.h"
#include "fathom/fs/source.h"
#include "os/journal_file.h"
#include "text/journal_lines.h"

namespace fathom::act {

// The first line.
struct ItemJournalHead {
  std::string plan;             // its digest
  std::string run;              // the name of its directory in a quarantine
  std::int64_t created_ns = 0;  // as in the plan
  std::vector<std::string> roots;
  friend bool operator==(const ItemJournalHead&, const ItemJournalHead&) = default;
};

enum class ItemStage : std::uint8_t { fresh, begun, done };

// The other lines, for one item.
struct ItemEntry {
  ItemStage stage = ItemStage::fresh;
  Action action = Action::quarantine;
  std::uint32_t root = 0;
  std::string path;  // below the root
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::string place;  // the directory to which it is moved, absolute; empty: it is removed
  std::string to;     // its path there
};

struct ItemJournalText {
  std::optional<ItemJournalHead> head;
  std::map<std::uint64_t, ItemEntry> entries;  // by the item's index in the plan
  std::uint64_t length = 0;                    // in bytes, up to the last complete line
};

// As read_journal() of dups/journal_text.h.
[[nodiscard]] ItemJournalText read_item_journal(const fs::Source& source);

[[nodiscard]] std::string digest_of(const Plan& plan);

class ItemJournal {
 public:
  // For the run of a plan; a missing journal is created, or counts as empty for reading.
  ItemJournal(const std::string& path, JournalAccess access, const ItemJournalHead& head,
              const MutatingOps& ops, JournalPath kind);

  // An existing journal.
  ItemJournal(const std::string& path, JournalAccess access, const MutatingOps& ops);

  [[nodiscard]] const ItemJournalHead& head() const { return head_; }
  [[nodiscard]] const std::map<std::uint64_t, ItemEntry>& entries() const { return entries_; }
  // Null if the item was not begun.
  [[nodiscard]] const ItemEntry* entry(std::uint64_t item) const;

  // Reserves room for the lines of a whole run, so that a full disk can be cleaned.
  [[nodiscard]] int reserve(const Plan& plan);
  void release() { file_.release(); }

  void begin(std::uint64_t item, const ItemEntry& entry);
  void done(std::uint64_t item) { end(item, ActEnd::done); }
  void undone(std::uint64_t item) { end(item, ActEnd::undone); }
  void refused(std::uint64_t item) { end(item, ActEnd::refused); }

  // As in dups/journal.h.
  [[nodiscard]] int flush();
  [[nodiscard]] int write();

 private:
  void read(const std::string& path);
  void end(std::uint64_t item, ActEnd end);

  JournalFile file_;
  ItemJournalHead head_;
  std::map<std::uint64_t, ItemEntry> entries_;
  std::string waiting_;
  std::uint64_t length_ = 0;
};

}  // namespace fathom::act
