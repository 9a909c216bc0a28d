// Watch: lets Python see and stop work that runs without its lock (the GIL).

#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>

#include "fathom/rt/cancel.h"
#include "rows.h"

namespace fathom::python {

namespace nb = nanobind;

// Calls the function without the lock, and returns its result.
template <class Function>
auto without_lock(const Function& function) {
  const nb::gil_scoped_release released;
  return function();
}

// Belongs to the thread that calls work, which must have entered from Python.
//
//   Watch watch(callback);
//   options.cancel = watch.token();
//   options.progress = [&](const Progress& known) { watch.tell(known.entries, known.seconds); };
//   const Scan scan = watch.run([&] { return fs::scan(options); });
class Watch {
 public:
  // `callback`: called by tell(); None: nobody wants to know.
  explicit Watch(nb::object callback) : callback_(std::move(callback)) {}

  [[nodiscard]] rt::CancelToken token() const { return source_.token(); }

  // Looks for signals such as Ctrl-C, and calls the callback with these values. An exception of
  // either cancels the work, and is thrown by run().
  // Texts are paths.
  template <class... Values>
  void tell(const Values&... values) {
    const nb::gil_scoped_acquire held;
    if (error_) return;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!callback_.is_none()) callback_(argument(values)...);
    } catch (nb::python_error& error) {
      error_.emplace(std::move(error));
      source_.cancel();
    }
  }

  // Does the work without the lock, and returns its result.
  template <class Work>
  auto run(const Work& work) {
    auto result = without_lock(work);
    if (error_) throw nb::python_error(std::move(*error_));
    return result;
  }

 private:
  static nb::object argument(const std::string& path) { return decoded(path); }
  template <class Number>
  static nb::object argument(Number number) {
    return nb::cast(number);
  }

  const nb::object callback_;
  rt::CancelSource source_;
  std::optional<nb::python_error> error_;
};

}  // namespace fathom::python
