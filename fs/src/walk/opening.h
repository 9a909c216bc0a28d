// Opening: the first half of the visit of a directory; the Lister is the second.

#pragma once

#include "walk/borders.h"
#include "walk/directory.h"
#include "walk/volumes.h"
#include "walk/worker.h"

namespace fathom::fs {

// Opens the directory and adds it to the tree. True if it is open now and has to be listed. One
// that cannot be opened is added too, with an error; one that is excluded, or not there any more,
// is only recorded. Ends the use of its parent's descriptor in any case.
[[nodiscard]] bool open_and_add(Directory& directory, const Borders& borders, Volumes& volumes,
                                Worker& worker);

// The same without a system call, if the volume of the parent knows the directory and its names;
// otherwise does nothing and returns false.
[[nodiscard]] bool add_from_volume(Directory& directory, Worker& worker);

// Opens a directory that is in the tree but not open now, from the nearest ancestor that is open.
// Returns a descriptor, or -errno: -ENOENT if another directory has its name now.
[[nodiscard]] int open_again(Directory& directory, Worker& worker);

}  // namespace fathom::fs
