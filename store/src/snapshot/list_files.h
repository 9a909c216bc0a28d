// list_files(): list_directory() for the files of a snapshot, which the fuzzer makes.

#pragma once

#include "fathom/store/directory_listing.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

[[nodiscard]] DirectoryListing list_files(const Snapshot::Files& files,
                                          const ListingOptions& options);

}  // namespace fathom::store
