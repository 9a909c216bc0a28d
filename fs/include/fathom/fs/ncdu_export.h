// The export format of ncdu (https://dev.yorhel.nl/ncdu/jsonfmt), which ncdu, gdu and read_ncdu()
// read: version 1.2, with the fields of ncdu -e.
//
// The same tree gives the same bytes: entries stand in the order of their names' bytes. Names are
// written as ncdu writes them, bytes from 0x80 on as they are, so that they come back unchanged.
//
// What others have no place for stands under keys of our own, which they skip: the errno and the
// operation of a read error, a time before 1970 ("negative_mtime"; ncdu 2 refuses a negative
// "mtime"), where a symbolic link leads ("target", "target_exists"), and what a selection did not
// want: how many names ("unwanted", in the header), a directory that is not counted itself
// ("unwanted"; its own sizes are not written), and one that holds such ("holds_more"). A scan that
// was interrupted says so in the header ("interrupted"); what it did not reach is a read error
// without an errno. What an import did not tell is not written either.
//
// What was left out is written as excluded, with the word that ncdu has for the reason.
//
// A directory that was reached twice is written as excluded where it is not counted: ncdu, which
// does not know directories by their inodes, would count it again. Lost are the inodes of what has
// one name only, and an inode's names beyond 2^31 - 1.

#pragma once

#include <cstdint>
#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"

namespace fathom::fs {

struct NcduExport {
  std::string root = {};     // its absolute path, as the format wants it; empty: as it was scanned
  std::string version = {};  // of the program that writes
  std::int64_t taken = 0;    // when the scan was made, in seconds since the epoch
};

// Throws base::Error, before anything is written, unless the scan has exactly one root and that is
// a directory: the format has room for one.
void write_ncdu(const Scan& scan, const NcduExport& options, const Sink& sink);

}  // namespace fathom::fs
