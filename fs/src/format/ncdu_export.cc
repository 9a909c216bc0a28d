// write_ncdu: walks the tree depth first with an explicit stack, and sorts the children of each
// directory by name.

#include "fathom/fs/ncdu_export.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/children.h"
#include "format/ncdu_excluded.h"
#include "format/ncdu_unread.h"

namespace fathom::fs {

namespace {

constexpr std::uint32_t kMostLinks = 0x7fffffff;  // the maximum that ncdu reads

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool needs_escape(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value < 0x20 || value == 0x7f || byte == '"' || byte == '\\';
}

// Writes the fields of one object after the other.
class ItemWriter {
 public:
  explicit ItemWriter(std::string& text) : text_(text) {}

  void begin(std::string_view name) {
    text_ += "{\"name\":";
    string(name);
  }
  void end() { text_ += '}'; }

  template <class Integer>
  void number(std::string_view key, Integer value) {
    begin_field(key);
    const auto [end, code] = std::to_chars(digits_.begin(), digits_.end(), value);
    static_cast<void>(code);  // the buffer fits every integer
    text_.append(digits_.begin(), end);
  }
  void boolean(std::string_view key, bool value) {
    begin_field(key);
    text_ += value ? "true" : "false";
  }
  void string(std::string_view key, std::string_view value) {
    begin_field(key);
    string(value);
  }

  void read_error(const ScanError* why) {
    boolean("read_error", true);
    if (why == nullptr || why->code == 0) return;
    string("operation", why->operation);
    number("errno", why->code);
  }

 private:
  void begin_field(std::string_view key) {
    text_ += ",\"";
    text_ += key;
    text_ += "\":";
  }

  void string(std::string_view bytes) {
    text_ += '"';
    while (!bytes.empty()) {
      const auto plain = static_cast<std::size_t>(
          std::find_if(bytes.begin(), bytes.end(), needs_escape) - bytes.begin());
      text_ += bytes.substr(0, plain);
      if (plain == bytes.size()) break;
      escaped(bytes[plain]);
      bytes.remove_prefix(plain + 1);
    }
    text_ += '"';
  }

  void escaped(char byte) {
    text_ += '\\';
    switch (byte) {
      case '\n':
        text_ += 'n';
        break;
      case '\r':
        text_ += 'r';
        break;
      case '\b':
        text_ += 'b';
        break;
      case '\t':
        text_ += 't';
        break;
      case '\f':
        text_ += 'f';
        break;
      case '"':
      case '\\':
        text_ += byte;
        break;
      default:
        text_ += "u00";
        text_ += kHexDigits[static_cast<unsigned char>(byte) >> 4];
        text_ += kHexDigits[static_cast<unsigned char>(byte) & 15];
    }
  }

  std::string& text_;
  std::array<char, 24> digits_{};
};

class NcduWriter {
 public:
  NcduWriter(const Scan& scan, DirId root, const NcduExport& options, const Sink& sink)
      : tree_(scan.tree),
        root_(root),
        options_(options),
        children_(scan.tree),
        unread_(scan, children_, root),
        excluded_(scan),
        filtered_out_(scan.filtered_out),
        interrupted_(scan.cancelled),
        item_(text_),
        blocks_(sink) {}

  void write() {
    header();
    begin_directory(root_, 0);
    while (!open_.empty() && blocks_.wanted()) {
      if (open_.back().next == waiting_.size()) {
        end_directory();
      } else {
        child(waiting_[open_.back().next++]);
      }
      pass_on();
    }
    text_ = "]\n";
    pass_on();
    blocks_.flush();
  }

 private:
  // What kind of item a child becomes.
  enum class Form : std::uint8_t { entry, directory, unread, excluded };

  struct Child {
    std::uint64_t prefix;  // the first bytes of the name, which decide most comparisons
    std::uint32_t id;      // NodeId, DirId, or an index in unread_.in() or excluded_.in()
    Form form;
  };

  // A directory whose children are being written. They are at the end of waiting_.
  struct Open {
    DirId id;
    std::size_t begin;
    std::size_t next;
    std::uint64_t device;
  };

  void pass_on() {
    blocks_.put(text_);
    text_.clear();
  }

  void header() {
    text_ = "[1,2,{\"progname\":\"fathom\"";
    if (!options_.version.empty()) item_.string("progver", options_.version);
    item_.number("timestamp", options_.taken);
    if (filtered_out_ > 0) item_.number("unwanted", filtered_out_);
    if (interrupted_) item_.boolean("interrupted", true);
    text_ += "},\n";
  }

  void begin_directory(DirId id, std::uint64_t parent_device) {
    const NodeId node = tree_.node(id);
    const bool is_root = open_.empty();
    const std::uint8_t flags = tree_.flags(node);
    Entry entry = tree_.entry(node);
    // A reader must not count what is not counted here.
    if ((flags & kFilteredOut) != 0) entry.size = entry.blocks = 0;
    text_ += '[';
    item_.begin(is_root && !options_.root.empty() ? options_.root : tree_.name(node));
    fields(entry, parent_device);
    if ((flags & kFilteredOut) != 0) item_.boolean("unwanted", true);
    if ((flags & kHasOmittedChildren) != 0 && excluded_.in(id).empty())
      item_.boolean("holds_more", true);
    const ScanError* const why = unread_.of(id);
    // If an unread name in it explains the flag, a second error is unnecessary.
    const bool unexplained = (flags & kIncomplete) != 0 && !unread_.explains(id);
    if (why != nullptr || unexplained) item_.read_error(why);
    item_.end();
    const std::size_t begin = waiting_.size();
    open_.push_back({.id = id, .begin = begin, .next = begin, .device = entry.device});
    add_children(id);
  }

  void end_directory() {
    text_ += ']';
    waiting_.resize(open_.back().begin);
    open_.pop_back();
  }

  void child(const Child& child) {
    const Open& in = open_.back();
    text_ += ",\n";
    switch (child.form) {
      case Form::entry:
        return entry(child.id, in.device);
      case Form::directory:
        if ((tree_.flags(tree_.node(child.id)) & kRepeated) != 0) {
          // For example mounted here as well: ncdu has no better word for it.
          return write_excluded(tree_.name(tree_.node(child.id)), Excluded::other_filesystem);
        }
        return begin_directory(child.id, in.device);
      case Form::unread: {
        const ScanError& error = *unread_.in(in.id)[child.id];
        item_.begin(Unread::name(error));
        item_.read_error(&error);
        return item_.end();
      }
      case Form::excluded: {
        const ExcludedEntry& entry = *excluded_.in(in.id)[child.id];
        return write_excluded(entry.name, entry.why);
      }
    }
  }

  // An excluded filesystem is a directory; the types of other excluded entries are unknown.
  void write_excluded(std::string_view name, Excluded why) {
    const bool mounted = why == Excluded::other_filesystem || why == Excluded::kernel_filesystem;
    if (mounted) text_ += '[';
    item_.begin(name);
    item_.string("excluded", word_of(why));
    item_.end();
    if (mounted) text_ += ']';
  }

  // ncdu writes excluded caches like patterns.
  static std::string_view word_of(Excluded why) {
    switch (why) {
      case Excluded::other_filesystem:
        return "otherfs";
      case Excluded::kernel_filesystem:
        return "kernfs";
      case Excluded::pattern:
      case Excluded::cache:
        break;
    }
    return "pattern";
  }

  void entry(NodeId node, std::uint64_t parent_device) {
    const Entry entry = tree_.entry(node);
    item_.begin(tree_.name(node));
    fields(entry, parent_device);
    if (entry.kind() != Kind::file) item_.boolean("notreg", true);
    // After notreg: ncdu 2 uses the last of them.
    if (entry.links > 1) {
      item_.number("ino", entry.inode);
      item_.boolean("hlnkc", true);
      if (entry.links != kManyLinks) item_.number("nlink", std::min(entry.links, kMostLinks));
    }
    if (entry.kind() == Kind::symlink) target(node);
    item_.end();
  }

  void fields(const Entry& entry, std::uint64_t parent_device) {
    if (entry.size != 0) item_.number("asize", entry.size);
    if (entry.blocks != 0) item_.number("dsize", entry.disk_bytes());
    if (entry.device != parent_device) item_.number("dev", entry.device);
    if (entry.uid != kUnknownOwner) item_.number("uid", entry.uid);
    if (entry.gid != kUnknownOwner) item_.number("gid", entry.gid);
    if (entry.knows_permissions()) item_.number("mode", entry.mode);
    if (entry.mtime == kUnknownTime) return;
    item_.number(entry.mtime < 0 ? "negative_mtime" : "mtime", entry.mtime);
  }

  void target(NodeId node) {
    const auto target = tree_.link_target(node);
    if (!target) return;
    item_.string("target", target->path);
    if (target->end == LinkEnd::unknown) return;
    item_.boolean("target_exists", target->end == LinkEnd::exists);
  }

  void add_children(DirId id) {
    for (const DirId directory : children_.directories(id)) add_child(directory, Form::directory);
    for (const NodeId node : children_.others(id)) add_child(node, Form::entry);
    const auto errors = static_cast<std::uint32_t>(unread_.in(id).size());
    for (std::uint32_t error = 0; error < errors; ++error) add_child(error, Form::unread);
    const auto excluded = static_cast<std::uint32_t>(excluded_.in(id).size());
    for (std::uint32_t entry = 0; entry < excluded; ++entry) add_child(entry, Form::excluded);
    const auto begin = waiting_.begin() + static_cast<std::ptrdiff_t>(open_.back().begin);
    std::sort(begin, waiting_.end(), [this](const Child& a, const Child& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      return std::tuple(name_of(a), a.form) < std::tuple(name_of(b), b.form);
    });
  }

  void add_child(std::uint32_t id, Form form) {
    Child child{.prefix = 0, .id = id, .form = form};
    const std::string_view name = name_of(child);
    for (std::size_t i = 0; i < sizeof child.prefix; ++i) {
      const auto byte = i < name.size() ? static_cast<unsigned char>(name[i]) : 0U;
      child.prefix = child.prefix << 8 | byte;
    }
    waiting_.push_back(child);
  }

  // The name of a child of the innermost open directory.
  [[nodiscard]] std::string_view name_of(const Child& child) const {
    switch (child.form) {
      case Form::entry:
        return tree_.name(child.id);
      case Form::directory:
        return tree_.name(tree_.node(child.id));
      case Form::unread:
        return Unread::name(*unread_.in(open_.back().id)[child.id]);
      case Form::excluded:
        return excluded_.in(open_.back().id)[child.id]->name;
    }
    return {};
  }

  const Tree& tree_;
  const DirId root_;
  const NcduExport& options_;
  const Children children_;
  const Unread unread_;
  const ExcludedByDirectory excluded_;
  const std::uint64_t filtered_out_;
  const bool interrupted_;
  std::string text_;  // of one entry, before it is copied to blocks_
  ItemWriter item_;   // writes to text_
  Blocks blocks_;
  std::vector<Open> open_;
  std::vector<Child> waiting_;
};

DirId directory_of(const Tree& tree, NodeId node) {
  DirId found = kNoDir;
  tree.for_each_directory([&](DirId id) {
    if (tree.node(id) == node) found = id;
  });
  return found;
}

DirId only_root(const Scan& scan) {
  const std::vector<NodeId>& roots = scan.tree.roots();
  if (roots.size() != 1) {
    throw base::Error("ncdu's format holds one directory, but this scan has " +
                      std::to_string(roots.size()) +
                      ": scan them separately, or scan a common parent");
  }
  if (roots.front() == kNoNode) {
    throw base::Error(scan.roots.front() + " could not be read: there is nothing to export");
  }
  if (scan.tree.kind(roots.front()) != Kind::directory) {
    throw base::Error("ncdu's format requires a directory, but " +
                      std::string(scan.tree.name(roots.front())) + " is not one");
  }
  return directory_of(scan.tree, roots.front());
}

}  // namespace

void write_ncdu(const Scan& scan, const NcduExport& options, const Sink& sink) {
  NcduWriter(scan, only_root(scan), options, sink).write();
}

}  // namespace fathom::fs
