// GrowthView: columns, sparklines by time, and sentences.

#include "view/growth_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/table.h"
#include "fathom/store/growth_report.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/sparkline.h"
#include "term/wrapped.h"
#include "view/branches.h"
#include "view/change_rows.h"
#include "view/interval.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kFewestRowsShown = 3;
constexpr unsigned kLeastGrowthName = 10;
constexpr unsigned kFirstFrom = 60;     // columns from which on the first size is shown
constexpr unsigned kEntriesFrom = 100;  // and the change of the entries

// "+1,204".
std::string signed_count(std::int64_t change) {
  return (change < 0 ? "-" : change > 0 ? "+" : "") + grouped(base::magnitude(change));
}

std::int64_t whole_bytes(double bytes) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::llround(std::clamp(bytes, -kMost, kMost)));
}

// The size at so many moments with equal distances, from the first snapshot to the last: that of
// the last snapshot before the middle between a moment and the next.
std::vector<std::optional<std::uint64_t>> over_time(const store::Growth& growth,
                                                    const store::GrowthDirectory& directory,
                                                    std::size_t moments) {
  const std::size_t count = growth.snapshots.size();
  const std::int64_t first = growth.snapshots.front().ended_ns;
  const auto since_first = [&](std::size_t snapshot) {
    return static_cast<double>(growth.snapshots[snapshot].ended_ns - first);
  };
  const double distance =
      since_first(count - 1) / static_cast<double>(std::max<std::size_t>(moments, 2) - 1);
  std::vector<std::optional<std::uint64_t>> values;
  std::size_t snapshot = 0;  // the one that the moment shows
  for (std::size_t moment = 0; moment < moments; ++moment) {
    const double end = (static_cast<double>(moment) + 0.5) * distance;
    const bool last = moment + 1 == moments;
    while (moment != 0 && snapshot + 1 < count && (last || since_first(snapshot + 1) < end)) {
      ++snapshot;
    }
    const store::GrowthSize& size = directory.sizes[snapshot];
    values.push_back(size.exists ? std::optional(size.bytes) : std::nullopt);
  }
  return values;
}

// ---- Sentences

std::string rate_sentence(const store::Forecast& forecast, base::Units units) {
  if (!forecast.bytes_per_day) return "";
  const auto& rate = *forecast.bytes_per_day;
  return "used space changes by " + signed_bytes(whole_bytes(rate.expected), units) + " a day (" +
         signed_bytes(whole_bytes(rate.least), units) + " to " +
         signed_bytes(whole_bytes(rate.most), units) + ')';
}

// Escaped. What the forecast is about, and when it is full or why that is not known.
std::string forecast_sentence(const store::Growth& growth, base::Units units, bool unicode) {
  constexpr std::int64_t kSoon = 2 * 24 * 60 * 60;  // seconds; within these, the minute is shown
  const store::Forecast& forecast = growth.forecast;
  const std::string name =
      forecast.mount_point.empty() ? "The filesystem" : escaped(forecast.mount_point, unicode);
  const std::string rate = rate_sentence(forecast, units);
  if (!forecast.full) {
    std::string text =
        forecast.mount_point.empty() ? "No forecast: " : "No forecast for " + name + ": ";
    text += forecast.why_none;
    return text + (rate.empty() ? "" : "; " + rate) + '.';
  }
  const auto& full = *forecast.full;
  const std::int64_t last = base::whole_seconds(growth.snapshots.back().ended_ns);
  const auto when = full.expected - last < kSoon ? minute_text : day_text;
  return name + " is full on " + when(full.expected) + ", between " + when(full.least) + " and " +
         when(full.most) + " (95 %), if it goes on like this: " + rate + ", " +
         base::format_bytes(forecast.available, units) + " of " +
         base::format_bytes(forecast.size, units) + " are available.";
}

class GrowthView {
 public:
  GrowthView(const store::Growth& growth, const View& view, fs::Blocks& text)
      : growth_(growth),
        view_(view),
        terminal_(view.terminal),
        paint_(view.terminal.color),
        pieces_(branches(view.terminal)),
        text_(text) {}

  void write() {
    std::vector<ChangeNode> nodes;
    for (const store::GrowthDirectory& directory : growth_.directories) {
      nodes.push_back({directory.parent, directory.change()});
      add(directory);
    }
    const Columns columns = fit();
    const std::string head = title();
    const std::string end = forecast();
    ChangeLimits limits{.rows = row_limit(head + end), .folds = false};
    limits.depth = (columns.name - std::min(columns.name, kLeastGrowthName)) / pieces_.width;
    const ChangeRows shown = change_rows(nodes, limits);
    text_.put(head + headings(columns));
    for (std::size_t i = 0; i < shown.rows.size() && text_.wanted(); ++i) {
      text_.put(line(shown.rows, i, columns));
    }
    if (shown.others != 0) {
      text_.put("  " + paint_(Tone::faint, "and " + grouped(shown.others) + " more") + '\n');
    }
    text_.put(end);
  }

 private:
  //  [first gap]  last  gap  change  gap  [entries gap]  sparkline  gap  branches and name
  struct Columns {
    unsigned gap, first, last, change, entries, steps, name;
  };
  // The texts of a directory.
  struct Figures {
    std::string first, last, change, entries;
  };

  [[nodiscard]] unsigned line_width() const {
    return terminal_.person ? terminal_.width : Wrapped::kEndless;
  }

  [[nodiscard]] std::string title() const {
    const auto& all = growth_.snapshots;
    const std::string text = "From " + minute_text(base::whole_seconds(all.front().ended_ns)) +
                             " to " + minute_text(base::whole_seconds(all.back().ended_ns)) + ", " +
                             counted(all.size(), "snapshot", "snapshots");
    return paint_(Tone::heading, wrapped(text, 0, line_width())) + "\n\n";
  }

  // `others` are the lines of the title and of the forecast.
  [[nodiscard]] std::size_t row_limit(const std::string& others) const {
    if (view_.top != 0) return view_.top;
    if (!terminal_.person || terminal_.height == 0) return growth_.directories.size();
    constexpr std::size_t kMore = 3;  // the headings, the number of more directories, the prompt
    const auto used =
        kMore + static_cast<std::size_t>(std::count(others.begin(), others.end(), '\n'));
    return std::max(kFewestRowsShown,
                    terminal_.height - std::min<std::size_t>(terminal_.height, used));
  }

  [[nodiscard]] std::string forecast() const {
    return '\n' +
           wrapped(safe(forecast_sentence(growth_, view_.units, terminal_.unicode)), 0,
                   line_width()) +
           '\n';
  }

  [[nodiscard]] std::string size_text(const store::GrowthSize& size) const {
    if (!size.exists) return "-";
    return (size.lower_bound ? std::string(view_.lower_bound_mark()) : "") +
           base::format_bytes(size.bytes, view_.units);
  }

  void add(const store::GrowthDirectory& directory) {
    figures_.push_back({.first = size_text(directory.sizes.front()),
                        .last = size_text(directory.sizes.back()),
                        .change = signed_bytes(directory.change(), view_.units),
                        .entries = signed_count(directory.change_of_entries())});
  }

  [[nodiscard]] Columns fit() const {
    const auto widest = [this](std::string Figures::*figure, std::string_view heading) {
      std::size_t most = heading.size();
      for (const Figures& figures : figures_) most = std::max(most, columns_of(figures.*figure));
      return static_cast<unsigned>(most);
    };
    const unsigned width = terminal_.width;
    Columns columns{};
    columns.gap = width < kFirstFrom ? 1 : 2;
    columns.first = width < kFirstFrom ? 0 : widest(&Figures::first, "First");
    columns.last = widest(&Figures::last, "Last");
    columns.change = widest(&Figures::change, "Change");
    columns.entries = width < kEntriesFrom ? 0 : widest(&Figures::entries, "Entries");
    columns.steps = static_cast<unsigned>(
        std::min<std::size_t>(growth_.snapshots.size(), 6 + (width - kMinimumWidth) / 4));
    unsigned used = 0;
    for (const unsigned column :
         {columns.first, columns.last, columns.change, columns.entries, columns.steps}) {
      used += column == 0 ? 0 : column + columns.gap;
    }
    columns.name = width - std::min(width, used);
    return columns;
  }

  // Of a figure, which is ASCII but for the mark of a lower bound.
  [[nodiscard]] static std::size_t columns_of(std::string_view figure) {
    return Label(figure, true).width();
  }

  [[nodiscard]] std::string padded(std::string_view text, unsigned columns, unsigned gap) const {
    if (columns == 0) return "";
    return std::string(columns - std::min<std::size_t>(columns, columns_of(text)), ' ') +
           std::string(text) + std::string(gap, ' ');
  }

  [[nodiscard]] std::string headings(const Columns& columns) const {
    const std::string text = padded("First", columns.first, columns.gap) +
                             padded("Last", columns.last, columns.gap) +
                             padded("Change", columns.change, columns.gap) +
                             padded("Entries", columns.entries, columns.gap) +
                             std::string(columns.steps + columns.gap, ' ') + "Directory";
    return paint_(Tone::faint, text) + '\n';
  }

  [[nodiscard]] std::string line(const std::vector<ChangeRow>& rows, std::size_t i,
                                 const Columns& columns) const {
    const std::size_t index = rows[i].chain.front();
    const store::GrowthDirectory& directory = growth_.directories[index];
    const Figures& figures = figures_[index];
    const auto values = over_time(growth_, directory, columns.steps);
    const unsigned room = columns.name - std::min(columns.name, rows[i].depth * pieces_.width);
    const Label name(directory.name, terminal_.unicode);
    return padded(figures.first, columns.first, columns.gap) +
           padded(figures.last, columns.last, columns.gap) +
           padded(figures.change, columns.change, columns.gap) +
           padded(figures.entries, columns.entries, columns.gap) +
           paint_(Tone::bar, sparkline(values, terminal_.unicode)) + std::string(columns.gap, ' ') +
           paint_(Tone::faint, branch_to(rows, i, pieces_)) +
           paint_(Tone::directory, terminal_.person
                                       ? name.fitted(room, terminal_.unicode ? "…" : "...")
                                       : name.text()) +
           '\n';
  }

  const store::Growth& growth_;
  const View& view_;
  const Terminal& terminal_;
  const Paint paint_;
  const Branches pieces_;
  fs::Blocks& text_;
  std::vector<Figures> figures_;  // by directory
};

// One fact per line.
void write_plain_growth(const store::Growth& growth, const View& view, fs::Blocks& text) {
  const auto put = [&text](const std::string& line) { text.put(line + '\n'); };
  const auto size_words = [&view](const store::GrowthSize& size) {
    if (!size.exists) return std::string("absent");
    return (size.lower_bound ? "at least " : "") + base::format_bytes(size.bytes, view.units);
  };
  put("From: " + minute_text(base::whole_seconds(growth.snapshots.front().ended_ns)));
  put("To: " + minute_text(base::whole_seconds(growth.snapshots.back().ended_ns)));
  put("Snapshots: " + grouped(growth.snapshots.size()));
  const std::vector<std::size_t> all = store::shown_directories(growth);
  const std::size_t shown = view.top == 0 ? all.size() : std::min(all.size(), view.top);
  for (std::size_t i = 0; i < shown && text.wanted(); ++i) {
    const store::GrowthDirectory& directory = growth.directories[all[i]];
    put("\nDirectory: " + escaped(growth.path_of(all[i]), view.terminal.unicode));
    put("First: " + size_words(directory.sizes.front()));
    put("Last: " + size_words(directory.sizes.back()));
    put("Change: " + signed_bytes(directory.change(), view.units));
    put("Change of entries: " + signed_count(directory.change_of_entries()));
  }
  if (shown < all.size()) put("\nand " + grouped(all.size() - shown) + " more");
  if (const std::size_t missing = growth.directories.size() - all.size(); missing != 0) {
    put('\n' + counted(missing, "directory is", "directories are") +
        " left out: paths of more than " + grouped(fs::kLongestPath) + " bytes");
  }
  put('\n' + safe(forecast_sentence(growth, view.units, view.terminal.unicode)));
}

}  // namespace

void write_growth_view(const store::Growth& growth, const View& view, fs::Blocks& text) {
  if (view.plain) {
    write_plain_growth(growth, view, text);
  } else {
    GrowthView(growth, view, text).write();
  }
}

}  // namespace fathom::cli
