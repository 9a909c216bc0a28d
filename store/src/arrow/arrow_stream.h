// BatchStream: a stream of the Arrow C stream interface, batch by batch.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/arrow_array.h"
#include "fathom/store/arrow.h"

namespace fathom::store {

// What a stream reads. One thread at a time calls it.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  [[nodiscard]] virtual const std::vector<ArrowField>& fields() const = 0;
  // Nothing at the end.
  [[nodiscard]] virtual std::optional<OwnedArray> next() = 0;
};

// Makes a stream of a source. Exceptions of the source become errors of the stream.
void make_stream(std::unique_ptr<BatchSource> source, ArrowArrayStream& stream);

}  // namespace fathom::store
