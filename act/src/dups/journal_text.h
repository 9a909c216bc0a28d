// JournalText: the lines of a journal, for writing and reading.
//
//   {"schema":"fathom.dups.journal/1","plan":"0123456789abcdef","action":"quarantine",
//    "roots":[{"path":"/srv"}],"quarantine":"/srv/.away"}
//   {"begin":0,"root":0,"path":"b","device":...,"inode":...,"size":...,"mtime_ns":...}
//   {"done":0}
//   {"undone":0}
//   {"refused":1}
//
// "refused" ends an act that was begun, before it changed anything: the act counts as never begun.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fathom/act/dup_plan.h"
#include "fathom/fs/source.h"

namespace fathom::act {

// The first line.
struct JournalHead {
  std::string plan;  // its digest
  DupAction action = DupAction::hardlink;
  std::vector<std::string> roots;
  std::string quarantine;
  friend bool operator==(const JournalHead&, const JournalHead&) = default;
};

enum class JournalStage : std::uint8_t { fresh, begun, done };

// The other lines, for one act.
struct JournalEntry {
  JournalStage stage = JournalStage::fresh;
  std::uint32_t root = 0;
  std::string path;
  fs::FileIdentity identity;  // as planned, but without a ctime
  friend bool operator==(const JournalEntry&, const JournalEntry&) = default;
};

struct JournalText {
  std::optional<JournalHead> head;                // nothing: even the first line is incomplete
  std::string torn_head;                          // the part of the head that exists in that case
  std::map<std::uint64_t, JournalEntry> entries;  // by act
  std::uint64_t length = 0;                       // in bytes, up to the last complete line
};

// Reads all complete lines. The last one may be partial. A power cut may leave zeros in place of
// text that was not yet on the disk, so the first line with a zero byte is the end as well. Throws
// base::Error for any other line that does not belong in a journal.
[[nodiscard]] JournalText read_journal(const fs::Source& source);

// Each ends with a newline.
[[nodiscard]] std::string head_line(const JournalHead& head);
[[nodiscard]] std::string begin_line(std::uint64_t act, std::uint32_t root, const std::string& path,
                                     const fs::FileIdentity& identity);

}  // namespace fathom::act
