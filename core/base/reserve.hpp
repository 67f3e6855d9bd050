#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace joute {

// Reserves address space for a vector that may become large, so that it never moves: to copy hundreds of megabytes
// takes longer than a short turn. The system allocates pages when they are first touched. If it refuses the space, the
// vector moves when it grows.
template <class T>
void reserve_space(std::vector<T>& items, std::size_t most_items) {
    try {
        items.reserve(most_items);
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace joute
