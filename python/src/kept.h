// Snapshots as Python sees them: their metadata, and where they are.

#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "fathom/store/store.h"

namespace fathom::python {

namespace nb = nanobind;

// A dictionary with the members of meta.json that concern a user. Paths are decoded.
[[nodiscard]] nb::dict facts_of(const store::SnapshotMeta& meta);

// The directory of the snapshot with a name such as "@7d", in a store; none: the user's. Throws
// store::NotFound, or another base::Error.
[[nodiscard]] std::string folder_of_snapshot(const std::string& name,
                                             const std::optional<std::string>& store);

// Opens a store for reading. Throws store::NotFound if there is none.
[[nodiscard]] store::Store open_existing(const std::optional<std::string>& store);

// The snapshots of the series that a path concerns, or of all without one; the oldest first.
[[nodiscard]] nb::list kept_snapshots(const std::optional<std::string>& path,
                                      const std::optional<std::string>& store);

}  // namespace fathom::python
