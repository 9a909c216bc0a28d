// Journal: what a run has begun and done, on the disk before it happens.
//
// Its lines are those of JournalText. A run that is killed leaves a last line that may be torn: it
// is cut away. Whoever has the journal open for writing has it alone.
//
//   journal.begin(act, file);            // as many as are wanted
//   if (journal.flush() == 0) ...        // now they may be carried out
//   journal.done(act);
//   if (journal.write() == 0) ...        // the next run will know, unless the power fails

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "dups/fd.h"
#include "dups/journal_text.h"
#include "dups/mutating_ops.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

// A short name for a plan that no other one has, by all that is likely.
[[nodiscard]] std::string digest_of(const DupPlan& plan);

class Journal {
 public:
  using Stage = JournalStage;
  using Entry = JournalEntry;
  enum class Access : std::uint8_t { read, write };

  // Opens a journal that is there, or makes one with this head. To read: there need be none. Throws
  // base::Error if it is another plan's, malformed, in use, or cannot be made.
  Journal(const std::string& path, Access access, const JournalHead& head, const MutatingOps& ops);

  // Opens one that is there, whatever its head.
  Journal(const std::string& path, Access access, const MutatingOps& ops);

  [[nodiscard]] const JournalHead& head() const { return head_; }
  // What stood there when it was opened.
  [[nodiscard]] Stage stage(std::uint64_t act) const;
  [[nodiscard]] const std::map<std::uint64_t, Entry>& entries() const { return entries_; }

  // Each is a line for the next flush() or write().
  void begin(std::uint64_t act, const PlanFile& file);
  void done(std::uint64_t act);
  void undone(std::uint64_t act);

  // Writes these lines: 0 or -errno, when none was written, and they are forgotten. flush() returns
  // when they are on the disk; what write() has written may be lost to a power cut.
  [[nodiscard]] int flush();
  [[nodiscard]] int write();

 private:
  void open(const std::string& path, Access access, bool may_make);
  void lock(const std::string& path) const;
  void read(const std::string& path);
  void cut_torn_line(const std::string& path) const;
  void write_head(const std::string& path);
  [[nodiscard]] int append(std::string_view text);

  const MutatingOps& ops_;
  Fd file_;
  JournalHead head_;
  std::map<std::uint64_t, Entry> entries_;  // by act
  std::string waiting_;                     // lines that are still to be written
  std::uint64_t length_ = 0;                // of the file, up to the last whole line
};

}  // namespace fathom::fs
