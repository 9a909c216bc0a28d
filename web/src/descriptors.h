// Descriptors: how connections and scans share the files that the process may open.
//
// Without fixed shares, strangers who connect would take the descriptors that a scan needs, and
// directories would count as unreadable; or a scan would take those of connections.

#pragma once

#include <cstddef>

namespace fathom::web {

struct Descriptors {
  std::size_t connections;  // at a time
  std::size_t scan;         // of a scan, or of a search for duplicates

  // By RLIMIT_NOFILE, what is open now, and what is still to be opened for other purposes. Throws
  // base::Error, with a sentence, if there are too few to answer anybody.
  static Descriptors plan(std::size_t to_open = 0);
};

}  // namespace fathom::web
