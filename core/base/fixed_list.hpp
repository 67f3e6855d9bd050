#pragma once

#include <cstddef>
#include <stdexcept>
#include <type_traits>

namespace joute {

// A list with room for `Capacity` items inside itself: hot loops fill it without touching the heap.
// A full list refuses the next item with an exception rather than write past its end.
template <class T, std::size_t Capacity>
class FixedList {
    // Otherwise every list would begin by constructing `Capacity` items.
    static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T>);

public:
    FixedList() {}

    void push_back(const T& item) {
        if (size_ == Capacity) throw std::length_error("FixedList: more items than its capacity");
        items_[size_++] = item;
    }
    void clear() { size_ = 0; }

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
