// Duplicates as JSON: schema fathom.dups/1.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fathom/fs/dup_report.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"

namespace fathom::fs {

namespace {

class DupsJson {
 public:
  DupsJson(const DupReport& report, const Sink& sink)
      : report_(report), scan_(report.scan), same_(report.same), json_(sink) {}

  void write() {
    json_.begin_object();
    json_.string("schema", "fathom.dups/1");
    json_.path_objects("roots", scan_.roots);
    groups();
    directories();
    totals();
    accuracy();
    errors();
    json_.path_objects("changed", paths_of(same_.changed));
    timing();
    json_.end_object();
    json_.end_line();
    json_.flush();
  }

 private:
  [[nodiscard]] std::vector<std::string> paths_of(const std::vector<NodeId>& nodes) const {
    std::vector<std::string> all;
    for (const NodeId node : nodes) all.push_back(scan_.tree.path(node));
    return all;
  }

  void groups() {
    json_.begin_array("groups");
    for (std::size_t i = 0; i < report_.groups() && json_.wanted(); ++i) group(i);
    json_.end_array();
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
    json_.begin_object();
    json_.number("size", group.size);
    json_.number("wasted_bytes", group.wasted_bytes);
    kept(place);
    json_.bytes_of_each("paths", paths_of(files));
    json_.begin_array("storage");
    for (const DuplicateFile& file : group.files) json_.number(file.storage);
    json_.end_array();
    json_.bytes_of_each("hardlinks", paths_of(links));
    json_.begin_array("hardlink_of");
    for (const std::size_t owner : owners) json_.number(owner);
    json_.end_array();
    json_.end_object();
  }

  void kept(std::size_t place) {
    const auto kept = report_.kept_in(place);
    kept ? json_.number("keep", *kept) : json_.null("keep");
  }

  void directories() {
    json_.begin_array("directories");
    const auto& all = report_.directories.groups;
    const std::size_t shown = report_.top == 0 ? all.size() : std::min(all.size(), report_.top);
    for (std::size_t i = 0; i < shown && json_.wanted(); ++i) {
      json_.begin_object();
      json_.bytes_of_each("paths", paths_of(all[i].directories));
      json_.number("files", all[i].files);
      json_.number("bytes", all[i].bytes);
      json_.number("wasted_bytes", all[i].wasted_bytes);
      json_.end_object();
    }
    json_.end_array();
  }

  void totals() {
    json_.begin_object("totals");
    json_.number("groups", same_.groups.size());
    json_.number("files", same_.files);
    json_.number("wasted_bytes", same_.wasted_bytes);
    json_.number("candidates", same_.candidates);
    json_.number("bytes_read", same_.bytes_read);
    json_.end_object();
  }

  void accuracy() {
    Accuracy accuracy = accuracy_of(scan_);
    accuracy.complete = accuracy.complete && same_.complete();
    accuracy.unreadable += same_.errors.size();
    accuracy.changed += same_.changed.size();
    accuracy.interrupted = accuracy.interrupted || same_.cancelled;
    write_accuracy(json_, accuracy);
  }

  void errors() {
    json_.begin_array("errors");
    for (const auto* list : {&scan_.errors, &same_.errors}) {
      for (const ScanError& error : *list) {
        json_.begin_object();
        json_.bytes("path", error.path);
        json_.string("operation", error.operation);
        json_.number("errno", error.code);
        json_.string("message", message_of(error));
        json_.end_object();
      }
    }
    json_.end_array();
  }

  void timing() {
    json_.begin_object("timing");
    json_.decimal("seconds", scan_.seconds + same_.seconds);
    json_.decimal("scan_seconds", scan_.seconds);
    json_.decimal("compare_seconds", same_.seconds);
    json_.number("threads", same_.threads);
    json_.end_object();
  }

  const DupReport& report_;
  const Scan& scan_;
  const Duplicates& same_;
  JsonWriter json_;
};

}  // namespace

void write_dups_json(const DupReport& report, const Sink& sink) {
  DupsJson(report, sink).write();
}

}  // namespace fathom::fs
