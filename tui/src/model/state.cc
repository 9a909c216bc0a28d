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

const std::vector<ReportRow>* whole_report_of(const State& state) {
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

const std::vector<ReportRow>* report_of(const State& state) {
  const auto* const whole = whole_report_of(state);
  return whole == nullptr || state.report_text.empty() ? whole : &state.report_rows;
}

const std::string& filter_text(const State& state) {
  if (lists_entries(state.view)) return state.listing.text();
  const FindingList* const list = findings_on_screen(state);
  return list != nullptr ? list->text() : state.report_text;
}

std::optional<Search> search_of(View view) {
  if (view == View::clean) return Search::clean;
  if (view == View::grew) return Search::growth;
  if (view == View::duplicates) return Search::duplicates;
  return std::nullopt;
}

bool has_entries(View view) {
  return lists_entries(view) || search_of(view).has_value();
}

const FindingList* findings_on_screen(const State& state) {
  const auto search = search_of(state.view);
  return search ? &state.search(*search) : nullptr;
}

std::optional<Search> wanted_search(const State& state) {
  if (state.settings.saved || state.progress.running) return std::nullopt;
  auto wanted = search_of(state.view);
  if (state.marks_safe_later) wanted = Search::clean;
  if (!wanted) return std::nullopt;
  const FindingList& list = state.search(*wanted);
  const bool begins = list.findings() == nullptr && !list.running && list.why.empty();
  return begins ? wanted : std::nullopt;
}

const act::Candidate* ruled(const State& state, fs::NodeId node) {
  const auto& findings = state.search(Search::clean).findings();
  return findings == nullptr ? nullptr : findings->candidate(node);
}

std::size_t list_size(const State& state) {
  if (lists_entries(state.view)) return state.listing.size();
  if (const FindingList* const list = findings_on_screen(state)) return list->size();
  const auto* const report = report_of(state);
  return report == nullptr ? 0 : report->size();
}

std::optional<Listing::Row> row_at(const State& state, std::size_t index) {
  if (!has_entries(state.view) || index >= list_size(state)) return std::nullopt;
  if (lists_entries(state.view)) return state.listing.at(index);
  const Finding* const item = findings_on_screen(state)->item(index);
  if (item == nullptr || item->node == fs::kNoNode) return std::nullopt;
  return Listing::Row{item->node, item->directory, nullptr};
}

std::uint64_t bytes_of(const State& state, const Listing::Row& row) {
  if (row.node == fs::kNoNode) return 0;
  if (row.directory != fs::kNoDir) {
    return fs::bytes_of(state.facts->totals().below(row.directory), state.how.measure);
  }
  const fs::Tree& tree = state.facts->tree();
  return state.how.measure == fs::Measure::disk ? tree.blocks(row.node) * fs::kBlockBytes
                                                : tree.size(row.node);
}

bool wants_extras(const State& state) {
  return state.view == View::largest || !has_entries(state.view) || state.columns.exclusive ||
         !state.marks.empty() || !state.plan.empty() || state.layer == Layer::info;
}

bool lacks_extras(const State& state) {
  if (!wants_extras(state) || state.progress.running || state.extras_failed) return false;
  return state.extras == nullptr || state.extras->facts != state.facts ||
         state.extras->measure != state.how.measure;
}

const Basket& basket_to_write(const State& state) {
  return state.plan.empty() ? state.marks : state.plan;
}

bool has_much_to_lose(const State& state) {
  constexpr double kDear = 3;  // seconds
  const double seconds =
      state.progress.running ? state.progress.seconds : state.facts->scan().seconds;
  return (!state.settings.saved && seconds > kDear) || !state.plan.empty() || !state.marks.empty();
}

}  // namespace fathom::tui
