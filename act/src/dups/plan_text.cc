// Plans as text: schema fathom.dups.plan/1.
//
//   {"schema":"fathom.dups.plan/1","action":"hardlink","keep":"oldest","looked_ns":...,
//    "roots":[{"path":"/srv"}],"files":1,"freed_bytes":4096,"held_bytes":0}
//   {"group":1,"do":"keep","root":0,"path":"a","size":5,"device":...,"inode":...,"mtime_ns":...,
//    "ctime_ns":...}
//   {"group":1,"do":"hardlink","root":0,"path":"b",...}
//   {"group":1,"do":"skip","root":0,"path":"c",...,"reason":"the owner differs"}
//   {"end":1}
//
// The end has the number of acts that were written: the plan may have fewer, but not more. Each
// line has the number of its group, so that lines do not move to another group when lines between
// them are deleted.

#include "dups/plan_text.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "fathom/act/dup_plan.h"
#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"
#include "os/safe_open.h"
#include "text/json_fields.h"
#include "text/plan_lines.h"

namespace fathom::act {

namespace {

constexpr std::string_view kPlanFamily = "fathom.dups.plan/";
constexpr std::string_view kPlanSchema = "fathom.dups.plan/1";
constexpr std::string_view kKeep = "keep";
constexpr std::string_view kSkip = "skip";

void write_head(fs::JsonWriter& json, const DupPlan& plan) {
  json.begin_object();
  json.string("schema", kPlanSchema);
  json.string("action", to_string(plan.action));
  json.bytes("keep", to_string(plan.keep));
  json.number("looked_ns", plan.looked_ns);
  json.path_objects("roots", plan.roots);
  if (!plan.quarantine.empty()) json.bytes("quarantine", plan.quarantine);
  if (plan.sums) {
    json.number("files", plan.sums->files);
    json.number("freed_bytes", plan.sums->freed);
    json.number("held_bytes", plan.sums->held);
  }
  json.end_object();
  json.end_line();
}

void write_file(fs::JsonWriter& json, const PlanFile& file, std::size_t group, std::string_view act,
                const std::string& reason = {}) {
  json.begin_object();
  json.number("group", group);
  json.string("do", act);
  json.number("root", file.root);
  json.bytes("path", file.path);
  json.number("size", file.identity.size);
  json.number("device", file.identity.device);
  json.number("inode", file.identity.inode);
  json.number("mtime_ns", file.identity.mtime_ns);
  json.number("ctime_ns", file.identity.ctime_ns);
  if (act == kSkip) json.bytes("reason", reason);
  json.end_object();
  json.end_line();
}

void write_end(fs::JsonWriter& json, const DupPlan& plan) {
  json.begin_object();
  json.number("end", plan.acts());
  json.end_object();
  json.end_line();
}

class PlanReader {
 public:
  DupPlan read(const fs::Source& source) {
    const PlanLines lines{kPlanFamily, kPlanSchema, [this](JsonFields& fields) { head(fields); },
                          [this](JsonFields& fields) { file(fields); }};
    const std::uint64_t written = read_plan_lines(source, lines);
    end_group();
    if (const auto flaw = flaw_of(plan_)) throw base::Error("the plan is invalid: " + *flaw);
    if (plan_.acts() > written) throw base::Error("the plan has more acts than were written");
    return std::move(plan_);
  }

 private:
  void head(JsonFields& fields) {
    const auto action = parse_dup_action(fields.bytes("action"));
    if (!action) fields.fail("unknown action");
    const auto keep = parse_keep_rule(fields.bytes("keep"));
    if (!keep) fields.fail("unknown rule for the file to keep");
    plan_.action = *action;
    plan_.keep = *keep;
    plan_.looked_ns = fields.signed_number("looked_ns");
    plan_.roots = fields.list("roots");
    if (plan_.action == DupAction::quarantine && fields.has("quarantine")) {
      plan_.quarantine = fields.bytes("quarantine");
      if (plan_.quarantine.empty()) fields.fail("\"quarantine\" is empty");
    }
    if (fields.has("files")) {
      PlanSums& sums = plan_.sums.emplace();
      sums.files = fields.number("files");
      sums.freed = fields.number("freed_bytes");
      sums.held = fields.number("held_bytes");
    }
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
    } else if (act == kSkip) {
      group_.skipped.push_back({std::move(file), fields.bytes("reason")});
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
                        ": the kept file of this group is missing");
    }
    if (has_kept_) plan_.groups.push_back(std::move(group_));
    group_ = {};
    has_kept_ = false;
  }

  DupPlan plan_;
  PlanGroup group_;
  std::uint64_t number_ = 0;  // of the group
  std::uint64_t line_of_group_ = 0;
  bool has_kept_ = false;
};

}  // namespace

bool fits_a_line(const PlanFile& file) {
  // A byte becomes at most 6: \u001f, or its share of base64 and of the readable form.
  constexpr std::size_t kMostOfAByte = 6;
  constexpr std::size_t kRest = 1024;           // of a line
  constexpr std::size_t kLongestReason = 2048;  // with the name of an extended attribute: 255 bytes
  constexpr std::uint64_t kLargest = static_cast<std::uint64_t>(-1);
  constexpr std::size_t kMost = kLongestLine - kLongestReason;
  if (file.path.size() < (kMost - kRest) / kMostOfAByte) return true;
  fs::JsonWriter json;
  write_file(json, file, kLargest, to_string(DupAction::quarantine));
  return std::move(json).take().size() - 1 <= kMost;
}

void write_plan(const DupPlan& plan, const fs::Sink& sink) {
  fs::JsonWriter json(sink);
  write_head(json, plan);
  for (std::size_t i = 0; json.wanted() && i < plan.groups.size(); ++i) {
    write_file(json, plan.groups[i].kept, i + 1, kKeep);
    for (const PlanFile& file : plan.groups[i].acts) {
      write_file(json, file, i + 1, to_string(plan.action));
    }
    for (const SkippedFile& one : plan.groups[i].skipped) {
      write_file(json, one.file, i + 1, kSkip, one.why);
    }
  }
  write_end(json, plan);
  json.flush();
}

DupPlan read_dup_plan(const fs::Source& source) {
  return PlanReader().read(source);
}

// ---- Checking a plan, without looking at the filesystem

namespace {

class Inspection {
 public:
  explicit Inspection(const DupPlan& plan) : plan_(plan) {}

  std::optional<std::string> flaw() {
    for (const std::string& root : plan_.roots) {
      if (is_plain_root(root)) continue;
      return "the root '" + root + "' is not an absolute path without . and ..";
    }
    const std::string& quarantine = plan_.quarantine;
    if (!quarantine.empty() && (!is_plain_root(quarantine) || quarantine == "/")) {
      return "the quarantine '" + quarantine + "' is not an absolute path without . and ..";
    }
    for (group_ = 0; group_ < plan_.groups.size(); ++group_) {
      const PlanGroup& group = plan_.groups[group_];
      if (auto flaw = of(group.kept, group)) return flaw;
      for (const PlanFile& file : group.acts) {
        if (auto flaw = of(file, group)) return flaw;
      }
      for (const SkippedFile& one : group.skipped) {
        if (auto flaw = of(one.file, group)) return flaw;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> of(const PlanFile& file, const PlanGroup& group) {
    if (file.root >= plan_.roots.size()) return "unknown root " + std::to_string(file.root);
    if (!is_plain_path(file.path)) {
      return "'" + file.path + "' is not a path below a root";
    }
    if (!paths_.emplace(file.root, file.path).second) {
      return "'" + file.path + "' occurs twice";
    }
    const fs::FileIdentity& identity = file.identity;
    if (identity.size != group.kept.identity.size) {
      return "'" + file.path + "' differs in size from the kept file of its group";
    }
    const auto known = inodes_.emplace(std::pair(identity.device, identity.inode), group_);
    if (known.first->second != group_) {
      return "'" + file.path + "' also belongs to another group";
    }
    return std::nullopt;
  }

  const DupPlan& plan_;
  std::size_t group_ = 0;
  std::set<std::pair<std::uint32_t, std::string_view>> paths_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> inodes_;  // the group of each
};

}  // namespace

std::optional<std::string> flaw_of(const DupPlan& plan) {
  return Inspection(plan).flaw();
}

}  // namespace fathom::act
