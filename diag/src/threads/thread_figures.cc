// ThreadFigures: sums and differences.

#include "threads/thread_figures.h"

namespace fathom::diag {

ThreadFigures& ThreadFigures::operator+=(const ThreadFigures& other) {
  for_each_figure(*this, other, [](auto& value, const auto& added) {
    if (added) value = value ? *value + *added : *added;
  });
  return *this;
}

ThreadFigures& ThreadFigures::operator-=(const ThreadFigures& other) {
  for_each_figure(*this, other, [](auto& value, const auto& taken) {
    if (!value || !taken) {
      value.reset();
    } else {
      *value = *taken < *value ? *value - *taken : *value - *value;
    }
  });
  return *this;
}

}  // namespace fathom::diag
