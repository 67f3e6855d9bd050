#include "board.hpp"

namespace joute {

void list_arrivals(const VampiresTurn& turn, LangorouOptions::Merge merge, LangorouArrivals& arrivals) {
    arrivals.clear();
    for (const VampiresOrder order : turn.orders()) {
        const VampiresPlace target = order.target();
        LangorouArrival* found = arrivals.end();
        if (merge == LangorouOptions::Merge::target)
            found = std::find_if(arrivals.begin(), arrivals.end(), [&](auto known) { return known.place == target; });
        else if (!arrivals.empty() && arrivals.end()[-1].place == target)
            found = arrivals.end() - 1;
        if (found == arrivals.end())
            arrivals.push_back({target, order.count()});
        else
            found->count += order.count();
    }
}

LangorouBoard& LangorouBoard::operator=(const LangorouBoard& other) {
    rules_ = other.rules_;
    wraps_ = other.wraps_;
    cum_alpha_ = other.cum_alpha_;
    mover_ = other.mover_;
    plies_ = other.plies_;
    cumulative_ = other.cumulative_;
    keys_ = other.keys_;
    units_ = other.units_;
    size_ = other.size_;
    for (std::size_t kind = 0; kind < cells_.size(); ++kind)
        std::memmove(cells_[kind].data(), other.cells_[kind].data(), size_[kind] * sizeof(Cell));
    return *this;
}

void LangorouBoard::set_up(const Vampires& state, const LangorouOptions& options) {
    *this = {};
    rules_ = state.rules();
    wraps_ = options.wrap;
    cum_alpha_ = options.cum_alpha;
    const Player own = state.to_move();
    for (const Cell cell : state.groups(own)) put(0, cell.place(), cell.count());
    for (const Cell cell : state.groups(opponent(own))) put(1, cell.place(), cell.count());
    for (const Cell cell : state.houses()) put(humans, cell.place(), cell.count());
}

void LangorouBoard::depart(std::span<const VampiresOrder> orders) {
    cumulative_ += (1 - cum_alpha_ * plies_) * lead();
    ++plies_;
    const auto side = static_cast<std::size_t>(mover_);
    for (const VampiresOrder order : orders) {
        const std::size_t index = find(side, order.source());
        change(side, index, cells_[side][index].count() - order.count());
    }
}

const VampiresCell* LangorouBoard::defender(Place place) const {
    for (const std::size_t kind : {static_cast<std::size_t>(other_side(mover_)), humans})
        if (const std::size_t index = find(kind, place); index < size_[kind]) return &cells_[kind][index];
    return nullptr;
}

void LangorouBoard::join(Place place, int count) {
    const auto side = static_cast<std::size_t>(mover_);
    if (const std::size_t index = find(side, place); index < size_[side])
        change(side, index, held(cells_[side][index].count() + count));
    else
        put(side, place, held(count));
}

void LangorouBoard::settle(Place place, int left) {
    const Cell* attacked = defender(place);
    const auto kind = static_cast<std::size_t>(attacked->kind());
    const auto index = static_cast<std::size_t>(attacked - cells_[kind].data());
    change(kind, index, left < 0 ? -left : 0);
    if (left > 0) join(place, left);
}

std::size_t LangorouBoard::find(std::size_t kind, Place place) const {
    std::size_t index = 0;
    while (index < size_[kind] && cells_[kind][index].place() != place) ++index;
    return index;
}

void LangorouBoard::change(std::size_t kind, std::size_t index, int count) {
    if (count == 0) return remove(kind, index);
    Cell& cell = cells_[kind][index];
    units_[kind] += count - cell.count();
    keys_[kind] ^= key_of(cell);
    cell = Cell::of(cell.kind(), cell.place(), count);
    keys_[kind] ^= key_of(cell);
}

void LangorouBoard::put(std::size_t kind, Place place, int count) {
    if (count == 0) return;
    auto& cells = cells_[kind];
    std::size_t index = size_[kind]++;
    for (; index > 0 && cells[index - 1].place() > place; --index) cells[index] = cells[index - 1];
    cells[index] = Cell::of(static_cast<VampiresKind>(kind), place, count);
    units_[kind] += count;
    keys_[kind] ^= key_of(cells[index]);
}

void LangorouBoard::remove(std::size_t kind, std::size_t index) {
    auto& cells = cells_[kind];
    units_[kind] -= cells[index].count();
    keys_[kind] ^= key_of(cells[index]);
    std::copy(cells.begin() + static_cast<std::ptrdiff_t>(index) + 1,
              cells.begin() + static_cast<std::ptrdiff_t>(size_[kind]),
              cells.begin() + static_cast<std::ptrdiff_t>(index));
    --size_[kind];
}

}  // namespace joute
