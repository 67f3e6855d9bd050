#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace joute {

// A zeroed array for tables with random access: aligned to huge pages and, where the system supports it, backed by huge
// pages, which avoids most TLB misses. The system allocates pages when they are first touched.
template <class T>
class HugeArray {
public:
    HugeArray() = default;
    explicit HugeArray(std::size_t size, bool huge_pages = true) : size_(size) {
        const std::size_t bytes = (size * sizeof(T) + page - 1) / page * page;
        void* memory = nullptr;
#ifdef __linux__
        // Fresh mappings are zero. One extra page leaves room for alignment.
        mapped_bytes_ = bytes + page;
        mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapping_ == MAP_FAILED) {
            mapping_ = nullptr;
            throw std::bad_alloc();
        }
        memory = mapping_;
        std::size_t room = mapped_bytes_;
        std::align(page, bytes, memory, room);
        if (huge_pages && bytes > page) {
            madvise(memory, bytes, MADV_HUGEPAGE);
            granule_ = page;
        }
#else
        mapping_ = memory = std::calloc(bytes, 1);
        if (!memory) throw std::bad_alloc();
#endif
        items_ = static_cast<T*>(memory);
    }
    HugeArray(HugeArray&& other) noexcept { swap(other); }
    HugeArray& operator=(HugeArray&& other) noexcept {
        swap(other);
        return *this;
    }
    ~HugeArray() {
        if (!mapping_) return;
#ifdef __linux__
        munmap(mapping_, mapped_bytes_);
#else
        std::free(mapping_);
#endif
    }

    std::size_t size() const { return size_; }
    T* data() const { return items_; }
    // Memory of the first `items` items once they are touched, rounded up to whole pages.
    std::size_t bytes_of(std::size_t items) const { return (items * sizeof(T) + granule_ - 1) & ~(granule_ - 1); }
    T& operator[](std::size_t i) const { return items_[i]; }

private:
    static constexpr std::size_t page = std::size_t{1} << 21;

    void swap(HugeArray& other) noexcept {
        std::swap(items_, other.items_);
        std::swap(size_, other.size_);
        std::swap(mapping_, other.mapping_);
        std::swap(mapped_bytes_, other.mapped_bytes_);
        std::swap(granule_, other.granule_);
    }

    T* items_ = nullptr;
    std::size_t size_ = 0;
    void* mapping_ = nullptr;
    std::size_t mapped_bytes_ = 0;
    std::size_t granule_ = 4096;  // a power of two
};

}  // namespace joute
