// Reads back what write_ncdu(), ncdu (-o) or gdu (-o) exported, as a scan.
//
// The tree is settled and summed by the rules of a live scan, so every report works on it. Memory
// grows with the tree and not with the file, and no stack grows with its depth.
//
// What an export does not say is filled in, or left unknown:
//   - A hard link is known by the device and the number that the export gives; where it does not
//     tell how many names there are (ncdu before 1.16, gdu), there may be others. Without a number
//     an entry counts as the only name of its inode. Other files have the inode 0, and directories
//     numbers of their own: two of them are never the same.
//   - Without a mode (ncdu without -e, gdu) an entry that is no regular file is taken for a
//     symbolic link if it has a size, as only those do.
//   - Owners and times that it does not tell (ncdu without -e; gdu tells times alone) are
//     kUnknownOwner and kUnknownTime, and the permissions none.
//   - A disk usage that is no multiple of kBlockBytes counts as whole blocks.
//   - A read error has the errno 0 if the export does not tell it.
//   - gdu writes what a directory holds where ncdu writes what it is. Those figures are not read:
//     gdu has none for the directories themselves.
// An export of ours tells that the scan was interrupted: so is the Scan then, and what was not
// reached makes lower bounds, but no errors.
//
// Entries that the export names as excluded are in Scan::excluded; a reason that is none of ours
// counts as a pattern's.
//
// A selection leaves out and wants what it would on the filesystem, but for what an export does not
// tell: which directories are caches, and what is mounted where. What is left out with a directory
// is only skipped: it has to be JSON and need make no other sense.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/selection.h"
#include "fathom/fs/source.h"

namespace fathom::fs {

struct NcduImport {
  Scan scan;               // its seconds are those that reading took
  std::string program;     // that exported, such as "ncdu"; may be empty
  std::string version;     // of that program
  std::int64_t taken = 0;  // when, in seconds since the epoch; 0: not known
};

// Throws base::Error, with the line and the byte, for anything that is no such export, that is cut
// off or that goes on behind its end; and what the source throws. There is no partial result.
[[nodiscard]] NcduImport read_ncdu(const Source& source, const Selection& selection = {});

// The same with a selection that depends on when the scan was made (NcduImport::taken), such as one
// of ages. Called once, before the first entry.
using SelectionAt = std::function<Selection(std::int64_t taken)>;
[[nodiscard]] NcduImport read_ncdu(const Source& source, const SelectionAt& selection);

}  // namespace fathom::fs
