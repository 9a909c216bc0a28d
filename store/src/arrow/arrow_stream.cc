// BatchStream: the functions that a reader of a stream calls.

#include "arrow/arrow_stream.h"

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace fathom::store {

namespace {

class BatchStream {
 public:
  explicit BatchStream(std::unique_ptr<BatchSource> source) : source_(std::move(source)) {}

  static int get_schema(ArrowArrayStream* stream, ArrowSchema* to) {
    return of(stream).guard([&](BatchSource& source) { *to = arrow_schema(source.fields()); });
  }

  // A batch without `release` is the end.
  static int get_next(ArrowArrayStream* stream, ArrowArray* to) {
    return of(stream).guard([&](BatchSource& source) {
      std::optional<OwnedArray> batch = source.next();
      *to = batch ? batch->take() : ArrowArray{};
    });
  }

  static const char* get_last_error(ArrowArrayStream* stream) {
    const std::string& error = of(stream).error_;
    return error.empty() ? nullptr : error.c_str();
  }

  static void release(ArrowArrayStream* stream) {
    delete &of(stream);
    stream->release = nullptr;
  }

 private:
  static BatchStream& of(ArrowArrayStream* stream) {
    return *static_cast<BatchStream*>(stream->private_data);
  }

  // Returns an errno, or 0: exceptions must not reach a reader in another language.
  template <class Function>
  int guard(const Function& function) noexcept {
    try {
      function(*source_);
      error_.clear();
      return 0;
    } catch (const std::bad_alloc&) {
      error_ = "out of memory";
      return ENOMEM;
    } catch (const std::exception& error) {
      error_ = error.what();
      return EIO;
    }
  }

  const std::unique_ptr<BatchSource> source_;
  std::string error_;  // of the last call; empty if it did not fail
};

}  // namespace

void make_stream(std::unique_ptr<BatchSource> source, ArrowArrayStream& stream) {
  stream = {.get_schema = BatchStream::get_schema,
            .get_next = BatchStream::get_next,
            .get_last_error = BatchStream::get_last_error,
            .release = BatchStream::release,
            .private_data = new BatchStream(std::move(source))};
}

}  // namespace fathom::store
