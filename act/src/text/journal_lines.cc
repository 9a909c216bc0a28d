// read_journal_lines: where a journal ends, and which line is the head, a begin or an end.

#include "text/journal_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "fathom/base/error.h"

namespace fathom::act {

namespace {

constexpr std::array<std::string_view, 3> kEnds = {"done", "undone", "refused"};  // by ActEnd

class JournalLineReader {
 public:
  explicit JournalLineReader(const JournalLines& lines) : lines_(lines) {}

  ReadLines run(const fs::Source& source) {
    for_each_line(source, [this](std::string_view line, std::uint64_t number, bool torn) {
      over_ = over_ || torn || line.find('\0') != std::string_view::npos;
      if (!over_) return take(line, number);
      if (!has_head_) take_torn_head(line, torn);
    });
    return std::move(read_);
  }

 private:
  void take(std::string_view line, std::uint64_t number) {
    JsonFields fields = fields_of(line, number);
    if (!has_head_) {
      head(fields);
    } else if (fields.has("begin")) {
      const std::uint64_t act = fields.number("begin");
      lines_.begin(act, fields);
    } else {
      end(fields);
    }
    fields.finish();
    read_.length += line.size() + 1;
  }

  // The beginning of a head, and after it nothing but zeros; otherwise this is a file of others,
  // which must not be cut.
  void take_torn_head(std::string_view line, bool torn) {
    const std::size_t end = std::min(line.find('\0'), line.size());
    if (!torn || line.find_first_not_of('\0', end) != std::string_view::npos) {
      throw base::Error(kNotAJournal);
    }
    read_.torn_head = line.substr(0, end);
  }

  // The first line may be of any file.
  [[nodiscard]] JsonFields fields_of(std::string_view line, std::uint64_t number) const {
    try {
      return JsonFields(line, number, "the journal");
    } catch (const base::Error&) {
      if (has_head_) throw;
      throw base::Error(kNotAJournal);
    }
  }

  void head(JsonFields& fields) {
    const std::string schema = fields.has("schema") ? fields.bytes("schema") : std::string();
    if (!schema.starts_with(lines_.family)) throw base::Error(kNotAJournal);
    if (schema != lines_.schema) {
      fields.fail("the journal is from a later version (" + schema + ")");
    }
    lines_.head(fields);
    has_head_ = true;
  }

  void end(JsonFields& fields) {
    std::size_t end = 0;
    while (end + 1 < kEnds.size() && !fields.has(kEnds[end])) ++end;
    const bool was_begun = lines_.end(fields.number(kEnds[end]), static_cast<ActEnd>(end));
    if (!was_begun) fields.fail("this act was never begun");
  }

  const JournalLines& lines_;
  ReadLines read_;
  bool has_head_ = false;
  bool over_ = false;
};

}  // namespace

ReadLines read_journal_lines(const fs::Source& source, const JournalLines& lines) {
  return JournalLineReader(lines).run(source);
}

std::string end_line(std::uint64_t act, ActEnd end) {
  return json_line(
      [&](fs::JsonWriter& json) { json.number(kEnds[static_cast<std::size_t>(end)], act); });
}

}  // namespace fathom::act
