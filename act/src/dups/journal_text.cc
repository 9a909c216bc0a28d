// JournalText: formats and parses the lines of a journal.

#include "dups/journal_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"
#include "os/safe_open.h"
#include "text/json_fields.h"

namespace fathom::act {

namespace {

constexpr std::string_view kJournalFamily = "fathom.dups.journal/";
constexpr std::string_view kJournalSchema = "fathom.dups.journal/1";

constexpr const char* kNoJournal = "this is not a Fathom journal";

class JournalReader {
 public:
  JournalText read(const fs::Source& source) {
    for_each_line(source, [this](std::string_view line, std::uint64_t number, bool torn) {
      over_ = over_ || torn || line.find('\0') != std::string_view::npos;
      if (!over_) return take(line, number);
      if (!text_.head && number == 1) text_.torn_head = line;
    });
    return std::move(text_);
  }

 private:
  void take(std::string_view line, std::uint64_t number) {
    JsonFields fields = fields_of(line, number);
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

  // The first line may be of any file.
  [[nodiscard]] JsonFields fields_of(std::string_view line, std::uint64_t number) const {
    try {
      return JsonFields(line, number, "the journal");
    } catch (const base::Error&) {
      if (text_.head) throw;
      throw base::Error(kNoJournal);
    }
  }

  static JournalHead head(JsonFields& fields) {
    const std::string schema = fields.has("schema") ? fields.bytes("schema") : std::string();
    if (!schema.starts_with(kJournalFamily)) throw base::Error(kNoJournal);
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
    const bool is_refused = !is_done && fields.has("refused");
    const char* ending = is_done ? "done" : is_refused ? "refused" : "undone";
    const auto found = text_.entries.find(fields.number(ending));
    if (found == text_.entries.end()) fields.fail("this act was never begun");
    if (is_refused) {
      text_.entries.erase(found);
      return;
    }
    found->second.stage = is_done ? JournalStage::done : JournalStage::begun;
  }

  JournalText text_;
  bool over_ = false;
};

template <class WriteMembers>
std::string line_of(const WriteMembers& write_members) {
  fs::JsonWriter json;
  json.begin_object();
  write_members(json);
  json.end_object();
  json.end_line();
  return std::move(json).take();
}

}  // namespace

JournalText read_journal(const fs::Source& source) {
  return JournalReader().read(source);
}

std::string head_line(const JournalHead& head) {
  return line_of([&](fs::JsonWriter& json) {
    json.string("schema", kJournalSchema);
    json.bytes("plan", head.plan);
    json.string("action", to_string(head.action));
    json.path_objects("roots", head.roots);
    if (head.action == DupAction::quarantine) json.bytes("quarantine", head.quarantine);
  });
}

std::string begin_line(std::uint64_t act, std::uint32_t root, const std::string& path,
                       const fs::FileIdentity& identity) {
  return line_of([&](fs::JsonWriter& json) {
    json.number("begin", act);
    json.number("root", root);
    json.bytes("path", path);
    json.number("device", identity.device);
    json.number("inode", identity.inode);
    json.number("size", identity.size);
    json.number("mtime_ns", identity.mtime_ns);
  });
}

std::string done_line(std::uint64_t act) {
  return line_of([act](fs::JsonWriter& json) { json.number("done", act); });
}

std::string undone_line(std::uint64_t act) {
  return line_of([act](fs::JsonWriter& json) { json.number("undone", act); });
}

std::string refused_line(std::uint64_t act) {
  return line_of([act](fs::JsonWriter& json) { json.number("refused", act); });
}

}  // namespace fathom::act
