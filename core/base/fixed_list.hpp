#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace joute {

// A list of at most `Capacity` items, stored inline, so that hot loops do not allocate. Adding to a full list throws.
template <class T, std::size_t Capacity>
class FixedList {
    // Otherwise the constructor would construct `Capacity` items.
    static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T>);

public:
    FixedList() {}

    void push_back(const T& item) {
        if (size_ == Capacity) throw std::length_error("FixedList: more items than its capacity");
        items_[size_++] = item;
    }
    void clear() { size_ = 0; }
    // Drops the items from `size` on; a shorter list stays as it is.
    void truncate(std::size_t size) {
        if (size < size_) size_ = size;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return items_[i]; }
    const T& operator[](std::size_t i) const { return items_[i]; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }

private:
    std::size_t size_ = 0;
    T items_[Capacity];
};

}  // namespace joute
