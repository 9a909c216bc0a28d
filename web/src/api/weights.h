// Weights: how many bytes a place has, by the measure that a question asks for.
//
//   const Weights weigh(snapshot, Measure::exclusive);
//   weigh(place);

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

class Weights {
 public:
  // While the snapshot grows exclusive is as disk. The snapshot must outlive it.
  Weights(const Snapshot& snapshot, Measure measure);

  // With all that is below it; of what is counted at another path nothing.
  [[nodiscard]] std::uint64_t operator()(Place place) const;

 private:
  [[nodiscard]] std::uint64_t of_directory(fs::DirId directory) const;
  [[nodiscard]] std::uint64_t of_other(fs::NodeId node) const;
  [[nodiscard]] std::uint64_t of_all() const;

  const Snapshot& snapshot_;
  const fs::Measure measure_;
  const fs::Exclusive* const exclusive_;  // null: all bytes
};

// What deleting a place alone would free, in disk bytes. Requires: not above the roots, and the
// snapshot does not grow.
[[nodiscard]] std::uint64_t freed_bytes(const Snapshot& snapshot, Place place);

}  // namespace fathom::web
