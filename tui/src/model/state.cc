// State: questions that several files ask.

#include "model/state.h"

#include <algorithm>

namespace fathom::tui {

std::size_t list_rows(const State& state) {
  const unsigned height = std::min(state.height, kMostHeight);
  return height > kFrameRows ? height - kFrameRows : 1;
}

bool lists_entries(View view) {
  return view == View::tree || view == View::largest || view == View::found;
}

const std::vector<ReportRow>* report_of(const State& state) {
  if (state.extras == nullptr) return nullptr;
  switch (state.view) {
    case View::types:
      return &state.extras->types;
    case View::ages:
      return &state.extras->ages;
    case View::owners:
      return &state.extras->owners;
    default:
      return nullptr;
  }
}

std::size_t list_size(const State& state) {
  if (lists_entries(state.view)) return state.listing.size();
  const auto* const report = report_of(state);
  return report == nullptr ? 0 : report->size();
}

std::optional<Listing::Row> row_at(const State& state, std::size_t index) {
  if (!lists_entries(state.view) || index >= state.listing.size()) return std::nullopt;
  return state.listing.at(index);
}

bool wants_extras(const State& state) {
  return state.view == View::largest || !lists_entries(state.view) || state.columns.exclusive ||
         !state.marks.empty() || !state.plan.empty() || state.layer == Layer::info;
}

bool has_much_to_lose(const State& state) {
  constexpr double kDear = 3;  // seconds
  const double seconds =
      state.progress.running ? state.progress.seconds : state.facts->scan().seconds;
  return (!state.settings.saved && seconds > kDear) || !state.plan.empty() || !state.marks.empty();
}

}  // namespace fathom::tui
