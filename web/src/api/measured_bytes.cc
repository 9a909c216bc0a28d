// MeasuredBytes: disk, apparent and exclusive bytes of places.

#include "api/measured_bytes.h"

#include "fathom/base/saturating.h"

namespace fathom::web {

Measure measure_of(Parameters& given) {
  return given.choice<Measure>("measure", Measure::disk,
                               {{"disk", Measure::disk},
                                {"apparent", Measure::apparent},
                                {"exclusive", Measure::exclusive}});
}

fs::Measure size_measure_of(Parameters& given) {
  return given.choice<fs::Measure>(
      "measure", fs::Measure::disk,
      {{"disk", fs::Measure::disk}, {"apparent", fs::Measure::apparent}});
}

std::string_view to_string(Measure measure) {
  switch (measure) {
    case Measure::disk:
      return "disk";
    case Measure::apparent:
      return "apparent";
    case Measure::exclusive:
      return "exclusive";
  }
  return "";
}

MeasuredBytes::MeasuredBytes(const Snapshot& snapshot, Measure measure)
    : snapshot_(snapshot),
      measure_(measure == Measure::apparent ? fs::Measure::apparent : fs::Measure::disk),
      exclusive_(measure == Measure::exclusive && !snapshot.of_running_scan()
                     ? &snapshot.exclusive()
                     : nullptr) {}

std::uint64_t MeasuredBytes::operator()(Place place) const {
  if (place.directory != fs::kNoDir) return of_directory(place.directory);
  return place.above_roots() ? of_all() : of_other(place.node);
}

std::uint64_t MeasuredBytes::of_directory(fs::DirId directory) const {
  if (exclusive_ != nullptr) return exclusive_->below(directory).disk_bytes;
  return bytes_of(snapshot_.totals().below(directory), measure_);
}

// The bytes of an inode with several names are exclusive to none of them.
std::uint64_t MeasuredBytes::of_other(fs::NodeId node) const {
  const fs::Tree& tree = snapshot_.tree();
  if ((tree.flags(node) & (fs::kUncounted | fs::kExtraLink)) != 0) return 0;
  if (exclusive_ != nullptr && tree.links(node) > 1) return 0;
  if (measure_ == fs::Measure::apparent) return tree.size(node);
  return fs::Entry{.blocks = tree.blocks(node)}.disk_bytes();
}

std::uint64_t MeasuredBytes::of_all() const {
  if (exclusive_ == nullptr) return bytes_of(snapshot_.totals().whole(), measure_);
  std::uint64_t bytes = 0;
  for (const Place root : snapshot_.roots()) bytes = base::saturating_add(bytes, (*this)(root));
  return bytes;
}

std::uint64_t freed_bytes(const Snapshot& snapshot, Place place) {
  return MeasuredBytes(snapshot, Measure::exclusive)(place);
}

}  // namespace fathom::web
