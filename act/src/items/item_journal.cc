// ItemJournal: its lines, for writing and reading.

#include "items/item_journal.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/json_writer.h"
#include "os/safe_open.h"
#include "text/digest.h"
#include "text/journal_lines.h"
#include "text/json_fields.h"

namespace fathom::act {

namespace {

constexpr std::string_view kItemJournalFamily = "fathom.journal/";
constexpr std::string_view kItemJournalSchema = "fathom.journal/1";

std::string head_line(const ItemJournalHead& head) {
  return head_line_of([&](fs::JsonWriter& json) {
    json.string("schema", kItemJournalSchema);
    json.bytes("plan", head.plan);
    json.bytes("run", head.run);
    json.number("created_ns", head.created_ns);
    json.path_objects("roots", head.roots);
  });
}

std::string begin_line(std::uint64_t item, const ItemEntry& entry) {
  return json_line([&](fs::JsonWriter& json) {
    json.number("begin", item);
    json.string("do", to_string(entry.action));
    json.number("root", entry.root);
    json.bytes("path", entry.path);
    json.number("device", entry.device);
    json.number("inode", entry.inode);
    if (entry.place.empty()) return;
    json.bytes("place", entry.place);
    json.bytes("to", entry.to);
  });
}

class ItemJournalReader {
 public:
  ItemJournalText read(const fs::Source& source) {
    const JournalLines lines{
        kItemJournalFamily, kItemJournalSchema,
        [this](JsonFields& fields) { text_.head = head(fields); },
        [this](std::uint64_t item, JsonFields& fields) { text_.entries[item] = entry(fields); },
        [this](std::uint64_t item, ActEnd ended) { return end(item, ended); }};
    const ReadLines read = read_journal_lines(source, lines);
    // The beginning of every head: a shorter first line is that of a run that was killed.
    constexpr std::string_view kStart = R"({"schema":"fathom.journal/)";
    const std::string_view torn = std::string_view(read.torn_head).substr(0, kStart.size());
    if (!kStart.starts_with(torn)) throw base::Error(kNotAJournal);
    text_.length = read.length;
    return std::move(text_);
  }

 private:
  static ItemJournalHead head(JsonFields& fields) {
    ItemJournalHead head;
    head.plan = fields.bytes("plan");
    head.run = fields.bytes("run");
    if (!is_plain_path(head.run) || head.run.find('/') != std::string::npos) {
      fields.fail("\"run\" is not a name");
    }
    head.created_ns = fields.signed_number("created_ns");
    head.roots = fields.list("roots");
    if (!std::all_of(head.roots.begin(), head.roots.end(), is_plain_root)) {
      fields.fail("a root is not an absolute path without . and ..");
    }
    return head;
  }

  [[nodiscard]] ItemEntry entry(JsonFields& fields) const {
    ItemEntry entry;
    entry.stage = ItemStage::begun;
    const auto action = parse_action(fields.bytes("do"));
    if (!action) fields.fail("unknown action");
    entry.action = *action;
    const std::uint64_t root = fields.number("root");
    if (root >= text_.head->roots.size()) fields.fail("unknown root");
    entry.root = static_cast<std::uint32_t>(root);
    entry.path = plain(fields, "path");
    entry.device = fields.number("device");
    entry.inode = fields.number("inode");
    if (entry.action == Action::remove) return entry;
    entry.place = fields.bytes("place");
    if (!is_plain_root(entry.place)) fields.fail("\"place\" is not an absolute path");
    entry.to = plain(fields, "to");
    return entry;
  }

  static std::string plain(JsonFields& fields, std::string_view key) {
    std::string path = fields.bytes(key);
    if (!is_plain_path(path)) fields.fail("'" + path + "' is not a path below a directory");
    return path;
  }

  bool end(std::uint64_t item, ActEnd ended) {
    const auto found = text_.entries.find(item);
    if (found == text_.entries.end()) return false;
    if (ended == ActEnd::done) {
      found->second.stage = ItemStage::done;
    } else {
      text_.entries.erase(found);
    }
    return true;
  }

  ItemJournalText text_;
};

}  // namespace

ItemJournalText read_item_journal(const fs::Source& source) {
  return ItemJournalReader().read(source);
}

std::string digest_of(const Plan& plan) {
  TextDigest digest;
  write_plan(plan, [&](std::string_view block) {
    digest.add(block);
    return true;
  });
  return digest.text();
}

ItemJournal::ItemJournal(const std::string& path, JournalAccess access, const ItemJournalHead& head,
                         const MutatingOps& ops, JournalPath kind)
    : file_(ops) {
  file_.open(path, access, /*may_make=*/true, kind);
  if (file_) read(path);
  const bool is_new = head_.plan.empty();
  if (!is_new && head_.plan != head.plan) {
    throw base::Error(in_journal(path) +
                      " is from a run of a different plan: rename it (undo needs it), or use "
                      "--journal FILE");
  }
  if (is_new) head_ = head;
  if (access == JournalAccess::read) return;
  file_.cut(length_);
  if (!is_new) return;
  int result = file_.append(head_line(head_));
  if (result == 0) result = file_.sync_with_name();
  if (result < 0) throw base::SystemError("cannot write " + in_journal(path), -result);
}

ItemJournal::ItemJournal(const std::string& path, JournalAccess access, const MutatingOps& ops)
    : file_(ops) {
  file_.open(path, access, /*may_make=*/false, JournalPath::chosen);
  read(path);
  if (head_.plan.empty()) throw base::Error(in_journal(path) + " is empty");
  if (access == JournalAccess::write) file_.cut(length_);
}

void ItemJournal::read(const std::string& path) {
  try {
    ItemJournalText text = read_item_journal(file_.source());
    if (text.head) head_ = std::move(*text.head);
    entries_ = std::move(text.entries);
    length_ = text.length;
  } catch (const base::SystemError&) {
    throw;
  } catch (const base::Error& error) {
    throw base::Error(path + ": " + error.what());
  }
}

const ItemEntry* ItemJournal::entry(std::uint64_t item) const {
  const auto found = entries_.find(item);
  return found == entries_.end() ? nullptr : &found->second;
}

int ItemJournal::reserve(const Plan& plan) {
  // A line of an item: its own path, twice if it is moved, six times as long if every byte has to
  // be escaped, and once more as base64; numbers and keys; and the line that ends it.
  constexpr std::uint64_t kOfPath = 16;
  constexpr std::uint64_t kOfRest = 512;
  std::uint64_t bytes = 0;
  for (const PlanItem& item : plan.items) {
    bytes += kOfPath * (item.path.size() + plan.roots[item.root].size()) + kOfRest;
  }
  return file_.reserve(bytes);
}

void ItemJournal::begin(std::uint64_t item, const ItemEntry& entry) {
  waiting_ += begin_line(item, entry);
}

void ItemJournal::end(std::uint64_t item, ActEnd end) {
  waiting_ += end_line(item, end);
}

int ItemJournal::flush() {
  const int result = write();
  return result < 0 ? result : file_.sync();
}

int ItemJournal::write() {
  return waiting_.empty() ? 0 : file_.append(std::exchange(waiting_, {}));
}

}  // namespace fathom::act
