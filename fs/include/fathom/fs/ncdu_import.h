// Reads an export of write_ncdu(), ncdu (-o) or gdu (-o) as a scan.
//
// Hard links and repeats are resolved, and sums computed, by the rules of a live scan, so every
// report works on the tree. Memory grows with the tree, not with the file, and no stack grows with
// its depth.
//
// What an export does not say is filled in or left unknown:
//   - A hard link is identified by the device and inode number in the export. Where the export does
//     not give the number of names (ncdu before 1.16, gdu), further names may exist. Without an
//     inode number an entry counts as the only name of its inode. Other files have the inode 0, and
//     directories get unique numbers, so that no two are the same.
//   - Without a mode (ncdu without -e, gdu), an entry that is not a regular file is taken for a
//     symbolic link if it has a size, because only links do.
//   - Missing owners and times (ncdu without -e; gdu has only times) are kUnknownOwner and
//     kUnknownTime, and permissions are 0: Entry::knows_permissions(). Links of directories are
//     always kManyLinks.
//   - A disk usage that is not a multiple of kBlockBytes is rounded up to whole blocks.
//   - A read error has the errno 0 if the export does not give one.
//   - gdu writes the total of a directory where ncdu writes its own size. Those figures are
//     ignored: gdu does not write any for the directory itself.
// If one of our exports says that the scan was interrupted, so is the Scan; directories that were
// not reached make lower bounds, but no errors.
//
// Entries that the export marks as excluded are in Scan::excluded; an unknown reason counts as a
// pattern.
//
// A selection excludes and filters as it would on the filesystem, except for facts that an export
// does not have: which directories are caches, and what is mounted where. The contents of an
// excluded directory are skipped: they must be JSON, but are not checked further.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/selection.h"
#include "fathom/fs/source.h"

namespace fathom::fs {

struct NcduImport {
  Scan scan;               // Scan::seconds is the time that reading took
  std::string program;     // the exporting program, such as "ncdu"; may be empty
  std::string version;     // of that program
  std::int64_t taken = 0;  // when the scan was made, in seconds since the epoch; 0: unknown
};

// Throws base::Error, with the line and the byte, if the text is not such an export, is truncated
// or continues after its end; and whatever the source throws. There is no partial result.
[[nodiscard]] NcduImport read_ncdu(const Source& source, const Selection& selection = {});

// The same with a selection that depends on when the scan was made (NcduImport::taken), such as one
// by age. Called once, before the first entry.
using SelectionAt = std::function<Selection(std::int64_t taken)>;
[[nodiscard]] NcduImport read_ncdu(const Source& source, const SelectionAt& selection);

}  // namespace fathom::fs
