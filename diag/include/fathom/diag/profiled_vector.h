// ProfiledVector: a std::vector that measures its costs: how often it is copied, how often it grows
// and how many bytes it then moves, what is searched, how much capacity is never used, and how much
// of what reserve() requested is.
//
// It has the most common members of std::vector, with the same meaning. vector_report()
// (vector_report.h) shows the figures by the place that constructed the vectors: the caller of the
// constructor, or for a member without an initializer the constructor of its class.
//
//   ProfiledVector<int> numbers;
//   for (int i = 0; i < 1000; ++i) numbers.push_back(i);
//   if (numbers.contains(12)) numbers.erase(numbers.begin());
//   print(vector_report().text());       // 1 vector, grown 10 times, 13 compared, 999 shifted
//
// What algorithms do with its iterators, which are std::vector's, is not counted: use find() and
// contains() for searches. Like a std::vector, it may be read by several threads at the same time.

#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "fathom/base/source_location.h"
#include "fathom/diag/vector_site.h"

namespace fathom::diag {

template <class T, class Allocator = std::allocator<T>>
class ProfiledVector {
  using Vector = std::vector<T, Allocator>;
  using Where = base::SourceLocation;

 public:
  using value_type = T;
  using allocator_type = Allocator;
  using size_type = typename Vector::size_type;
  using difference_type = typename Vector::difference_type;
  using reference = typename Vector::reference;
  using const_reference = typename Vector::const_reference;
  using iterator = typename Vector::iterator;
  using const_iterator = typename Vector::const_iterator;
  using reverse_iterator = typename Vector::reverse_iterator;
  using const_reverse_iterator = typename Vector::const_reverse_iterator;

  explicit ProfiledVector(Where where = Where::current()) : site_(&site_at(where)) {}
  explicit ProfiledVector(const Allocator& allocator, Where where = Where::current())
      : vector_(allocator), site_(&site_at(where)) {}
  explicit ProfiledVector(size_type count, Where where = Where::current())
      : vector_(count), site_(&site_at(where)) {}
  ProfiledVector(size_type count, const T& value, Where where = Where::current())
      : vector_(count, value), site_(&site_at(where)) {}
  template <class Input, class = typename std::iterator_traits<Input>::iterator_category>
  ProfiledVector(Input first, Input last, Where where = Where::current())
      : vector_(first, last), site_(&site_at(where)) {}
  ProfiledVector(std::initializer_list<T> values, Where where = Where::current())
      : vector_(values), site_(&site_at(where)) {}

  // Copies and moves belong to the place of the source, because they have no caller to name.
  ProfiledVector(const ProfiledVector& other) : vector_(other.vector_), site_(other.site_) {
    site_->begin();
    site_->copied(bytes());
  }
  ProfiledVector(ProfiledVector&& other) noexcept
      : vector_(std::move(other.vector_)), site_(other.site_) {
    site_->begin();
    site_->moved();
    std::swap(counts_, other.counts_);  // the counts belong to the elements
    std::swap(filled_, other.filled_);
    std::swap(reserved_, other.reserved_);
  }
  ProfiledVector& operator=(const ProfiledVector& other) {
    if (this == &other) return *this;
    tell();
    growing([&] { vector_ = other.vector_; }, false);
    site_->copied(bytes());
    return *this;
  }
  ProfiledVector& operator=(ProfiledVector&& other) noexcept(
      std::allocator_traits<Allocator>::is_always_equal::value) {
    if (this == &other) return *this;
    tell();
    other.tell();
    const bool takes_block = takes_block_of(other);
    const size_type capacity = vector_.capacity();
    vector_ = std::move(other.vector_);
    if (takes_block || vector_.capacity() != capacity) end_reservation();
    if (takes_block) {
      filled_ = std::exchange(other.filled_, 0);
      reserved_ = std::exchange(other.reserved_, 0);
    }
    site_->moved();
    return *this;
  }
  ProfiledVector& operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }
  ~ProfiledVector() {
    tell();
    end_reservation();
    site_->end(unused_ * sizeof(T));
  }

  // ---- Reading, as in std::vector

  [[nodiscard]] size_type size() const noexcept { return vector_.size(); }
  [[nodiscard]] size_type capacity() const noexcept { return vector_.capacity(); }
  [[nodiscard]] size_type max_size() const noexcept { return vector_.max_size(); }
  [[nodiscard]] bool empty() const noexcept { return vector_.empty(); }
  [[nodiscard]] Allocator get_allocator() const noexcept { return vector_.get_allocator(); }
  reference operator[](size_type i) { return vector_[i]; }
  const_reference operator[](size_type i) const { return vector_[i]; }
  reference at(size_type i) { return vector_.at(i); }
  [[nodiscard]] const_reference at(size_type i) const { return vector_.at(i); }
  reference front() { return vector_.front(); }
  [[nodiscard]] const_reference front() const { return vector_.front(); }
  reference back() { return vector_.back(); }
  [[nodiscard]] const_reference back() const { return vector_.back(); }
  T* data() noexcept { return vector_.data(); }
  [[nodiscard]] const T* data() const noexcept { return vector_.data(); }
  iterator begin() noexcept { return vector_.begin(); }
  [[nodiscard]] const_iterator begin() const noexcept { return vector_.begin(); }
  [[nodiscard]] const_iterator cbegin() const noexcept { return vector_.begin(); }
  iterator end() noexcept { return vector_.end(); }
  [[nodiscard]] const_iterator end() const noexcept { return vector_.end(); }
  [[nodiscard]] const_iterator cend() const noexcept { return vector_.end(); }
  reverse_iterator rbegin() noexcept { return vector_.rbegin(); }
  [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return vector_.rbegin(); }
  reverse_iterator rend() noexcept { return vector_.rend(); }
  [[nodiscard]] const_reverse_iterator rend() const noexcept { return vector_.rend(); }

  bool operator==(const ProfiledVector& other) const { return vector_ == other.vector_; }

  // ---- Searching: the first equal element, or the end

  template <class Value>
  iterator find(const Value& value) {
    return vector_.begin() + (std::as_const(*this).find(value) - vector_.cbegin());
  }
  template <class Value>
  [[nodiscard]] const_iterator find(const Value& value) const {
    const auto found = std::find(vector_.begin(), vector_.end(), value);
    const auto before = static_cast<size_type>(found - vector_.begin());
    site_->searched(std::min(before + 1, vector_.size()));
    return found;
  }
  template <class Value>
  [[nodiscard]] bool contains(const Value& value) const {
    return find(value) != vector_.end();
  }

  // ---- Modification, as in std::vector

  void reserve(size_type capacity) {
    const size_type before = vector_.capacity();
    growing([&] { vector_.reserve(capacity); });
    if (vector_.capacity() != before) reserved_ = capacity;
  }
  void shrink_to_fit() {
    growing([&] { vector_.shrink_to_fit(); });
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  template <class... Arguments>
  reference emplace_back(Arguments&&... arguments) {
    if (vector_.size() != vector_.capacity()) [[likely]]
      return vector_.emplace_back(std::forward<Arguments>(arguments)...);
    growing([&] { vector_.emplace_back(std::forward<Arguments>(arguments)...); });
    return vector_.back();
  }
  void pop_back() {
    see_size();
    vector_.pop_back();
  }
  void clear() noexcept {
    see_size();
    vector_.clear();
  }
  void resize(size_type size) {
    see_size();
    growing([&] { vector_.resize(size); });
  }
  void resize(size_type size, const T& value) {
    see_size();
    growing([&] { vector_.resize(size, value); });
  }
  void assign(size_type count, const T& value) {
    see_size();
    growing([&] { vector_.assign(count, value); }, false);
  }
  template <class Input, class = typename std::iterator_traits<Input>::iterator_category>
  void assign(Input first, Input last) {
    see_size();
    growing([&] { vector_.assign(first, last); }, false);
  }
  void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <class... Arguments>
  iterator emplace(const_iterator at, Arguments&&... arguments) {
    return inserting(at,
                     [&] { return vector_.emplace(at, std::forward<Arguments>(arguments)...); });
  }
  iterator insert(const_iterator at, const T& value) { return emplace(at, value); }
  iterator insert(const_iterator at, T&& value) { return emplace(at, std::move(value)); }
  iterator insert(const_iterator at, size_type count, const T& value) {
    return inserting(at, [&] { return vector_.insert(at, count, value); });
  }
  template <class Input, class = typename std::iterator_traits<Input>::iterator_category>
  iterator insert(const_iterator at, Input first, Input last) {
    return inserting(at, [&] { return vector_.insert(at, first, last); });
  }
  iterator insert(const_iterator at, std::initializer_list<T> values) {
    return insert(at, values.begin(), values.end());
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    see_size();
    if (first != last) counts_.shifted += static_cast<std::uint64_t>(vector_.cend() - last);
    return vector_.erase(first, last);
  }
  void swap(ProfiledVector& other) noexcept(noexcept(std::declval<Vector&>().swap(other.vector_))) {
    tell();
    other.tell();
    vector_.swap(other.vector_);
    std::swap(filled_, other.filled_);
    std::swap(reserved_, other.reserved_);
  }
  friend void swap(ProfiledVector& a, ProfiledVector& b) noexcept(noexcept(a.swap(b))) {
    a.swap(b);
  }

 private:
  static VectorSite& site_at(Where where) {
    VectorSite& site = VectorSite::at(where, sizeof(T));
    site.begin();
    return site;
  }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return vector_.size() * sizeof(T); }

  // The size is only read before it decreases.
  void see_size() noexcept { counts_.peak_size = std::max(counts_.peak_size, vector_.size()); }

  // Changes the vector; if that allocates another block, the elements are moved to it, or
  // discarded.
  template <class Change>
  void growing(Change&& change, bool elements_go_along = true) {
    const size_type capacity = vector_.capacity();
    const size_type size = vector_.size();
    change();
    if (vector_.capacity() == capacity) return;
    if (size != 0 && elements_go_along) {
      ++counts_.reallocations;
      counts_.reallocated_bytes += size * sizeof(T);
    }
    leave_block(size);
    tell();
  }

  template <class Insert>
  iterator inserting(const_iterator at, Insert&& insert) {
    const size_type size = vector_.size();
    const auto behind = static_cast<std::uint64_t>(vector_.cend() - at);
    iterator inserted;
    growing([&] { inserted = insert(); });
    if (vector_.size() != size) counts_.shifted += behind;
    return inserted;
  }

  // Whether a move takes over the block; otherwise the elements are moved one by one.
  [[nodiscard]] bool takes_block_of(const ProfiledVector& other) const noexcept {
    using Traits = std::allocator_traits<Allocator>;
    if constexpr (Traits::propagate_on_container_move_assignment::value ||
                  Traits::is_always_equal::value) {
      return true;
    } else {
      return get_allocator() == other.get_allocator();
    }
  }

  // The block, which had `size` elements last, has been replaced by another one.
  void leave_block(size_type size) noexcept {
    counts_.peak_size = std::max(counts_.peak_size, size);
    filled_ = std::max(filled_, counts_.peak_size);
    end_reservation();
    site_->take(counts_);
    counts_ = {};
    filled_ = 0;
  }

  // Requires that filled_ is that of the block that was reserved.
  void end_reservation() noexcept {
    site_->reserved(reserved_ * sizeof(T), std::min(filled_, reserved_) * sizeof(T));
    reserved_ = 0;
  }

  void tell() noexcept {
    see_size();
    counts_.peak_capacity = vector_.capacity();
    site_->take(counts_);
    filled_ = std::max(filled_, counts_.peak_size);
    unused_ = vector_.capacity() - std::min(filled_, vector_.capacity());
    counts_ = {};
  }

  Vector vector_;
  VectorSite* site_;
  VectorCounts counts_;     // not yet added to the site
  size_type filled_ = 0;    // the largest size in the current block, when last added
  size_type unused_ = 0;    // capacity that was never filled
  size_type reserved_ = 0;  // what reserve() requested for the current block; 0: nothing
};

}  // namespace fathom::diag
