// The report format of fclones 0.35: JSON, with paths in STFU-8.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/path.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/dup_report.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/utf8.h"

namespace fathom::fs {

namespace {

constexpr std::string_view kVersion = "0.35.0";  // the version whose format this is
constexpr std::size_t kHashDigits = 32;

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

void append_escape(std::string& text, unsigned char byte) {
  switch (byte) {
    case '\\':
      text += "\\\\";
      return;
    case '\t':
      text += "\\t";
      return;
    case '\n':
      text += "\\n";
      return;
    case '\r':
      text += "\\r";
      return;
    default:
      text += "\\x";
      text += kHexDigits[byte >> 4];
      text += kHexDigits[byte & 15];
  }
}

// The length of the UTF-8 sequence at the beginning of the text in bytes; 0: not a valid sequence.
std::size_t sequence_length(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (is_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

// STFU-8, in which fclones writes bytes: UTF-8 with escapes for control characters, the backslash
// and invalid bytes.
std::string stfu8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    const std::size_t length = sequence_length(bytes);
    if (length == 0 || byte < ' ' || byte == 0x7f || byte == '\\') {
      append_escape(text, byte);
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

// In hexadecimal, with as many digits as fclones' hashes have.
std::string number_as_hash(std::uint64_t number) {
  std::string digits(kHashDigits, '0');
  for (std::size_t i = kHashDigits; number != 0; number >>= 4) {
    const char digit = kHexDigits[number & 15];
    digits[--i] = digit >= 'A' ? static_cast<char>(digit - 'A' + 'a') : digit;
  }
  return digits;
}

class FclonesJson {
 public:
  FclonesJson(const DupReport& report, const FclonesHeader& header, const Sink& sink)
      : report_(report), header_(header), json_(sink, JsonWriter::Layout::indented) {}

  void write() {
    json_.begin_object();
    header();
    json_.begin_array("groups");
    for (std::size_t i = 0; i < report_.groups() && json_.wanted(); ++i) group(i);
    json_.end_array();
    json_.end_object();
    json_.end_line();
    json_.flush();
  }

 private:
  void header() {
    json_.begin_object("header");
    json_.string("version", kVersion);
    json_.string("timestamp", header_.timestamp);
    json_.begin_array("command");  // fclones parses it as its own command line
    for (const std::string_view word : {"fclones", "group", "--"}) json_.string(word);
    for (const std::string& root : report_.scan.roots) json_.string(stfu8(root));
    json_.end_array();
    json_.string("base_dir", stfu8(header_.base_dir));
    stats();
    json_.end_object();
  }

  // fclones counts names; all names of a group except the first are redundant.
  void stats() {
    std::uint64_t names = 0;
    std::uint64_t bytes = 0;
    std::uint64_t redundant_bytes = 0;
    std::uint64_t groups = 0;
    for (std::size_t i = 0; i < report_.groups(); ++i) {
      if (!report_.kept_in(i)) continue;
      ++groups;
      const DuplicateGroup& group = report_.same.groups[i];
      const std::uint64_t of_group = names_of(group).size();
      names += of_group;
      bytes = base::saturating_add(bytes, base::saturating_mul(of_group, group.size));
      redundant_bytes =
          base::saturating_add(redundant_bytes, base::saturating_mul(of_group - 1, group.size));
    }
    json_.begin_object("stats");
    json_.number("group_count", groups);
    json_.number("total_file_count", names);
    json_.number("total_file_size", bytes);
    json_.number("redundant_file_count", names - groups);
    json_.number("redundant_file_size", redundant_bytes);
    json_.number("missing_file_count", 0);
    json_.number("missing_file_size", 0);
    json_.end_object();
  }

  static std::vector<NodeId> names_of(const DuplicateGroup& group) {
    std::vector<NodeId> names;
    for (const DuplicateFile& file : group.files) {
      names.push_back(file.node);
      names.insert(names.end(), file.links.begin(), file.links.end());
    }
    return names;
  }

  // fclones keeps the first name, so the names of the kept file come first.
  void group(std::size_t place) {
    const DuplicateGroup& group = report_.same.groups[place];
    const auto kept = report_.kept_in(place);
    if (!kept) return;
    json_.begin_object();
    json_.number("file_len", group.size);
    json_.string("file_hash", number_as_hash(place + 1));
    json_.begin_array("files");
    names(group.files[*kept]);
    for (std::size_t i = 0; i < group.files.size(); ++i) {
      if (i != *kept) names(group.files[i]);
    }
    json_.end_array();
    json_.end_object();
  }

  void names(const DuplicateFile& file) {
    json_.string(absolute(file.node));
    for (const NodeId link : file.links) json_.string(absolute(link));
  }

  [[nodiscard]] std::string absolute(NodeId node) const {
    return stfu8(base::joined_path(header_.base_dir, report_.scan.tree.path(node)));
  }

  const DupReport& report_;
  const FclonesHeader& header_;
  JsonWriter json_;
};

}  // namespace

void write_fclones(const DupReport& report, const FclonesHeader& header, const Sink& sink) {
  FclonesJson(report, header, sink).write();
}

}  // namespace fathom::fs
