// Arrays: buffers that belong to the array until it is released.

#include "arrow/arrow_array.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace fathom::store {

namespace {

// Releases those that no reader has taken.
template <class Item>
void release_all(std::vector<Item>& items) {
  for (Item& item : items) {
    if (item.release != nullptr) item.release(&item);
  }
}

template <class Item>
std::vector<Item*> pointers_to(std::vector<Item>& items) {
  std::vector<Item*> pointers;
  for (Item& item : items) pointers.push_back(&item);
  return pointers;
}

// Memory that is not initialized, aligned as the specification recommends.
class Buffer {
 public:
  explicit Buffer(std::size_t size)
      : size_(size), bytes_(static_cast<char*>(::operator new(size, kAlignment))) {}

  [[nodiscard]] char* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class Value>
  [[nodiscard]] Value* as() const {
    return reinterpret_cast<Value*>(bytes_.get());
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(char* bytes) const { ::operator delete(bytes, kAlignment); }
  };

  std::size_t size_;
  std::unique_ptr<char, Free> bytes_;
};

// What an array refers to.
struct Held {
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { release_all(children); }

  std::vector<Buffer> buffers;
  std::vector<const void*> pointers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
};

void release_array(ArrowArray* array) {
  delete static_cast<Held*>(array->private_data);
  array->release = nullptr;
}

ArrowArray array_of(std::size_t rows, std::int64_t missing, std::unique_ptr<Held> held) {
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(rows);
  array.null_count = missing;
  array.n_buffers = static_cast<std::int64_t>(held->pointers.size());
  array.n_children = static_cast<std::int64_t>(held->children.size());
  array.buffers = held->pointers.data();
  array.children = held->child_pointers.data();
  array.release = release_array;
  array.private_data = held.release();
  return array;
}

// ---- Values

// A bit for each row, the lowest first.
template <class IsSet>
Buffer bitmap(std::size_t rows, const IsSet& is_set) {
  Buffer bits((rows + 7) / 8);
  std::memset(bits.data(), 0, bits.size());
  for (std::size_t row = 0; row < rows; ++row) {
    if (is_set(row)) bits.data()[row / 8] |= static_cast<char>(1U << row % 8);
  }
  return bits;
}

// Calls at(row, index of the value) for each row that has one, and none(row) for the others.
template <class At, class None>
void each_row(std::size_t rows, const Values& values, const At& at, const None& none) {
  if (values.present.empty()) {
    for (std::size_t row = 0; row < rows; ++row) at(row, row);
    return;
  }
  std::size_t value = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (values.present[row] != 0) {
      at(row, value++);
    } else {
      none(row);
    }
  }
}

template <class Number>
void add_numbers(Held& held, std::size_t rows, const Values& values) {
  const Buffer& buffer = held.buffers.emplace_back(rows * sizeof(Number));
  auto* const to = buffer.as<Number>();
  each_row(
      rows, values,
      [&](std::size_t row, std::size_t at) { to[row] = static_cast<Number>(values.numbers[at]); },
      [&](std::size_t row) { to[row] = 0; });
}

void add_booleans(Held& held, std::size_t rows, const Values& values) {
  std::vector<std::uint8_t> set(rows);
  each_row(
      rows, values,
      [&](std::size_t row, std::size_t at) { set[row] = values.numbers[at] != 0 ? 1 : 0; },
      [](std::size_t) {});
  held.buffers.push_back(bitmap(rows, [&](std::size_t row) { return set[row] != 0; }));
}

// The bytes of a text that fit into its view are only there.
constexpr std::size_t kInView = 12;

struct View {
  std::int32_t length;
  std::array<char, 4> begin;
  std::int32_t block;
  std::int32_t offset;
};
static_assert(sizeof(View) == 16 && sizeof(View) == sizeof(std::int32_t) + kInView);

// The bytes of the longer texts, in blocks.
class TextBlocks {
 public:
  // A text that is the same memory as the last one takes no space.
  View add(std::string_view text) {
    if (text.data() == last_.data() && text.size() == last_.size()) return last_view_;
    if (blocks_.empty() || blocks_.back().size() - used_ < text.size()) {
      blocks_.emplace_back(std::max(text.size(), next_size_));
      next_size_ = std::min(next_size_ * 2, kMostBlock);
      used_ = 0;
    }
    std::memcpy(blocks_.back().data() + used_, text.data(), text.size());
    View view{.length = static_cast<std::int32_t>(text.size()),
              .begin = {},
              .block = static_cast<std::int32_t>(blocks_.size() - 1),
              .offset = static_cast<std::int32_t>(used_)};
    std::memcpy(view.begin.data(), text.data(), view.begin.size());
    used_ += text.size();
    last_ = text;
    last_view_ = view;
    return view;
  }

  std::vector<Buffer> take() { return std::move(blocks_); }

 private:
  static constexpr std::size_t kMostBlock = std::size_t{4} << 20;

  std::vector<Buffer> blocks_;
  std::size_t used_ = 0;  // of the last block
  std::size_t next_size_ = std::size_t{32} << 10;
  std::string_view last_;
  View last_view_{};
};

void add_texts(Held& held, std::size_t rows, const Values& values) {
  const Buffer& buffer = held.buffers.emplace_back(rows * sizeof(View));
  auto* const to = buffer.as<View>();
  TextBlocks blocks;
  each_row(
      rows, values,
      [&](std::size_t row, std::size_t at) {
        const std::string_view text = values.texts[at];
        if (text.size() > kInView) {
          to[row] = blocks.add(text);
          return;
        }
        to[row] = View{};
        if (text.empty()) return;  // its pointer may be null
        to[row].length = static_cast<std::int32_t>(text.size());
        std::memcpy(reinterpret_cast<char*>(to + row) + sizeof(std::int32_t), text.data(),
                    text.size());
      },
      [&](std::size_t row) { to[row] = View{}; });
  std::vector<Buffer> texts = blocks.take();
  Buffer sizes(texts.size() * sizeof(std::int64_t));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    sizes.as<std::int64_t>()[i] = static_cast<std::int64_t>(texts[i].size());
  }
  std::ranges::move(texts, std::back_inserter(held.buffers));
  held.buffers.push_back(std::move(sizes));
}

// ---- Types

struct TypeRow {
  const char* format;  // as the C data interface writes the type
  void (*add)(Held& held, std::size_t rows, const Values& values);
};

// In the order of ArrowType.
constexpr std::array kTypes = {
    TypeRow{"C", add_numbers<std::uint8_t>},
    TypeRow{"S", add_numbers<std::uint16_t>},
    TypeRow{"I", add_numbers<std::uint32_t>},
    TypeRow{"L", add_numbers<std::uint64_t>},
    TypeRow{"l", add_numbers<std::int64_t>},
    TypeRow{"g", add_numbers<std::int64_t>},
    TypeRow{"b", add_booleans},
    TypeRow{"tss:UTC", add_numbers<std::int64_t>},
    TypeRow{"vu", add_texts},
    TypeRow{"vz", add_texts},
};

constexpr const TypeRow& row_of(ArrowType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

// ---- Schemas

struct HeldSchema {
  HeldSchema() = default;
  HeldSchema(const HeldSchema&) = delete;
  HeldSchema& operator=(const HeldSchema&) = delete;
  ~HeldSchema() { release_all(children); }

  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> child_pointers;
};

void release_schema(ArrowSchema* schema) {
  delete static_cast<HeldSchema*>(schema->private_data);
  schema->release = nullptr;
}

ArrowSchema schema_of(const char* format, std::int64_t flags, std::unique_ptr<HeldSchema> held) {
  ArrowSchema schema{};
  schema.format = format;
  schema.name = held->name.c_str();
  schema.flags = flags;
  schema.n_children = static_cast<std::int64_t>(held->children.size());
  schema.children = held->child_pointers.data();
  schema.release = release_schema;
  schema.private_data = held.release();
  return schema;
}

}  // namespace

ArrowSchema arrow_schema(const std::vector<ArrowField>& fields) {
  constexpr std::int64_t kNullable = 2;
  auto table = std::make_unique<HeldSchema>();
  table->children.reserve(fields.size());
  for (const ArrowField& field : fields) {
    auto held = std::make_unique<HeldSchema>();
    held->name = field.name;
    table->children.push_back(
        schema_of(row_of(field.type).format, field.optional ? kNullable : 0, std::move(held)));
  }
  table->child_pointers = pointers_to(table->children);
  return schema_of("+s", 0, std::move(table));
}

OwnedArray arrow_array(ArrowType type, std::size_t rows, const Values& values) {
  auto held = std::make_unique<Held>();
  held->buffers.reserve(4);
  const std::int64_t missing = std::ranges::count(values.present, 0);
  if (missing != 0) {
    held->buffers.push_back(
        bitmap(rows, [&](std::size_t row) { return values.present[row] != 0; }));
  } else {
    held->pointers.push_back(nullptr);  // all are there
  }
  row_of(type).add(*held, rows, values);
  for (const Buffer& buffer : held->buffers) held->pointers.push_back(buffer.data());
  return OwnedArray(array_of(rows, missing, std::move(held)));
}

OwnedArray arrow_batch(std::size_t rows, std::vector<OwnedArray> columns) {
  auto held = std::make_unique<Held>();
  held->pointers.push_back(nullptr);
  held->children.reserve(columns.size());
  for (OwnedArray& column : columns) held->children.push_back(column.take());
  held->child_pointers = pointers_to(held->children);
  return OwnedArray(array_of(rows, 0, std::move(held)));
}

}  // namespace fathom::store
