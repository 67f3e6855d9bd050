#include "vampires.hpp"

#include <charconv>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "../../base/quote.hpp"

namespace joute {

static_assert(Game<Vampires> && ChancePlayable<Vampires> && PassingGame<Vampires> && SymmetricGame<Vampires>);

namespace {

constexpr std::array<std::string_view, 3> species_names{"vampires", "werewolves", "humans"};
// The limit of the network protocol.
constexpr std::size_t most_orders = 255;

// All units that arrive on a cell.
struct Arrival {
    VampiresPlace place;
    int count;
};

std::string units_text(int count) { return std::to_string(count) + (count == 1 ? " unit" : " units"); }

}  // namespace

VampiresTurn VampiresTurn::of(std::span<const VampiresOrder> sorted) {
    VampiresTurn turn;
    turn.size_ = static_cast<std::uint32_t>(sorted.size());
    if (sorted.size() <= room) {
        std::copy(sorted.begin(), sorted.end(), turn.orders_.begin());
        return turn;
    }
    static std::mutex mutex;
    static auto& kept = *new std::set<std::vector<VampiresOrder>>;
    const std::lock_guard lock(mutex);
    const VampiresOrder* elsewhere = kept.emplace(sorted.begin(), sorted.end()).first->data();
    std::memcpy(turn.orders_.data(), &elsewhere, sizeof elsewhere);
    return turn;
}

Vampires::Vampires(const Rules* rules, const VampiresBoard& board) : head_{.rules = rules} {
    head_.rows = static_cast<std::uint8_t>(board.rows);
    head_.columns = static_cast<std::uint8_t>(board.columns);
    head_.ply = board.ply;
    head_.key = empty_key();
    for (const Cell cell : board.cells) put(cell.kind(), cell.place(), cell.count());
}

std::uint64_t Vampires::empty_key() const {
    return rules()->id() ^ mix64(static_cast<std::uint64_t>(rows() << 8 | columns()) + ply_salt * 3);
}

std::uint64_t Vampires::recompute_key() const {
    std::uint64_t key = empty_key() ^ mix64(static_cast<std::uint64_t>(head_.ply) + ply_salt);
    for (std::size_t i = 0; i < size(); ++i) key ^= cell_key(cells_[i]);
    return key;
}

Result Vampires::result_if_stopped() const {
    const int first = units(0), second = units(1), margin = first - second;
    if (first == 0 && second == 0) {
        if (rules()->extinction_of_both_draws()) return {.decided_by = "both extinct"};
        // The official server checks the vampires first.
        const int outcome = species(0) == Kind::werewolves ? 1 : -1;
        return {.outcome = outcome, .score = outcome, .margin = 0, .decided_by = "both extinct"};
    }
    if (rules()->counts_groups && first > 0 && second > 0) {
        const int lead = static_cast<int>(groups(0).size()) - static_cast<int>(groups(1).size());
        return {.outcome = (lead > 0) - (lead < 0),
                .score = lead,
                .margin = lead,
                .decided_by = lead ? "more groups" : "equal groups"};
    }
    const std::string_view decided_by = first == 0 || second == 0 ? "extinction"
                                        : margin                  ? "more units"
                                                                  : "equal units";
    return {.outcome = (margin > 0) - (margin < 0), .score = margin, .margin = margin, .decided_by = decided_by};
}

Vampires::Finding Vampires::first_fault(const Move& move) const {
    const auto orders = move.orders();
    if (orders.empty()) return {rules()->may_pass() ? Fault::none : Fault::nothing_moves};
    const Kind own = species(to_move());
    std::array<std::uint16_t, most_orders> sources;
    std::size_t source_count = 0, left_empty = 0;
    for (std::size_t i = 0; i < orders.size();) {
        const Place source = orders[i].source();
        int leaving = 0;
        for (; i < orders.size() && orders[i].source() == source; ++i) {
            if (orders[i].count() == 0) return {Fault::nobody, source};
            if (!is_inside(orders[i].target_x(), orders[i].target_y())) return {Fault::off_grid, source};
            leaving += orders[i].count();
        }
        const Cell* cell = at(source);
        if (!cell || cell->kind() != own) return {Fault::not_own, source};
        if (leaving > cell->count()) return {Fault::too_many, source, leaving};
        left_empty += leaving == cell->count();
        sources[source_count++] = source;
    }
    const auto is_source = [&](Place place) {
        return std::find(sources.begin(), sources.begin() + source_count, place) != sources.begin() + source_count;
    };
    std::array<Arrival, most_orders> arrivals;
    std::size_t arrival_count = 0, newly_occupied = 0;
    for (const Order order : orders) {
        const Place target = order.target();
        if (is_source(target)) {
            if (!rules()->destroys_entering_units()) return {Fault::left_and_entered, target};
            continue;
        }
        auto* const end = arrivals.data() + arrival_count;
        auto* const found = std::find_if(arrivals.data(), end, [&](auto arrival) { return arrival.place == target; });
        if (found == end) {
            arrivals[arrival_count++] = {target, order.count()};
            newly_occupied += !at(target);
        } else if ((found->count += order.count()) > vampires_max_count) {
            return {Fault::crowd, target, found->count};
        }
    }
    if (occupied() + newly_occupied - left_empty > vampires_max_occupied) return {Fault::cells};
    return {};
}

bool Vampires::is_legal(const Move& move) const {
    return !is_chance() && !is_terminal() && first_fault(move).fault == Fault::none;
}

std::string Vampires::why_illegal(const Move& move) const {
    if (is_chance() || is_terminal()) return "";
    const auto [fault, where, count] = first_fault(move);
    const std::string place = place_text(where);
    const Cell* cell = at(where);
    switch (fault) {
        case Fault::none:
            return "";
        case Fault::nothing_moves:
            return "a turn moves at least one unit (rule 1)";
        case Fault::not_own:
            return place + " holds " +
                   (cell ? std::string(species_names[static_cast<std::size_t>(cell->kind())]) : "no units") + ", and " +
                   std::string(species_names[static_cast<std::size_t>(species(to_move()))]) + " are to move (rule 2)";
        case Fault::too_many:
            return units_text(count) + " cannot leave " + place + ", which holds " + std::to_string(cell->count()) +
                   " (rule 3)";
        case Fault::off_grid:
            return "an order from " + place + " leads off the grid of " + std::to_string(columns()) + " columns and " +
                   std::to_string(rows()) + " rows (rule 4)";
        case Fault::left_and_entered:
            return place + " cannot be left and entered in one turn (rule 5)";
        case Fault::nobody:
            return "an order from " + place + " moves no units (rule 6)";
        case Fault::crowd:
            return units_text(count) + " cannot arrive on " + place + ": a cell holds at most 255";
        case Fault::cells:
            return "it would leave more than 255 cells occupied";
    }
    return "";
}

void Vampires::set(const Cell* cell, int count) {
    if (count == 0) return take(cell);
    auto& changed = cells_[static_cast<std::size_t>(cell - cells_.data())];
    auto& units = head_.units[static_cast<std::size_t>(cell->kind())];
    units = static_cast<std::uint16_t>(units + count - cell->count());
    head_.key ^= cell_key(changed);
    changed = Cell::of(changed.kind(), changed.place(), count);
    head_.key ^= cell_key(changed);
}

void Vampires::put(Kind kind, Place place, int count) {
    if (count == 0) return;
    const Cell cell = Cell::of(kind, place, count);
    const auto group = cells(kind);
    const auto index = static_cast<std::size_t>(std::lower_bound(group.begin(), group.end(), cell) - group.begin()) +
                       static_cast<std::size_t>(group.data() - cells_.data());
    std::memmove(&cells_[index] + 1, &cells_[index], (size() - index) * sizeof(Cell));
    cells_[index] = cell;
    for (std::size_t k = static_cast<std::size_t>(kind); k < head_.ends.size(); ++k) ++head_.ends[k];
    auto& units = head_.units[static_cast<std::size_t>(kind)];
    units = static_cast<std::uint16_t>(units + count);
    head_.key ^= cell_key(cell);
}

void Vampires::take(const Cell* cell) {
    const Cell gone = *cell;
    const auto index = static_cast<std::size_t>(cell - cells_.data());
    std::memmove(&cells_[index], &cells_[index] + 1, (size() - index - 1) * sizeof(Cell));
    for (std::size_t k = static_cast<std::size_t>(gone.kind()); k < head_.ends.size(); ++k) --head_.ends[k];
    auto& units = head_.units[static_cast<std::size_t>(gone.kind())];
    units = static_cast<std::uint16_t>(units - gone.count());
    head_.key ^= cell_key(gone);
}

void Vampires::play(const Move& move) {
    const auto orders = move.orders();
    const Kind own = species(to_move());
    ++head_.ply;
    std::array<Arrival, most_orders> arrivals;
    std::size_t arrival_count = 0;
    const bool destroys = rules()->destroys_entering_units();
    for (const Order order : orders) {
        const Place target = order.target();
        if (destroys && std::any_of(orders.begin(), orders.end(), [&](auto other) { return other.source() == target; }))
            continue;
        auto* const end = arrivals.data() + arrival_count;
        auto* const found = std::find_if(arrivals.data(), end, [&](auto arrival) { return arrival.place == target; });
        if (found == end)
            arrivals[arrival_count++] = {target, order.count()};
        else
            found->count += order.count();
    }
    for (const Order order : orders) {
        const Cell* cell = at(order.source());
        set(cell, cell->count() - order.count());
    }
    for (std::size_t i = 0; i < arrival_count; ++i) arrive(own, arrivals[i].place, arrivals[i].count);
}

void Vampires::arrive(Kind kind, Place place, int count) {
    const Cell* cell = at(place);
    if (!cell) return put(kind, place, count);
    if (cell->kind() == kind) return set(cell, rules()->held(cell->count() + count));
    const VampiresBattle battle = battle_against(*cell, count);
    if (battle.is_lost()) return;
    if (!battle.is_won()) return put(Kind::attackers, place, count);
    take(cell);
    put(kind, place, rules()->held(battle.possible_survivors()));
}

VampiresBattle Vampires::battle() const {
    const Cell attackers = cells_[occupied()];
    return battle_against(*at(attackers.place()), attackers.count());
}

void Vampires::resolve(int outcome) {
    const Kind attacking = species(to_move());
    const Cell attackers = cells_[occupied()];
    take(&cells_[occupied()]);
    const Cell* cell = at(attackers.place());
    const int defenders = cell->count();
    if (outcome <= defenders) return set(cell, outcome);
    take(cell);
    put(attacking, attackers.place(), rules()->held(outcome - defenders));
}

std::uint32_t Vampires::code(const Move& move) const {
    const auto orders = move.orders();
    if (orders.size() == 1) return orders[0].bits;
    std::uint64_t hash = orders.size();
    for (const Order order : orders) hash = mix64(hash ^ order.bits) + 0x9e3779b97f4a7c15ULL;
    return static_cast<std::uint32_t>(hash >> 32);
}

std::string Vampires::text() const {
    return vampires_text(rows(), columns(), cells_.data(), cells_.data() + size(), species(to_move()), ply());
}

Vampires Vampires::from_text(const Rules* rules, std::string_view text) {
    const VampiresBoard board = VampiresBoard::parse(text);
    const Vampires state(rules, board);
    const auto wrong = [&](const std::string& why) {
        return TextError(quoted(text) + " is not a vampires position: " + why);
    };
    if (!state.is_chance()) return state;
    if (board.ply == 0) throw wrong("no attack is possible at ply 0");
    if (board.attacking != state.species(state.to_move()))
        throw wrong("at ply " + std::to_string(board.ply) + " only the " +
                    std::string(species_names[static_cast<std::size_t>(state.species(state.to_move()))]) +
                    " can have attacked");
    for (const Cell attackers : state.cells(Kind::attackers)) {
        const Cell* defenders = state.at(attackers.place());
        if (!defenders || defenders->kind() == board.attacking)
            throw wrong("there are no units to attack on " + place_text(attackers.place()));
        if (!state.battle_against(*defenders, attackers.count()).is_random())
            throw wrong("the result of the battle on " + place_text(attackers.place()) + " is certain");
    }
    return state;
}

std::string Vampires::move_text(const Move& move) {
    std::string text;
    for (const Order order : move.orders())
        text += (text.empty() ? "" : "+") + place_text(order.source()) + "-" + std::to_string(order.target_x()) + "." +
                std::to_string(order.target_y()) + "x" + std::to_string(order.count());
    return text.empty() ? "pass" : text;
}

Vampires::Move Vampires::turn(std::span<const Order> orders) const {
    std::vector<Order> sorted(orders.begin(), orders.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<Order> merged;
    for (const Order order : sorted) {
        if (merged.empty() || !merged.back().has_way_of(order)) {
            merged.push_back(order);
            continue;
        }
        // Merging keeps an order of 0 units at 0, so that the violation of rule 6 is detected.
        const bool moves_nobody = merged.back().count() == 0 || order.count() == 0;
        const int count = moves_nobody ? 0 : merged.back().count() + order.count();
        if (count > vampires_max_count)
            throw TextError(units_text(count) + " cannot leave " + place_text(order.source()) +
                            ": a cell holds at most 255");
        merged.back() = Order::of(order.source(), order.direction(), count);
    }
    if (merged.size() > most_orders)
        throw TextError("a turn has at most 255 orders, not " + std::to_string(merged.size()));
    return Move::of(merged);
}

Vampires::Move Vampires::parse_move(std::string_view text) const {
    if (text == "pass") return Move::of({});
    const auto complaint = [&] {
        return TextError(quoted(text) + " is not a vampires move such as 4.3-5.3x2+4.3-3.2x2");
    };
    std::vector<Order> orders;
    std::string_view rest = text;
    const auto number = [&](char before) -> std::optional<int> {
        if (before && (rest.empty() || rest.front() != before)) return std::nullopt;
        if (before) rest.remove_prefix(1);
        int value = -1;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (error != std::errc{} || value < 0 || value > 255 || rest.front() == '-') throw complaint();
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return value;
    };
    const auto must = [&](char before) {
        const auto value = number(before);
        if (!value) throw complaint();
        return *value;
    };
    for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
        if (!is_first) {
            if (rest.front() != '+') throw complaint();
            rest.remove_prefix(1);
        }
        const int x = must(0), y = must('.'), target_x = must('-'), target_y = must('.');
        const Place source = vampires_place(x, y);
        const int dx = target_x - x, dy = target_y - y;
        if (dx < -1 || dx > 1 || dy < -1 || dy > 1 || (dx == 0 && dy == 0))
            throw TextError(place_text(source) + " and " + std::to_string(target_x) + "." + std::to_string(target_y) +
                            " are not neighbours (rule 4)");
        auto count = number('x');
        if (!count) {
            const Cell* cell = at(source);
            if (!cell) throw TextError(place_text(source) + " holds no units (rule 2)");
            count = cell->count();
        }
        orders.push_back(Order::of(source, vampires_direction(dx, dy), *count));
    }
    return turn(orders);
}

std::string Vampires::diagram() const {
    std::size_t width = std::to_string(columns() - 1).size();
    for (std::size_t i = 0; i < occupied(); ++i) width = std::max(width, std::to_string(cells_[i].count()).size() + 1);
    const auto right = [](const std::string& text, std::size_t columns) {
        return std::string(columns - std::min(columns, text.size()), ' ') + text;
    };
    const std::size_t margin = std::to_string(rows() - 1).size();
    std::string lines = std::string(margin, ' ');
    for (int x = 0; x < columns(); ++x) lines += right(std::to_string(x), width + 1);
    for (int y = 0; y < rows(); ++y) {
        lines += "\n" + right(std::to_string(y), margin);
        for (int x = 0; x < columns(); ++x) {
            const Cell* cell = at(vampires_place(x, y));
            lines += right(
                cell ? std::to_string(cell->count()) + vampires_letters[static_cast<std::size_t>(cell->kind())] : ".",
                width + 1);
        }
    }
    for (const Cell attackers : cells(Kind::attackers)) {
        const Cell defenders = *at(attackers.place());
        const double chance = battle_against(defenders, attackers.count()).win_probability();
        lines += "\nbattle on " + place_text(attackers.place()) + ": " + std::to_string(attackers.count()) + " " +
                 std::string(species_names[static_cast<std::size_t>(species(to_move()))]) + " attack " +
                 std::to_string(defenders.count()) + " " +
                 std::string(species_names[static_cast<std::size_t>(defenders.kind())]) + " and win with chance " +
                 std::to_string(chance).substr(0, 5);
    }
    return lines;
}

Vampires Vampires::transformed(int g) const {
    VampiresBoard board{
        .rows = g & 4 ? columns() : rows(), .columns = g & 4 ? rows() : columns(), .ply = ply(), .cells = {}};
    for (std::size_t i = 0; i < size(); ++i)
        board.cells.push_back(Cell::of(
            cells_[i].kind(), vampires_turned(cells_[i].place(), g, board.columns, board.rows), cells_[i].count()));
    return {rules(), board};
}

Vampires::Move Vampires::transformed(const Move& move, int g) const {
    const int after_columns = g & 4 ? rows() : columns(), after_rows = g & 4 ? columns() : rows();
    std::vector<Order> orders;
    for (const Order order : move.orders())
        orders.push_back(Order::of(vampires_turned(order.source(), g, after_columns, after_rows),
                                   vampires_turned_direction(order.direction(), g), order.count()));
    return turn(orders);
}

}  // namespace joute
