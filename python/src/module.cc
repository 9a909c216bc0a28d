// The extension module fathom._fathom: what the Python files of the package call. Its functions
// take arguments of the command line, which fathom/__init__.py makes of keyword arguments.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diff.h"
#include "dups.h"
#include "fathom/base/error.h"
#include "fathom/base/moment.h"
#include "fathom/text/label.h"
#include "kept.h"
#include "rows.h"
#include "run/version.h"
#include "scan.h"
#include "term/message.h"
#include "watch.h"

namespace fathom::python {

namespace {

// Words of a command line, which may be paths.
std::vector<std::string> words_of(const nb::list& words) {
  std::vector<std::string> encoded_words;
  for (const nb::handle word : words) encoded_words.push_back(encoded(word));
  return encoded_words;
}

std::optional<std::string> optional_path(nb::handle path) {
  if (path.is_none()) return std::nullopt;
  return encoded(path);
}

fs::Measure measure_of(bool apparent) {
  return apparent ? fs::Measure::apparent : fs::Measure::disk;
}

// ---- Errors

// fathom/_errors.py defines the classes. The sentence may quote names; the lines do not.
void set_error(const char* name, const char* sentence, std::string_view lines = {}) {
  const std::string text = text::safe(sentence, true).append(lines);
  const nb::object type = nb::module_::import_("fathom._errors").attr(name);
  const nb::object made = type(decoded(text));
  PyErr_SetObject(type.ptr(), made.ptr());
}

void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const store::NotFound& error) {
    set_error("NotFound", error.what());
  } catch (const cli::UsageError& error) {
    set_error("UsageError", error.what(), error.lines());
  } catch (const base::Error& error) {
    set_error("Error", error.what());
  }
}

// ---- Scans

nb::dict counts_of(const fs::Counts& counts) {
  nb::dict facts;
  facts["entries"] = counts.entries();
  facts["files"] = counts.files;
  facts["dirs"] = counts.dirs;
  facts["symlinks"] = counts.symlinks;
  facts["others"] = counts.others;
  facts["disk_bytes"] = counts.disk_bytes;
  facts["apparent_bytes"] = counts.apparent_bytes;
  return facts;
}

Rows report_of(const Scan& scan, const std::string& key, std::size_t count, double within,
               bool apparent) {
  const auto report = std::ranges::find_if(
      fs::kReports, [&](const fs::ReportInfo& info) { return info.head.key == key; });
  if (report == fs::kReports.end()) throw base::Error("there is no report '" + key + "'");
  const fs::ReportRequest request{
      .kind = report->kind,
      .count = count,
      .within = std::chrono::seconds(static_cast<std::int64_t>(within))};
  return without_lock([&] { return scan.report(request, measure_of(apparent)); });
}

nb::object stream_of(const std::shared_ptr<Scan>& scan, const std::vector<std::string>& columns) {
  return stream_capsule([&](ArrowArrayStream& stream) { scan->stream(columns, stream); });
}

nb::list decoded_list(const std::vector<std::string>& paths) {
  nb::list list;
  for (const std::string& path : paths) list.append(decoded(path));
  return list;
}

void define_scan(nb::module_& module) {
  nb::class_<Scan>(module, "Scan")
      .def("roots", [](const Scan& scan) { return decoded_list(scan.roots()); })
      .def("totals",
           [](const Scan& scan) { return counts_of(without_lock([&] { return scan.sums(); })); })
      .def("rows", [](const Scan& scan) { return without_lock([&] { return scan.rows(); }); })
      .def("complete",
           [](const Scan& scan) { return without_lock([&] { return scan.complete(); }); })
      .def("seconds",
           [](const Scan& scan) { return without_lock([&] { return scan.found()->seconds; }); })
      .def("report", report_of, nb::arg("key"), nb::arg("count"), nb::arg("within"),
           nb::arg("apparent"))
      .def("stream", stream_of, nb::arg("columns"))
      .def("folder",
           [](const Scan& scan) -> nb::object {
             if (scan.snapshot() == nullptr) return nb::none();
             return decoded(scan.folder());
           })
      .def("facts", [](const Scan& scan) -> nb::object {
        if (scan.snapshot() == nullptr) return nb::none();
        return facts_of(scan.snapshot()->meta());
      });
  module.def(
      "scan",
      [](const nb::list& arguments, const nb::list& selection, bool links, bool explain,
         nb::object progress) {
        return Scan::make(words_of(arguments), words_of(selection),
                          {.read_links = links, .explain = explain}, std::move(progress));
      },
      nb::arg("arguments"), nb::arg("selection"), nb::arg("links"), nb::arg("explain"),
      nb::arg("progress").none());
  module.def(
      "keep",
      [](const nb::list& arguments, nb::object progress) {
        return Scan::keep(words_of(arguments), std::move(progress));
      },
      nb::arg("arguments"), nb::arg("progress").none());
  module.def(
      "read_export", [](const nb::list& arguments) { return Scan::import(words_of(arguments)); },
      nb::arg("arguments"));
  module.def(
      "open_snapshot",
      [](nb::handle folder) {
        const std::string path = encoded(folder);
        return without_lock([&] { return Scan::open(path); });
      },
      nb::arg("folder"));
  module.def("columns", [] { return store::EntryTable::columns(); });
  module.def(
      "age",
      [](nb::handle words) {
        const std::string text = encoded(words);
        const auto age = base::parse_age(text);
        if (!age) throw cli::UsageError("'" + text + "' is not an age such as 12h or 7d");
        return age->count();
      },
      nb::arg("text"));
}

// ---- The rest

void define_rows(nb::module_& module) {
  nb::class_<Rows>(module, "Rows")
      .def("columns", &Rows::columns)
      .def("size", &Rows::size)
      .def("too_long", &Rows::too_long)
      .def("row", &Rows::row, nb::arg("index"))
      .def("stream", &Rows::stream);
}

void define_store(nb::module_& module) {
  module.def(
      "find_snapshot",
      [](nb::handle name, nb::handle store) {
        const std::string named = encoded(name);
        const std::optional<std::string> in = optional_path(store);
        return decoded(without_lock([&] { return folder_of_snapshot(named, in); }));
      },
      nb::arg("name"), nb::arg("store").none());
  module.def(
      "snapshots",
      [](nb::handle path, nb::handle store) {
        return kept_snapshots(optional_path(path), optional_path(store));
      },
      nb::arg("path").none(), nb::arg("store").none());
}

void define_diff(nb::module_& module) {
  nb::enum_<store::DiffBy>(module, "By")
      .value("directory", store::DiffBy::directory)
      .value("owner", store::DiffBy::owner)
      .value("group", store::DiffBy::group)
      .value("extension", store::DiffBy::extension);
  nb::enum_<store::DiffItems>(module, "Items")
      .value("created", store::DiffItems::created)
      .value("removed", store::DiffItems::removed)
      .value("changed", store::DiffItems::changed)
      .value("moved", store::DiffItems::moved);
  nb::class_<Diff>(module, "Diff")
      .def("before", [](const Diff& diff) { return diff.found().before; })
      .def("after", [](const Diff& diff) { return diff.found().after; })
      .def("balance", &Diff::balance)
      .def("notes", &Diff::notes)
      .def("by", &Diff::by, nb::arg("by"))
      .def("items", &Diff::items, nb::arg("items"))
      .def(
          "count",
          [](const Diff& diff, store::DiffItems items) {
            return diff_list(diff.found(), items).count;
          },
          nb::arg("items"));
  module.def(
      "diff",
      [](std::shared_ptr<Scan> from, std::shared_ptr<Scan> to, nb::handle path, std::size_t most,
         bool apparent) {
        const store::DiffOptions options{.measure = measure_of(apparent),
                                         .path = optional_path(path).value_or(""),
                                         .most = most,
                                         .by_owner = true,
                                         .by_extension = true};
        return without_lock([&] { return std::make_shared<Diff>(from, to, options); });
      },
      nb::arg("from_"), nb::arg("to"), nb::arg("path").none(), nb::arg("most"),
      nb::arg("apparent"));
}

void define_dups(nb::module_& module) {
  nb::class_<Duplicates>(module, "Duplicates")
      .def("groups", [](const Duplicates& same) { return same.found().groups.size(); })
      .def("files", [](const Duplicates& same) { return same.found().files; })
      .def("wasted_bytes", [](const Duplicates& same) { return same.found().wasted_bytes; })
      .def("complete", &Duplicates::complete)
      .def("names", &Duplicates::names)
      .def("errors", &Duplicates::errors)
      .def("changed", &Duplicates::changed);
  module.def(
      "duplicates",
      [](const nb::list& arguments, nb::object progress) {
        return Duplicates::find(words_of(arguments), std::move(progress));
      },
      nb::arg("arguments"), nb::arg("progress").none());
}

}  // namespace

}  // namespace fathom::python

NB_MODULE(_fathom, module) {
  using namespace fathom::python;
  nanobind::register_exception_translator(translate);
  module.attr("version") = std::string(fathom::cli::kVersion);
  module.def("end_work", end_work);
  define_rows(module);
  define_scan(module);
  define_store(module);
  define_diff(module);
  define_dups(module);
}
