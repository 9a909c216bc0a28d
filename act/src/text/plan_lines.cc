// read_plan_lines: which line is the head, an item, or the end.

#include "text/plan_lines.h"

#include <string>

#include "fathom/base/error.h"

namespace fathom::act {

namespace {

class PlanLineReader {
 public:
  explicit PlanLineReader(const PlanLines& lines) : lines_(lines) {}

  void take(std::string_view text, std::uint64_t number) {
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
    JsonFields fields = parsed(text, number);
    if (ended_) fields.fail("unexpected text after the end");
    if (!has_head_) {
      head(fields);
    } else if (fields.has("end")) {
      ended_ = true;
      written_ = fields.number("end");
    } else {
      lines_.item(fields);
    }
    fields.finish();
  }

  [[nodiscard]] std::uint64_t written() const {
    if (!has_head_) throw base::Error("the plan is empty");
    if (!ended_) throw base::Error("the plan is truncated: its last line is missing");
    return written_;
  }

 private:
  [[nodiscard]] JsonFields parsed(std::string_view text, std::uint64_t number) const {
    try {
      return {text, number, ""};
    } catch (const NotJson&) {
      if (has_head_) throw;
      throw base::Error("line " + std::to_string(number) +
                        " is not valid JSON; this is not a Fathom plan");
    }
  }

  void head(JsonFields& fields) {
    const std::string schema = fields.has("schema") ? fields.bytes("schema") : std::string();
    if (!schema.starts_with(lines_.family)) fields.fail("this is not a Fathom plan");
    if (schema != lines_.schema) {
      fields.fail("the plan was made by a later version (" + schema + ")");
    }
    lines_.head(fields);
    has_head_ = true;
  }

  const PlanLines& lines_;
  bool has_head_ = false;
  bool ended_ = false;
  std::uint64_t written_ = 0;
};

}  // namespace

std::uint64_t read_plan_lines(const fs::Source& source, const PlanLines& lines) {
  PlanLineReader reader(lines);
  for_each_line(source, [&](std::string_view text, std::uint64_t number, bool) {
    reader.take(text, number);
  });
  return reader.written();
}

}  // namespace fathom::act
