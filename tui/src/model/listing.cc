// Listing: selection of windows.

#include "model/listing.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "fathom/fs/name_matcher.h"
#include "model/passes.h"

namespace fathom::tui {

namespace {

// Segments up to that size are sorted as a whole.
constexpr std::size_t kSmall = 2048;

// Ranks have 63 bits, so that one is left for directories first. Sizes that do not fit are a sum
// that saturated, and times that do not fit are mistakes: their names decide.
constexpr std::uint64_t kMost = (std::uint64_t{1} << 63) - 1;

// A number of bytes or entries: the largest first.
std::uint64_t rank_of_amount(std::uint64_t amount) {
  return kMost - std::min(amount, kMost);
}

// The latest first.
std::uint64_t rank_of_time(std::int64_t time) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  return kMost - static_cast<std::uint64_t>(std::clamp(time, -kLimit, kLimit - 1) + kLimit);
}

// The first eight bytes of a name as a number with the same order.
std::uint64_t head_of(std::string_view name) {
  std::uint64_t head = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    head = head << 8 | (i < name.size() ? static_cast<unsigned char>(name[i]) : 0U);
  }
  return head;
}

bool has_wildcards(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

// Whether nothing changes but the direction.
bool is_reversed(const Arrangement& before, Arrangement now) {
  if (before.reverse == now.reverse || now.directories_first) return false;
  now.reverse = before.reverse;
  return now == before;
}

// Whether nothing changes but that hidden entries are not shown any more.
bool hides_more(const Arrangement& before, Arrangement now) {
  if (now.hidden) return false;
  now.hidden = true;
  return now == before;
}

}  // namespace

Listing::Listing(const Facts& facts, Items items, Arrangement how)
    : facts_(&facts), items_(items), how_(how) {
  find_largest();
  fill();
}

Listing::Row Listing::row(std::uint32_t id) const {
  const fs::Tree& tree = facts_->tree();
  std::size_t index = id;
  if (index < items_.directories.size()) {
    const fs::DirId directory = items_.directories[index];
    return {tree.node(directory), directory, nullptr};
  }
  index -= items_.directories.size();
  if (index < items_.others.size()) return {items_.others[index], fs::kNoDir, nullptr};
  index -= items_.others.size();
  return {fs::kNoNode, fs::kNoDir, &facts_->scan().excluded[items_.excluded[index]]};
}

std::string_view Listing::name_of(std::uint32_t id) const {
  const Row found = row(id);
  return found.excluded != nullptr ? std::string_view(found.excluded->name)
                                   : facts_->tree().name(found.node);
}

// The smaller the number, the earlier the row; names decide between equals.
std::uint64_t Listing::rank(std::uint32_t id) const {
  const Row found = row(id);
  std::uint64_t value = 0;
  switch (how_.key) {
    case SortKey::name:
      value = head_of(name_of(id)) >> 1;
      break;
    case SortKey::size:
      value = rank_of_amount(bytes_of(found));
      break;
    case SortKey::items:
      value = rank_of_amount(
          found.directory == fs::kNoDir ? 0 : facts_->totals().below(found.directory).entries());
      break;
    case SortKey::modified:
      value = rank_of_time(modified(found));
      break;
  }
  if (how_.reverse) value = kMost - value;
  const bool later = how_.directories_first && found.directory == fs::kNoDir;
  return later ? value + kMost + 1 : value;
}

std::uint64_t Listing::bytes_of(const Row& row) const {
  if (row.directory != fs::kNoDir) {
    return fs::bytes_of(facts_->totals().below(row.directory), how_.measure);
  }
  if (row.node == fs::kNoNode) return 0;
  const fs::Tree& tree = facts_->tree();
  return how_.measure == fs::Measure::disk ? tree.blocks(row.node) * fs::kBlockBytes
                                           : tree.size(row.node);
}

std::int64_t Listing::modified(const Row& row) const {
  if (row.directory != fs::kNoDir) return facts_->newest().below(row.directory);
  return row.node == fs::kNoNode ? fs::kUnknownTime : facts_->tree().mtime(row.node);
}

// A total order; reversed, it is the same from the other end, except that directories stay first.
bool Listing::less(std::uint32_t a, std::uint32_t b) const {
  const std::uint64_t rank_a = rank(a);
  const std::uint64_t rank_b = rank(b);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (how_.reverse) std::swap(a, b);
  if (const int order = name_of(a).compare(name_of(b)); order != 0) return order < 0;
  return a < b;  // in a search, or several roots
}

bool Listing::is_hidden(std::uint32_t id) const {
  return row(id).excluded != nullptr || name_of(id).starts_with('.');
}

void Listing::fill() {
  fill_with(
      rows_, items_.size(), [](std::size_t i) { return static_cast<std::uint32_t>(i); },
      [&] {
        return [this, matches = fs::NameMatcher(text_)](std::uint32_t id) mutable {
          if (!how_.hidden && is_hidden(id)) return false;
          return text_.empty() || matches(name_of(id));
        };
      });
  drop_unselected();
  forget_order();
}

void Listing::drop_unselected() {
  if (condition_ == nullptr) return;
  fill_with(
      rows_, rows_.size(), [&](std::size_t i) { return rows_[i]; },
      [&] {
        return [this, filter = std::make_unique<ConditionFilter>(*facts_, *condition_)](
                   std::uint32_t id) {
          const Row one = row(id);
          return one.excluded == nullptr && filter->selects(one.node, one.directory);
        };
      });
}

void Listing::choose(std::shared_ptr<const Condition> condition) {
  condition_ = std::move(condition);
  fill();
}

std::vector<fs::Chosen> Listing::entries() const {
  std::vector<fs::Chosen> entries;
  fill_with(
      entries, rows_.size(),
      [&](std::size_t i) {
        const Row one = row(rows_[i]);
        return fs::Chosen{one.node, one.directory};
      },
      [] { return [](const fs::Chosen& entry) { return entry.node != fs::kNoNode; }; });
  return entries;
}

void Listing::find_largest() {
  largest_ = 0;
  const auto count = static_cast<std::uint32_t>(items_.size());
  for (std::uint32_t id = 0; id < count; ++id) largest_ = std::max(largest_, bytes_of(row(id)));
}

void Listing::find_largest_but(const Basket& left_out) {
  largest_ = 0;
  const auto count = static_cast<std::uint32_t>(items_.size());
  for (std::uint32_t id = 0; id < count; ++id) {
    const Row one = row(id);
    if (one.node == fs::kNoNode || left_out.has(one.node)) continue;
    largest_ = std::max(largest_, bytes_of(one));
  }
}

void Listing::forget_order() {
  segments_ = {{0, rows_.size(), false}};
}

// Keeps the rows that a predicate of make_keeps() accepts. What is in order stays in order.
template <class MakeKeeps>
void Listing::keep_rows(MakeKeeps make_keeps) {
  std::size_t kept = 0;
  for (Segment& segment : segments_) {
    std::uint32_t* const from = rows_.data() + segment.begin;
    const std::size_t size = segment.end - segment.begin;
    const std::size_t left = fill_part(
        from, size, [&](std::size_t i) { return from[i]; }, make_keeps);
    std::copy(from, from + left, rows_.data() + kept);
    segment = {kept, kept + left, segment.sorted};
    kept += left;
  }
  rows_.resize(kept);
  std::erase_if(segments_, [](const Segment& segment) { return segment.begin == segment.end; });
  if (segments_.empty()) forget_order();
}

void Listing::narrow(const std::string& text) {
  const std::string before = std::exchange(text_, text);
  if (text == before) return;
  // What does not contain a part of the text does not contain the text.
  const bool narrower =
      text.find(before) != std::string::npos && !has_wildcards(before) && !has_wildcards(text);
  if (!narrower) return fill();
  keep_rows([&] {
    return [this, matches = fs::NameMatcher(text_)](std::uint32_t id) mutable {
      return matches(name_of(id));
    };
  });
}

void Listing::show(std::size_t begin, std::size_t end) {
  end = std::min(end, rows_.size());
  while (begin < end) {
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), begin,
                         [](std::size_t at, const Segment& segment) { return at < segment.end; });
    const auto index = static_cast<std::size_t>(after - segments_.begin());
    const std::size_t until = std::min(end, segments_[index].end);
    if (!segments_[index].sorted) show_in(index, begin, until);
    begin = until;
  }
}

// Sorts the rows between begin and end, which are in the segment, and divides it.
void Listing::show_in(std::size_t index, std::size_t begin, std::size_t end) {
  const Segment all = segments_[index];
  // A little more than what is shown, so that the next rows are there when they are asked for.
  const std::size_t more = kSmall / 4;
  begin = begin - all.begin <= more ? all.begin : begin - more;
  end = all.end - end <= more ? all.end : end + more;
  if (all.end - all.begin <= kSmall) {
    begin = all.begin;
    end = all.end;
  }
  if (end < all.end) cut(all.begin, all.end, end);
  if (begin > all.begin) cut(all.begin, end, begin);
  std::sort(iterator(begin), iterator(end), [&](auto a, auto b) { return less(a, b); });
  std::vector<Segment> parts;
  if (begin > all.begin) parts.push_back({all.begin, begin, false});
  parts.push_back({begin, end, true});
  if (end < all.end) parts.push_back({end, all.end, false});
  const auto at = segments_.begin() + static_cast<std::ptrdiff_t>(index);
  segments_.insert(segments_.erase(at), parts.begin(), parts.end());
}

// Moves the rows between begin and end to the side of `at` on which they belong.
void Listing::cut(std::size_t begin, std::size_t end, std::size_t at) {
  constexpr std::size_t kFew = 4 * kSmall;
  if (at - begin <= kFew) return select(begin, end, at - begin, false);
  if (end - at <= kFew) return select(begin, end, end - at, true);
  std::nth_element(iterator(begin), iterator(at), iterator(end),
                   [&](auto a, auto b) { return less(a, b); });
}

namespace {

struct Candidate {
  std::uint64_t rank;
  std::size_t place;
};

// Keeps the best of the candidates that are added, by comparing nearly all of them only with the
// worst of those found so far.
template <class Better>
class BestOf {
 public:
  BestOf(std::size_t count, Better better) : count_(count), better_(better) {
    found_.reserve(2 * count);
  }

  void add(const Candidate& candidate) {
    if (worst_ && !better_(candidate, *worst_)) return;
    found_.push_back(candidate);
    if (found_.size() < 2 * count_) return;
    shrink();
    worst_ = found_.back();
  }

  // In any order.
  std::vector<Candidate> take() {
    if (found_.size() > count_) shrink();
    return std::move(found_);
  }

 private:
  void shrink() {
    const auto last = found_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
    std::nth_element(found_.begin(), last, found_.end(), better_);
    found_.resize(count_);
  }

  const std::size_t count_;
  const Better better_;
  std::vector<Candidate> found_;
  std::optional<Candidate> worst_;
};

}  // namespace

// Moves the `count` first (or last) rows between begin and end to their begin (or end), in any
// order. Ranks decide; only ties look at names.
void Listing::select(std::size_t begin, std::size_t end, std::size_t count, bool last) {
  const auto better = [&](const Candidate& a, const Candidate& b) {
    if (a.rank != b.rank) return last ? a.rank > b.rank : a.rank < b.rank;
    return last ? less(rows_[b.place], rows_[a.place]) : less(rows_[a.place], rows_[b.place]);
  };
  std::array<std::vector<Candidate>, kMostParts> parts;
  in_parts(end - begin, [&](std::size_t part, std::size_t first, std::size_t behind) {
    BestOf best(count, better);
    for (std::size_t place = begin + first; place < begin + behind; ++place) {
      best.add({rank(rows_[place]), place});
    }
    parts[part] = best.take();
  });
  BestOf best(count, better);
  for (const auto& part : parts) {
    for (const Candidate& candidate : part) best.add(candidate);
  }
  const std::vector<Candidate> chosen = best.take();
  // Exchanges the selected rows outside the target with the others inside it.
  const std::size_t target = last ? end - count : begin;
  const auto is_inside = [&](std::size_t place) {
    return place >= target && place < target + count;
  };
  std::vector<bool> stays(count);
  for (const Candidate& candidate : chosen) {
    if (is_inside(candidate.place)) stays[candidate.place - target] = true;
  }
  std::size_t free = 0;
  for (const Candidate& candidate : chosen) {
    if (is_inside(candidate.place)) continue;
    while (stays[free]) ++free;
    std::swap(rows_[target + free++], rows_[candidate.place]);
  }
}

// Moves the row to its place by dividing its segment there. Returns the place.
std::size_t Listing::place(std::size_t index) {
  const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                    [&](const Segment& one) { return index < one.end; });
  if (segment->sorted) return index;
  const Segment all = *segment;
  const std::uint32_t id = rows_[index];
  const std::uint64_t rank_of_id = rank(id);
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(all.begin);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(all.end);
  std::swap(*begin, rows_[index]);
  const auto middle = std::partition(begin + 1, end, [&](std::uint32_t other) {
    const std::uint64_t rank_of_other = rank(other);
    return rank_of_other != rank_of_id ? rank_of_other < rank_of_id : less(other, id);
  });
  std::swap(*begin, *(middle - 1));
  const auto place = static_cast<std::size_t>(middle - 1 - rows_.begin());
  std::vector<Segment> parts;
  if (place > all.begin) parts.push_back({all.begin, place, false});
  parts.push_back({place, place + 1, true});
  if (place + 1 < all.end) parts.push_back({place + 1, all.end, false});
  segments_.insert(segments_.erase(segment), parts.begin(), parts.end());
  return place;
}

// What is in order stays in order.
std::size_t Listing::reverse(std::size_t keep) {
  std::reverse(rows_.begin(), rows_.end());
  std::reverse(segments_.begin(), segments_.end());
  const std::size_t size = rows_.size();
  for (Segment& segment : segments_) {
    segment = {size - segment.end, size - segment.begin, segment.sorted};
  }
  return keep < size ? place(size - 1 - keep) : kNone;
}

// The rows that belong before that of the number.
std::size_t Listing::rows_before(std::uint32_t id) const {
  const std::uint64_t rank_of_id = rank(id);
  std::array<std::size_t, kMostParts> counts{};
  in_parts(rows_.size(), [&](std::size_t part, std::size_t begin, std::size_t end) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t rank_of_row = rank(rows_[i]);
      if (rank_of_row != rank_of_id ? rank_of_row < rank_of_id : less(rows_[i], id)) ++count;
    }
    counts[part] = count;
  });
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::size_t Listing::arrange(Arrangement how, std::size_t keep) {
  const Arrangement before = std::exchange(how_, how);
  if (is_reversed(before, how)) return reverse(keep);
  const std::uint32_t id = keep < rows_.size() ? rows_[keep] : 0;
  if (before.hidden != how.hidden && hides_more(before, how)) {
    keep_rows([&] { return [this](std::uint32_t row_id) { return !is_hidden(row_id); }; });
    const auto found = std::find(rows_.begin(), rows_.end(), id);
    if (found == rows_.end()) return rows_.empty() ? kNone : 0;
    return static_cast<std::size_t>(found - rows_.begin());
  }
  if (before.hidden != how.hidden) fill();
  if (before.measure != how.measure) find_largest();
  forget_order();
  if (rows_.empty()) return kNone;
  // Where the order is the same otherwise, the row is likely to stay near an end. Then a pass that
  // only counts, which threads can divide, is enough: show() selects the rows around it.
  if (before.key == how.key) {
    constexpr std::size_t kNear = 4 * kSmall;
    const std::size_t at = rows_before(id);
    if (at < kNear || rows_.size() - at <= kNear) return at;
  }
  const auto found = std::find(rows_.begin(), rows_.end(), id);
  return found == rows_.end() ? 0 : place(static_cast<std::size_t>(found - rows_.begin()));
}

std::size_t Listing::find(fs::NodeId node) {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&](std::uint32_t id) { return row(id).node == node; });
  if (found == rows_.end()) return kNone;
  return place(static_cast<std::size_t>(found - rows_.begin()));
}

}  // namespace fathom::tui
