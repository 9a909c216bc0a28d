// JournalText: formats and parses the lines of a journal.

#include "dups/journal_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "dups/json_line.h"
#include "dups/safe_open.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kJournalFamily = "fathom.dups.journal/";
constexpr std::string_view kJournalSchema = "fathom.dups.journal/1";

class JournalReader {
 public:
  JournalText read(const Source& source) {
    for_each_line(source, [this](std::string_view line, std::uint64_t number, bool torn) {
      over_ = over_ || torn || line.find('\0') != std::string_view::npos;
      if (!over_) return take(line, number);
      if (!text_.head && number == 1) text_.torn_head = line;
    });
    return std::move(text_);
  }

 private:
  void take(std::string_view line, std::uint64_t number) {
    JsonFields fields(line, number, "the journal");
    if (!text_.head) {
      text_.head = head(fields);
    } else if (fields.has("begin")) {
      const std::uint64_t act = fields.number("begin");
      text_.entries[act] = entry(fields);
    } else {
      end(fields);
    }
    fields.finish();
    text_.length += line.size() + 1;
  }

  static JournalHead head(JsonFields& fields) {
    const std::string schema = fields.has("schema") ? fields.bytes("schema") : std::string();
    if (!schema.starts_with(kJournalFamily))
      fields.fail("this is not a journal of acts on duplicates");
    if (schema != kJournalSchema)
      fields.fail("the journal is from a later version (" + schema + ")");
    const auto action = parse_dup_action(fields.bytes("action"));
    if (!action) fields.fail("unknown action");
    JournalHead head;
    head.action = *action;
    head.plan = fields.bytes("plan");
    head.roots = fields.list("roots");
    if (!std::all_of(head.roots.begin(), head.roots.end(), is_plain_root)) {
      fields.fail("a root is not an absolute path without . and ..");
    }
    if (*action == DupAction::quarantine) head.quarantine = fields.bytes("quarantine");
    return head;
  }

  [[nodiscard]] JournalEntry entry(JsonFields& fields) const {
    JournalEntry entry;
    entry.stage = JournalStage::begun;
    const std::uint64_t root = fields.number("root");
    if (root >= text_.head->roots.size()) fields.fail("unknown root");
    entry.root = static_cast<std::uint32_t>(root);
    entry.path = fields.bytes("path");
    if (!is_plain_path(entry.path)) fields.fail("'" + entry.path + "' is not a path below a root");
    entry.identity.device = fields.number("device");
    entry.identity.inode = fields.number("inode");
    entry.identity.size = fields.number("size");
    entry.identity.mtime_ns = fields.signed_number("mtime_ns");
    return entry;
  }

  void end(JsonFields& fields) {
    const bool is_done = fields.has("done");
    const auto found = text_.entries.find(fields.number(is_done ? "done" : "undone"));
    if (found == text_.entries.end()) fields.fail("this act was never begun");
    found->second.stage = is_done ? JournalStage::done : JournalStage::begun;
  }

  JournalText text_;
  bool over_ = false;
};

}  // namespace

JournalText read_journal(const Source& source) {
  return JournalReader().read(source);
}

std::string head_line(const JournalHead& head) {
  JsonLine line;
  line.bytes("schema", kJournalSchema)
      .bytes("plan", head.plan)
      .bytes("action", to_string(head.action))
      .list("roots", head.roots);
  if (head.action == DupAction::quarantine) line.bytes("quarantine", head.quarantine);
  return line.text();
}

std::string begin_line(std::uint64_t act, std::uint32_t root, const std::string& path,
                       const FileIdentity& identity) {
  return JsonLine()
      .number("begin", act)
      .number("root", root)
      .bytes("path", path)
      .number("device", identity.device)
      .number("inode", identity.inode)
      .number("size", identity.size)
      .signed_number("mtime_ns", identity.mtime_ns)
      .text();
}

std::string done_line(std::uint64_t act) {
  return JsonLine().number("done", act).text();
}

std::string undone_line(std::uint64_t act) {
  return JsonLine().number("undone", act).text();
}

}  // namespace fathom::fs
