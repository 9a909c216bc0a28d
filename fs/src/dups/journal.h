// Journal: what a run has begun and done, on the disk before it happens.
//
// Lines of JSON: a head that names the plan, then one line for each act that begins, is done, or
// was undone. A run that is killed leaves a last line that may be torn: it is cut away. Whoever has
// the journal open for writing has it alone.
//
//   {"schema":"fathom.dups.journal/1","plan":"0123456789abcdef","action":"quarantine",
//    "roots":[{"path":"/srv"}],"quarantine":"/srv/.away"}
//   {"begin":0,"root":0,"path":"b","device":...,"inode":...,"size":...,"mtime_ns":...}
//   {"done":0}

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dups/fd.h"
#include "dups/steps.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

// What the journal's first line says.
struct JournalHead {
  std::string plan;  // a digest of it
  DupAction action = DupAction::hardlink;
  std::vector<std::string> roots;
  std::string quarantine;
  friend bool operator==(const JournalHead&, const JournalHead&) = default;
};

// A short name for a plan that no other one has, by all that is likely.
[[nodiscard]] std::string digest_of(const DupPlan& plan);

class Journal {
 public:
  enum class Stage : std::uint8_t { fresh, begun, done };
  enum class Access : std::uint8_t { read, write };

  struct Entry {
    Stage stage = Stage::fresh;
    std::uint32_t root = 0;
    std::string path;
    FileIdentity identity;  // as planned, but without a ctime
  };

  // Opens a journal that is there, or makes one with this head. To read: there need be none. Throws
  // base::Error if it is another plan's, malformed, in use, or cannot be made.
  Journal(const std::string& path, Access access, const JournalHead& head, const Steps& steps);

  // Opens one that is there, whatever its head.
  Journal(const std::string& path, Access access, const Steps& steps);

  [[nodiscard]] const JournalHead& head() const { return head_; }
  [[nodiscard]] Stage stage(std::uint64_t act) const;
  [[nodiscard]] const std::map<std::uint64_t, Entry>& entries() const { return entries_; }

  // An act may begin when flush() has returned 0 after this. What flush() could not write is
  // forgotten.
  void begin(std::uint64_t act, const PlanFile& file);
  [[nodiscard]] int flush();

  // Each returns 0 or -errno. Not on the disk before the next flush(): whatever reads the journal
  // after a crash finds out for itself what was done.
  [[nodiscard]] int done(std::uint64_t act);
  [[nodiscard]] int undone(std::uint64_t act);

 private:
  void open(const std::string& path, Access access, bool may_make);
  void lock(const std::string& path) const;
  void read(const std::string& path);
  void read_line(std::string_view text, std::uint64_t number);
  void read_head(std::string_view text, std::uint64_t number);
  void cut_torn_line(const std::string& path) const;
  void write_head(const std::string& path);
  [[nodiscard]] int write(std::string_view text);

  const Steps& steps_;
  Fd file_;
  JournalHead head_;
  std::map<std::uint64_t, Entry> entries_;  // by act
  std::string waiting_;                     // for flush()
  std::uint64_t length_ = 0;                // of the file, up to the last whole line
};

}  // namespace fathom::fs
