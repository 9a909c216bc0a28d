// The report format of fclones 0.35: JSON, with paths in STFU-8.

#include <rapidjson/prettywriter.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dups/dup_report_stream.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/dup_report.h"
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
      : report_(report), header_(header), blocks_(sink), stream_(blocks_), writer_(stream_) {
    writer_.SetIndent(' ', 2);
  }

  void write() {
    writer_.StartObject();
    header();
    put_key(writer_, "groups");
    writer_.StartArray();
    for (std::size_t i = 0; i < report_.groups() && blocks_.wanted(); ++i) group(i);
    writer_.EndArray();
    writer_.EndObject();
    blocks_.put('\n');
    blocks_.flush();
  }

 private:
  void string(std::string_view name, std::string_view text) {
    put_key(writer_, name);
    put_string(writer_, text);
  }

  void header() {
    put_key(writer_, "header");
    writer_.StartObject();
    string("version", kVersion);
    string("timestamp", header_.timestamp);
    put_key(writer_, "command");  // fclones parses it as its own command line
    writer_.StartArray();
    for (const std::string_view word : {"fclones", "group", "--"}) put_string(writer_, word);
    for (const std::string& root : report_.scan.roots) put_string(writer_, stfu8(root));
    writer_.EndArray();
    string("base_dir", stfu8(header_.base_dir));
    stats();
    writer_.EndObject();
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
    put_key(writer_, "stats");
    writer_.StartObject();
    put_number(writer_, "group_count", groups);
    put_number(writer_, "total_file_count", names);
    put_number(writer_, "total_file_size", bytes);
    put_number(writer_, "redundant_file_count", names - groups);
    put_number(writer_, "redundant_file_size", redundant_bytes);
    put_number(writer_, "missing_file_count", 0);
    put_number(writer_, "missing_file_size", 0);
    writer_.EndObject();
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
    writer_.StartObject();
    put_number(writer_, "file_len", group.size);
    string("file_hash", number_as_hash(place + 1));
    put_key(writer_, "files");
    writer_.StartArray();
    names(group.files[*kept]);
    for (std::size_t i = 0; i < group.files.size(); ++i) {
      if (i != *kept) names(group.files[i]);
    }
    writer_.EndArray();
    writer_.EndObject();
  }

  void names(const DuplicateFile& file) {
    put_string(writer_, absolute(file.node));
    for (const NodeId link : file.links) put_string(writer_, absolute(link));
  }

  [[nodiscard]] std::string absolute(NodeId node) const {
    std::string path = report_.scan.tree.path(node);
    if (path.starts_with('/')) return stfu8(path);
    while (path.starts_with("./")) path.erase(0, 2);
    return stfu8(header_.base_dir + (header_.base_dir.ends_with('/') ? "" : "/") + path);
  }

  const DupReport& report_;
  const FclonesHeader& header_;
  Blocks blocks_;
  DupReportStream stream_;
  rapidjson::PrettyWriter<DupReportStream> writer_;
};

}  // namespace

void write_fclones(const DupReport& report, const FclonesHeader& header, const Sink& sink) {
  FclonesJson(report, header, sink).write();
}

}  // namespace fathom::fs
