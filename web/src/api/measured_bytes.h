// MeasuredBytes: the bytes of a place in a measure.
//
//   const MeasuredBytes measured(snapshot, Measure::exclusive);
//   measured(place);

#pragma once

#include <cstdint>

#include "api/parameters.h"
#include "api/snapshot.h"
#include "fathom/fs/exclusive.h"
#include "fathom/fs/measure.h"

namespace fathom::web {

enum class Measure : std::uint8_t { disk, apparent, exclusive };

[[nodiscard]] Measure measure_of(Parameters& given);
[[nodiscard]] std::string_view to_string(Measure measure);
// Of answers that do not know what is exclusive.
[[nodiscard]] fs::Measure size_measure_of(Parameters& given);

class MeasuredBytes {
 public:
  // For a running scan, exclusive is the same as disk. The snapshot must outlive the object.
  MeasuredBytes(const Snapshot& snapshot, Measure measure);

  // Includes everything below the place. Zero for an entry that is counted at another path.
  [[nodiscard]] std::uint64_t operator()(Place place) const;

 private:
  [[nodiscard]] std::uint64_t of_directory(fs::DirId directory) const;
  [[nodiscard]] std::uint64_t of_other(fs::NodeId node) const;
  [[nodiscard]] std::uint64_t of_all() const;

  const Snapshot& snapshot_;
  const fs::Measure measure_;
  const fs::Exclusive* const exclusive_;  // null for the other measures
};

// The disk bytes that deleting only this place would free. Requires: the place is not above the
// roots, and the scan of the snapshot has ended.
[[nodiscard]] std::uint64_t freed_bytes(const Snapshot& snapshot, Place place);

}  // namespace fathom::web
