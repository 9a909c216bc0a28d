// JournalFile: the file of a journal: opened safely, locked, and appended to.
//
// A killed run may leave a partial last line, which the next one removes. A process that opens the
// file for writing locks it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fathom/base/fd.h"
#include "fathom/fs/source.h"
#include "os/mutating_ops.h"

namespace fathom::act {

enum class JournalAccess : std::uint8_t { read, write };

// Whether a user has chosen the path. If not, it must be neither a symbolic link nor planted
// (base/planted.h): a path that is easy to guess may be a trap.
enum class JournalPath : std::uint8_t { chosen, derived };

// For messages: "the journal PATH".
[[nodiscard]] std::string in_journal(const std::string& path);

// Whether there is nothing to read: no such file, or an empty one.
[[nodiscard]] bool is_missing_or_empty(const std::string& path);

class JournalFile {
 public:
  // `ops` must outlive it. No file is open yet.
  explicit JournalFile(const MutatingOps& ops) : ops_(ops) {}

  // With `may_make`, a missing file is created for writing, and stays missing for reading. Throws
  // base::Error if it cannot be opened, is in use, or is not a regular file.
  void open(const std::string& path, JournalAccess access, bool may_make, JournalPath kind);

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(file_); }
  [[nodiscard]] fs::Source source() const { return fs::descriptor_source(file_.get()); }

  // Removes everything after the first `length` bytes, which is where append() continues. Throws
  // base::SystemError.
  void cut(std::uint64_t length);

  // Reserves room for so many further bytes, so that they can be written to a full disk. Returns 0,
  // also where the filesystem cannot reserve room, or -errno.
  [[nodiscard]] int reserve(std::uint64_t bytes);

  // Gives back what is left of that room.
  void release();

  // Writes the text completely and returns 0; or returns -errno, and nothing of it remains. After a
  // failed sync(), both only return its error: lines that follow a gap would not be read.
  [[nodiscard]] int append(std::string_view text);

  // Syncs what was appended.
  [[nodiscard]] int sync();

  // The same, and the name of the new file.
  [[nodiscard]] int sync_with_name();

 private:
  void lock() const;

  const MutatingOps& ops_;
  std::string path_;
  base::Fd file_;
  std::uint64_t length_ = 0;
  int sync_error_ = 0;  // the first one; the kernel reports it only once
};

}  // namespace fathom::act
