// Plans as text: schema fathom.dups.plan/1.
//
//   {"schema":"fathom.dups.plan/1","action":"hardlink","keep":"oldest","looked_ns":...,
//    "roots":[{"path":"/srv"}]}
//   {"group":1,"do":"keep","root":0,"path":"a","size":5,"device":...,"inode":...,"mtime_ns":...,
//    "ctime_ns":...}
//   {"group":1,"do":"hardlink","root":0,"path":"b",...}
//   {"end":1}
//
// The end has the number of acts that were written: the plan may have fewer, but not more. Each
// line has the number of its group, so that lines do not move to another group when lines between
// them are deleted.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "dups/json_line.h"
#include "dups/plan_line.h"
#include "fathom/base/error.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kPlanFamily = "fathom.dups.plan/";
constexpr std::string_view kPlanSchema = "fathom.dups.plan/1";
constexpr std::string_view kKeep = "keep";

std::string line_of(const PlanFile& file, std::size_t group, std::string_view act) {
  return JsonLine()
      .number("group", group)
      .bytes("do", act)
      .number("root", file.root)
      .bytes("path", file.path)
      .number("size", file.identity.size)
      .number("device", file.identity.device)
      .number("inode", file.identity.inode)
      .signed_number("mtime_ns", file.identity.mtime_ns)
      .signed_number("ctime_ns", file.identity.ctime_ns)
      .text();
}

class PlanReader {
 public:
  DupPlan read(const Source& source) {
    for_each_line(source, [this](std::string_view text, std::uint64_t number, bool) {
      if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
      JsonFields fields(text, number, "the plan");
      take(fields);
      fields.finish();
    });
    if (!has_head_) throw base::Error("the plan is empty");
    if (!ended_) throw base::Error("the plan is truncated: its last line is missing");
    end_group();
    if (const auto flaw = flaw_of(plan_)) throw base::Error("the plan is invalid: " + *flaw);
    if (plan_.acts() > written_) throw base::Error("the plan has more acts than were written");
    return std::move(plan_);
  }

 private:
  void take(JsonFields& fields) {
    if (ended_) fields.fail("unexpected text after the end");
    if (!has_head_) {
      head(fields);
    } else if (fields.has("end")) {
      ended_ = true;
      written_ = fields.number("end");
    } else {
      file(fields);
    }
  }

  void head(JsonFields& fields) {
    const std::string schema = fields.has("schema") ? fields.bytes("schema") : std::string();
    if (!schema.starts_with(kPlanFamily)) fields.fail("this is not a Fathom plan");
    if (schema != kPlanSchema) fields.fail("the plan was made by a later version (" + schema + ")");
    const auto action = parse_dup_action(fields.bytes("action"));
    if (!action) fields.fail("unknown action");
    const auto keep = parse_keep_rule(fields.bytes("keep"));
    if (!keep) fields.fail("unknown rule for the file to keep");
    plan_.action = *action;
    plan_.keep = *keep;
    plan_.looked_ns = fields.signed_number("looked_ns");
    plan_.roots = fields.list("roots");
    has_head_ = true;
  }

  void file(JsonFields& fields) {
    const std::uint64_t group = fields.number("group");
    if (group != number_) {
      if (group < number_) fields.fail("the groups are out of order");
      end_group();
      number_ = group;
      line_of_group_ = fields.line();
    }
    const std::string act = fields.bytes("do");
    PlanFile file = file_of(fields);
    if (act == kKeep) {
      if (has_kept_) fields.fail("the group keeps two files");
      has_kept_ = true;
      group_.kept = std::move(file);
    } else if (act == to_string(plan_.action)) {
      group_.acts.push_back(std::move(file));
    } else {
      fields.fail("the plan's action is not '" + act + "'");
    }
  }

  static PlanFile file_of(JsonFields& fields) {
    PlanFile file;
    const std::uint64_t root = fields.number("root");
    file.root = static_cast<std::uint32_t>(root);
    if (file.root != root) fields.fail("unknown root");
    file.path = fields.bytes("path");
    file.identity.size = fields.number("size");
    file.identity.device = fields.number("device");
    file.identity.inode = fields.number("inode");
    file.identity.mtime_ns = fields.signed_number("mtime_ns");
    file.identity.ctime_ns = fields.signed_number("ctime_ns");
    return file;
  }

  void end_group() {
    if (!has_kept_ && !group_.acts.empty()) {
      throw base::Error("line " + std::to_string(line_of_group_) +
                        " of the plan: the kept file of this group is missing");
    }
    if (has_kept_) plan_.groups.push_back(std::move(group_));
    group_ = {};
    has_kept_ = false;
  }

  DupPlan plan_;
  PlanGroup group_;
  std::uint64_t number_ = 0;  // of the group
  std::uint64_t line_of_group_ = 0;
  std::uint64_t written_ = 0;  // acts, according to the end
  bool has_head_ = false;
  bool has_kept_ = false;
  bool ended_ = false;
};

}  // namespace

bool fits_a_line(const PlanFile& file) {
  // A byte becomes at most 6: \u001f, or its share of base64 and of the readable form.
  constexpr std::size_t kMostOfAByte = 6;
  constexpr std::size_t kRest = 1024;  // of a line
  constexpr std::uint64_t kLargest = static_cast<std::uint64_t>(-1);
  if (file.path.size() < (kLongestLine - kRest) / kMostOfAByte) return true;
  const std::string line = line_of(file, kLargest, to_string(DupAction::quarantine));
  return line.size() - 1 <= kLongestLine;
}

void write_plan(const DupPlan& plan, const Sink& sink) {
  Blocks text(sink);
  text.put(JsonLine()
               .bytes("schema", kPlanSchema)
               .bytes("action", to_string(plan.action))
               .bytes("keep", to_string(plan.keep))
               .signed_number("looked_ns", plan.looked_ns)
               .list("roots", plan.roots)
               .text());
  for (std::size_t i = 0; text.wanted() && i < plan.groups.size(); ++i) {
    text.put(line_of(plan.groups[i].kept, i + 1, kKeep));
    for (const PlanFile& file : plan.groups[i].acts) {
      text.put(line_of(file, i + 1, to_string(plan.action)));
    }
  }
  text.put(JsonLine().number("end", plan.acts()).text());
  text.flush();
}

bool is_plan(const Source& source) {
  std::string line;
  std::array<char, 4096> room;  // filled by the source
  while (line.find('\n') == std::string::npos && line.size() <= kLongestLine) {
    const std::size_t length = source(std::span(room));
    if (length == 0) break;
    line.append(room.data(), length);
  }
  line.resize(std::min(line.find('\n'), line.size()));
  try {
    JsonFields fields(line, 1, "the plan");
    return fields.has("schema") && fields.bytes("schema").starts_with(kPlanFamily);
  } catch (const base::Error&) {
    return false;
  }
}

DupPlan read_plan(const Source& source) {
  return PlanReader().read(source);
}

}  // namespace fathom::fs
