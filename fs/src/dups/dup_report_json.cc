// Duplicates as JSON: schema fathom.dups/1.

#include <rapidjson/writer.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dups/dup_report_stream.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/dup_report.h"
#include "fathom/fs/utf8.h"

namespace fathom::fs {

namespace {

constexpr int kDecimals = 6;  // of seconds: the resolution of the clock

class DupsJson {
 public:
  DupsJson(const DupReport& report, const Sink& sink)
      : report_(report),
        scan_(report.scan),
        same_(report.same),
        blocks_(sink),
        stream_(blocks_),
        writer_(stream_) {
    writer_.SetMaxDecimalPlaces(kDecimals);
  }

  void write() {
    writer_.StartObject();
    put_key(writer_, "schema");
    put_string(writer_, "fathom.dups/1");
    roots();
    groups();
    directories();
    totals();
    accuracy();
    errors();
    changed();
    timing();
    writer_.EndObject();
    blocks_.put('\n');
    blocks_.flush();
  }

 private:
  void number(std::string_view name, std::uint64_t value) { put_number(writer_, name, value); }

  void path(std::string_view name, std::string_view bytes) {
    put_key(writer_, name);
    if (is_utf8(bytes)) {
      put_string(writer_, bytes);
      return;
    }
    put_string(writer_, to_utf8(bytes));
    put_key(writer_, std::string(name) + "_b64");
    put_string(writer_, to_base64(bytes));
  }

  // Writes the paths as strings, and the bytes of those that are not UTF-8 in a second key.
  void paths(std::string_view name, const std::vector<std::string>& all) {
    put_key(writer_, name);
    writer_.StartArray();
    for (const std::string& bytes : all)
      put_string(writer_, is_utf8(bytes) ? bytes : to_utf8(bytes));
    writer_.EndArray();
    if (std::all_of(all.begin(), all.end(), is_utf8)) return;
    put_key(writer_, std::string(name) + "_b64");
    writer_.StartArray();
    for (const std::string& bytes : all) {
      if (is_utf8(bytes)) {
        writer_.Null();
      } else {
        put_string(writer_, to_base64(bytes));
      }
    }
    writer_.EndArray();
  }

  [[nodiscard]] std::vector<std::string> paths_of(const std::vector<NodeId>& nodes) const {
    std::vector<std::string> all;
    for (const NodeId node : nodes) all.push_back(scan_.tree.path(node));
    return all;
  }

  void roots() {
    put_key(writer_, "roots");
    writer_.StartArray();
    for (const std::string& root : scan_.roots) {
      writer_.StartObject();
      path("path", root);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void groups() {
    put_key(writer_, "groups");
    writer_.StartArray();
    for (std::size_t i = 0; i < report_.groups() && blocks_.wanted(); ++i) group(i);
    writer_.EndArray();
  }

  void group(std::size_t place) {
    const DuplicateGroup& group = same_.groups[place];
    std::vector<NodeId> files;
    std::vector<NodeId> links;
    std::vector<std::size_t> owners;  // of the links: indexes of files
    for (std::size_t i = 0; i < group.files.size(); ++i) {
      files.push_back(group.files[i].node);
      links.insert(links.end(), group.files[i].links.begin(), group.files[i].links.end());
      owners.resize(links.size(), i);
    }
    writer_.StartObject();
    number("size", group.size);
    number("wasted_bytes", group.wasted_bytes);
    kept(place);
    paths("paths", paths_of(files));
    put_key(writer_, "storage");
    writer_.StartArray();
    for (const DuplicateFile& file : group.files) writer_.Uint64(file.storage);
    writer_.EndArray();
    paths("hardlinks", paths_of(links));
    put_key(writer_, "hardlink_of");
    writer_.StartArray();
    for (const std::size_t owner : owners) writer_.Uint64(owner);
    writer_.EndArray();
    writer_.EndObject();
  }

  void kept(std::size_t place) {
    put_key(writer_, "keep");
    const auto kept = report_.kept_in(place);
    if (kept) {
      writer_.Uint64(*kept);
    } else {
      writer_.Null();
    }
  }

  void directories() {
    put_key(writer_, "directories");
    writer_.StartArray();
    const auto& all = report_.directories.groups;
    const std::size_t shown = report_.top == 0 ? all.size() : std::min(all.size(), report_.top);
    for (std::size_t i = 0; i < shown && blocks_.wanted(); ++i) {
      writer_.StartObject();
      paths("paths", paths_of(all[i].directories));
      number("files", all[i].files);
      number("bytes", all[i].bytes);
      number("wasted_bytes", all[i].wasted_bytes);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void totals() {
    put_key(writer_, "totals");
    writer_.StartObject();
    number("groups", same_.groups.size());
    number("files", same_.files);
    number("wasted_bytes", same_.wasted_bytes);
    number("candidates", same_.candidates);
    number("bytes_read", same_.bytes_read);
    writer_.EndObject();
  }

  void accuracy() {
    const bool cancelled = scan_.cancelled || same_.cancelled;
    put_key(writer_, "accuracy");
    writer_.StartObject();
    put_key(writer_, "complete");
    writer_.Bool(scan_.complete() && same_.complete());
    number("unreadable", scan_.errors.size() + same_.errors.size());
    number("changed", scan_.changed + same_.changed.size());
    if (!scan_.excluded.empty()) number("left_out", scan_.excluded.size());
    if (scan_.filtered_out > 0) number("unwanted", scan_.filtered_out);
    if (cancelled) {
      put_key(writer_, "interrupted");
      writer_.Bool(true);
    }
    writer_.EndObject();
  }

  void errors() {
    put_key(writer_, "errors");
    writer_.StartArray();
    for (const auto* list : {&scan_.errors, &same_.errors}) {
      for (const ScanError& error : *list) {
        writer_.StartObject();
        path("path", error.path);
        put_key(writer_, "operation");
        put_string(writer_, error.operation);
        put_key(writer_, "errno");
        writer_.Int(error.code);
        put_key(writer_, "message");
        put_string(writer_, message_of(error));
        writer_.EndObject();
      }
    }
    writer_.EndArray();
  }

  void changed() {
    put_key(writer_, "changed");
    writer_.StartArray();
    for (const NodeId node : same_.changed) {
      writer_.StartObject();
      path("path", scan_.tree.path(node));
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void timing() {
    put_key(writer_, "timing");
    writer_.StartObject();
    put_key(writer_, "seconds");
    writer_.Double(scan_.seconds + same_.seconds);
    put_key(writer_, "scan_seconds");
    writer_.Double(scan_.seconds);
    put_key(writer_, "compare_seconds");
    writer_.Double(same_.seconds);
    number("threads", same_.threads);
    writer_.EndObject();
  }

  const DupReport& report_;
  const Scan& scan_;
  const Duplicates& same_;
  Blocks blocks_;
  DupReportStream stream_;
  rapidjson::Writer<DupReportStream> writer_;
};

}  // namespace

void write_dups_json(const DupReport& report, const Sink& sink) {
  DupsJson(report, sink).write();
}

}  // namespace fathom::fs
