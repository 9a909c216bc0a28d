// Writes ncdu's export format (https://dev.yorhel.nl/ncdu/jsonfmt), which ncdu, gdu and read_ncdu()
// read: version 1.2, with the fields of ncdu -e.
//
// The same tree gives the same bytes: entries are ordered by the bytes of their names. Names are
// written as ncdu writes them, with bytes from 0x80 on as they are, so that they are read back
// unchanged.
//
// Facts that the format does not have are written under extra keys, which other programs skip: the
// errno and the operation of a read error; a time before 1970 ("negative_mtime", because ncdu 2
// refuses a negative "mtime"); the target of a symbolic link ("target", "target_exists"); and what
// a selection filtered out: how many names ("unwanted", in the header), a directory that is not
// counted itself ("unwanted"; its own sizes are not written), and a directory with omitted children
// ("holds_more"). An interrupted scan is marked in the header ("interrupted"); the directories that
// it did not reach are read errors without an errno. What an import does not know is not written
// either.
//
// Excluded entries are written as excluded, with ncdu's word for the reason.
//
// A directory that was reached twice is written as excluded where it is not counted: ncdu, which
// does not identify directories by inode, would count it again. Two facts are lost: the inode
// number of entries with one name, and link counts above 2^31 - 1.

#pragma once

#include <cstdint>
#include <string>

#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"

namespace fathom::fs {

struct NcduExport {
  std::string root = {};     // its absolute path, as the format requires; empty: as scanned
  std::string version = {};  // of the writing program
  std::int64_t taken = 0;    // when the scan was made, in seconds since the epoch
};

// Throws base::Error, before anything is written, unless the scan has exactly one root and that is
// a directory: the format has no room for more.
void write_ncdu(const Scan& scan, const NcduExport& options, const Sink& sink);

}  // namespace fathom::fs
