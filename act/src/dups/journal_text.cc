// JournalText: formats and parses the lines of a journal.

#include "dups/journal_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"
#include "os/safe_open.h"
#include "text/journal_lines.h"
#include "text/json_fields.h"

namespace fathom::act {

namespace {

constexpr std::string_view kJournalFamily = "fathom.dups.journal/";
constexpr std::string_view kJournalSchema = "fathom.dups.journal/1";

class JournalReader {
 public:
  JournalText read(const fs::Source& source) {
    const JournalLines lines{
        kJournalFamily, kJournalSchema, [this](JsonFields& fields) { text_.head = head(fields); },
        [this](std::uint64_t act, JsonFields& fields) { text_.entries[act] = entry(fields); },
        [this](std::uint64_t act, ActEnd ended) { return end(act, ended); }};
    ReadLines read = read_journal_lines(source, lines);
    text_.length = read.length;
    text_.torn_head = std::move(read.torn_head);
    return std::move(text_);
  }

 private:
  static JournalHead head(JsonFields& fields) {
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

  bool end(std::uint64_t act, ActEnd ended) {
    const auto found = text_.entries.find(act);
    if (found == text_.entries.end()) return false;
    if (ended == ActEnd::refused) {
      text_.entries.erase(found);
    } else {
      found->second.stage = ended == ActEnd::done ? JournalStage::done : JournalStage::begun;
    }
    return true;
  }

  JournalText text_;
};

}  // namespace

JournalText read_journal(const fs::Source& source) {
  return JournalReader().read(source);
}

std::string head_line(const JournalHead& head) {
  return head_line_of([&](fs::JsonWriter& json) {
    json.string("schema", kJournalSchema);
    json.bytes("plan", head.plan);
    json.string("action", to_string(head.action));
    json.path_objects("roots", head.roots);
    if (head.action == DupAction::quarantine) json.bytes("quarantine", head.quarantine);
  });
}

std::string begin_line(std::uint64_t act, std::uint32_t root, const std::string& path,
                       const fs::FileIdentity& identity) {
  return json_line([&](fs::JsonWriter& json) {
    json.number("begin", act);
    json.number("root", root);
    json.bytes("path", path);
    json.number("device", identity.device);
    json.number("inode", identity.inode);
    json.number("size", identity.size);
    json.number("mtime_ns", identity.mtime_ns);
  });
}

}  // namespace fathom::act
