// Journal: the acts that a run has begun and done, on the disk before they happen.
//
// JournalText describes its lines, and JournalFile how they are written.
//
//   journal.begin(act, file);            // any number of acts
//   if (journal.flush() == 0) ...        // now they may be carried out
//   journal.done(act);
//   if (journal.write() == 0) ...        // the next run will know, unless the power fails

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dups/journal_text.h"
#include "fathom/act/dup_apply.h"
#include "fathom/act/dup_plan.h"
#include "os/journal_file.h"
#include "os/mutating_ops.h"

namespace fathom::act {

// A short name for a plan, unique for all practical purposes.
[[nodiscard]] std::string digest_of(const DupPlan& plan);

class Journal {
 public:
  using Stage = JournalStage;
  using Entry = JournalEntry;
  using Access = JournalAccess;
  using Path = JournalPath;

  // Opens an existing journal, or creates one with this head. With read access it may be missing,
  // and the journal of another plan that has left nothing unfinished counts as missing.
  // Throws base::Error if it belongs to another plan, is malformed or in use, or cannot be created.
  Journal(const std::string& path, Access access, const JournalHead& head, const MutatingOps& ops,
          Path kind = Path::chosen);

  // An empty journal without a file, which nothing may be written to.
  explicit Journal(const MutatingOps& ops) : file_(ops) {}

  // Opens an existing journal with any head.
  Journal(const std::string& path, Access access, const MutatingOps& ops);

  [[nodiscard]] const JournalHead& head() const { return head_; }
  // According to the journal when it was opened.
  [[nodiscard]] Stage stage(std::uint64_t act) const;
  [[nodiscard]] const std::map<std::uint64_t, Entry>& entries() const { return entries_; }

  // Each adds a line for the next flush() or write().
  void begin(std::uint64_t act, const PlanFile& file);
  void done(std::uint64_t act);
  void undone(std::uint64_t act);
  void refused(std::uint64_t act);

  // Write the waiting lines and return 0 or -errno; after an error, none was written, and they are
  // discarded. When flush() returns, the lines are on the disk; lines from write() may be lost in a
  // power cut.
  [[nodiscard]] int flush();
  [[nodiscard]] int write();

 private:
  void read(const std::string& path);
  void write_head(const std::string& path);

  JournalFile file_;
  JournalHead head_;
  std::map<std::uint64_t, Entry> entries_;  // by act
  std::string waiting_;                     // lines to be written
  std::uint64_t length_ = 0;                // of the file, up to the last complete line
};

// The temporary names that a killed run has left.
[[nodiscard]] Unfinished unfinished_acts(const Journal& journal);

}  // namespace fathom::act
