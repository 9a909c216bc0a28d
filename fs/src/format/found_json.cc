// write_found_json: schema fathom.find/1.

#include "fathom/fs/find.h"
#include "fathom/fs/json.h"

namespace fathom::fs {

void write_found_json(const Scan& scan, const FindQuery& query, const Found& found,
                      const Table* matches, const Sink& sink) {
  JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.find/1");
  json.path_objects("roots", scan.roots);
  json.number("checked", found.checked);
  write_accuracy(json, accuracy_of(scan));
  const Table sums = found_sums_table(query, found, query.filters.measure);
  json.key("patterns");
  write_json_rows(json, sums, 0, sums.rows());
  json.begin_object("total");
  json.number("matches", found.total.matches);
  json.number("entries", found.total.counts.entries());
  json.number("disk_bytes", found.total.counts.disk_bytes);
  json.number("apparent_bytes", found.total.counts.apparent_bytes);
  json.flag("lower_bound", found.total.lower_bound);
  json.end_object();
  if (matches != nullptr) {
    json.key("matches");
    write_json_rows(json, *matches, 0, matches->rows());
  }
  json.end_object();
  json.end_line();
  json.flush();
}

}  // namespace fathom::fs
