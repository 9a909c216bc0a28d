// CellText: formatting the cells of reports as text.

#include "view/cell_text.h"

#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// "2026-01-31 17:05"; "@-99999999999999" beyond the range of the calendar.
std::string local_time(std::int64_t seconds) {
  struct tm parts {};
  const time_t moment = seconds;
  if (::localtime_r(&moment, &parts) == nullptr) return fmt::format("@{}", seconds);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", parts.tm_year + 1900LL, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

class Writer {
 public:
  Writer(fs::CellType type, base::Units units, bool unicode)
      : type_(type), units_(units), unicode_(unicode) {}

  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
  std::string operator()(const std::string& bytes) const {
    return bytes.empty() ? "-" : escaped(bytes, unicode_);
  }
  std::string operator()(std::uint64_t number) const {
    if (type_ == fs::CellType::bytes) return base::format_bytes(number, units_);
    return type_ == fs::CellType::number ? std::to_string(number) : grouped(number);
  }
  std::string operator()(std::int64_t number) const {
    return type_ == fs::CellType::time ? local_time(number) : std::to_string(number);
  }
  std::string operator()(double number) const {
    if (!std::isfinite(number)) return "-";
    if (type_ == fs::CellType::seconds) return duration(number);
    if (type_ == fs::CellType::rate) return rate_of(static_cast<std::uint64_t>(number), 1);
    return fmt::format("{:.1f}%", 100 * number);
  }

 private:
  fs::CellType type_;
  base::Units units_;
  bool unicode_;
};

}  // namespace

std::string cell_text(const fs::Cell& cell, fs::CellType type, base::Units units, bool unicode) {
  return std::visit(Writer(type, units, unicode), cell);
}

void read_shown(const fs::Table& table, std::size_t row, std::vector<fs::Cell>& cells) {
  table.read(row, cells);
  std::vector<std::pair<std::size_t, fs::Cell>> shown;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const auto make = table.columns()[i].shown;
    if (make != nullptr) shown.emplace_back(i, make(cells));
  }
  for (auto& [i, cell] : shown) cells[i] = std::move(cell);
}

bool is_figure(fs::CellType type) {
  switch (type) {
    case fs::CellType::count:
    case fs::CellType::bytes:
    case fs::CellType::number:
    case fs::CellType::share:
    case fs::CellType::seconds:
    case fs::CellType::rate:
      return true;
    default:
      return false;
  }
}

}  // namespace fathom::cli
