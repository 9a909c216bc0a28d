// Opening: the first half of the visit of a directory; the Lister is the second.

#pragma once

#include "walk/borders.h"
#include "walk/directory.h"
#include "walk/worker.h"

namespace fathom::fs {

// Opens the directory and adds it to the tree. True if it is open now and has to be listed. One
// that cannot be opened is added too, with an error; one that is excluded, or not there any more,
// is only recorded. Ends the use of its parent's descriptor in any case.
[[nodiscard]] bool open_and_add(Directory& directory, const Borders& borders, Worker& worker);

}  // namespace fathom::fs
