// Watch: lets Python see and stop work that runs without its lock (the GIL).

#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>

#include "fathom/rt/cancel.h"
#include "rows.h"
#include "unlocked.h"

namespace fathom::python {

namespace nb = nanobind;

// Ends what runs without the lock: cancels every Watch, and waits until all calls of without_lock()
// are over, but at most two seconds, because a filesystem may hang. Call it with the lock, before
// Python ends: a thread that wanted the lock later would end the process with an error.
void end_work();

// Belongs to the thread that calls work, which must have entered from Python.
//
//   Watch watch(callback);
//   options.cancel = watch.token();
//   options.progress = [&](const Progress& known) { watch.tell(known.entries, known.seconds); };
//   const Scan scan = watch.run([&] { return fs::scan(options); });
class Watch {
 public:
  // `callback`: called by tell(); None: nobody wants to know.
  explicit Watch(nb::object callback);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

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

  // Does the work without the lock, and returns its result. After end_work() it throws SystemExit,
  // which ends a thread of Python without a message.
  template <class Work>
  auto run(const Work& work) {
    auto result = without_lock(work);
    if (error_) throw nb::python_error(std::move(*error_));
    if (token().cancelled()) {
      PyErr_SetNone(PyExc_SystemExit);
      throw nb::python_error();
    }
    return result;
  }

 private:
  friend void end_work();

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
