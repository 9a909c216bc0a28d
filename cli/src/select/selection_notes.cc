// Selection notes: sentences about the entries that the selection of a scan skipped.

#include "select/selection_notes.h"

#include "term/number.h"

namespace fathom::cli {

std::string excluded_note(std::uint64_t entries) {
  return "Excluded " + counted(entries, "entry", "entries") + " and everything in " +
         (entries == 1 ? "it." : "them.");
}

std::string filtered_out_note(std::uint64_t entries) {
  return counted(entries, "entry", "entries") + " filtered out.";
}

}  // namespace fathom::cli
