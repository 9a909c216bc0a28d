// Rows: cells as objects.

#include "rows.h"

#include <cstdint>
#include <variant>

namespace fathom::python {

namespace {

struct ToObject {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const std::string& text) const { return decoded(text); }
  template <class Number>
  nb::object operator()(Number number) const {
    return nb::cast(number);
  }
};

}  // namespace

std::vector<std::string> Rows::columns() const {
  std::vector<std::string> keys;
  for (const fs::Column& column : table_.columns()) keys.emplace_back(column.key);
  return keys;
}

nb::list Rows::row(std::size_t index) const {
  if (index >= table_.rows()) throw nb::index_error("there is no such row");
  std::vector<fs::Cell> cells;
  table_.read(index, cells);
  nb::list list;
  for (const fs::Cell& cell : cells) list.append(std::visit(ToObject{}, cell));
  return list;
}

nb::object Rows::stream() const {
  return stream_capsule(
      [this](ArrowArrayStream& stream) { store::stream_table(owner_, table_, stream); });
}

nb::object decoded(const std::string& path) {
  PyObject* const text =
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (text == nullptr) throw nb::python_error();
  return nb::steal(text);
}

std::string encoded(nb::handle path) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &bytes) == 0) throw nb::python_error();
  const nb::object owned = nb::steal(bytes);
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes, &data, &size) != 0) throw nb::python_error();
  return std::string(data, static_cast<std::size_t>(size));
}

}  // namespace fathom::python
