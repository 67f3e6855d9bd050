// State layouts of Vampires vs Werewolves at one job: from a start, all lines of so many turns, each turn played on a
// copy of the state before it, and every state asked for its occupied cells, as an evaluation asks. The turns are those
// of the paper, `report` in core/games/vampires/candidates.hpp. The paper compared the first four layouts and kept
// the dictionary. benchmarks/vampires_layouts.py compiles this like the core, checks that all walk the same tree, and
// compares their speed.

#include <memory>
#include <unordered_map>
#include <vector>

#include "games/vampires/vampires.hpp"

namespace {

using namespace joute;
using Kind = VampiresKind;
using Place = VampiresPlace;
using Cell = VampiresCell;
using Order = VampiresOrder;

// The layouts. Each is made from a position's text, is copied, and knows
//   at(place)     who is there; a count of 0 is nobody
//   put(cell)     that it holds this now, whoever was there; a count of 0 empties it
//   visit(look)   its occupied cells, in any order

constexpr Cell nobody{};

class CellList {
public:
    explicit CellList(std::string_view text) : cells_(VampiresBoard::parse(text).cells) {}

    Cell at(Place place) const {
        for (const Cell cell : cells_)
            if (cell.place() == place) return cell;
        return nobody;
    }
    void put(Cell cell) {
        const auto found =
            std::find_if(cells_.begin(), cells_.end(), [&](Cell c) { return c.place() == cell.place(); });
        if (found == cells_.end()) {
            if (cell.count()) cells_.push_back(cell);
        } else if (cell.count()) {
            *found = cell;
        } else {
            *found = cells_.back();
            cells_.pop_back();
        }
    }
    void visit(auto look) const {
        for (const Cell cell : cells_) look(cell);
    }

private:
    std::vector<Cell> cells_;
};

class Matrix {
public:
    explicit Matrix(std::string_view text) {
        const VampiresBoard board = VampiresBoard::parse(text);
        columns_ = static_cast<std::size_t>(board.columns);
        squares_.resize(columns_ * static_cast<std::size_t>(board.rows));
        for (const Cell cell : board.cells) put(cell);
    }

    Cell at(Place place) const {
        const Square square = squares_[index(place)];
        return Cell::of(square.kind, place, square.count);
    }
    void put(Cell cell) { squares_[index(cell.place())] = {cell.kind(), static_cast<std::uint8_t>(cell.count())}; }
    void visit(auto look) const {
        for (std::size_t i = 0; i < squares_.size(); ++i)
            if (squares_[i].count)
                look(at(vampires_place(static_cast<int>(i % columns_), static_cast<int>(i / columns_))));
    }

private:
    struct Square {
        Kind kind;
        std::uint8_t count;
    };
    std::size_t index(Place place) const {
        return static_cast<std::size_t>(place_y(place)) * columns_ + static_cast<std::size_t>(place_x(place));
    }

    std::size_t columns_ = 0;
    std::vector<Square> squares_;
};

class Dictionary {
public:
    explicit Dictionary(std::string_view text) {
        for (const Cell cell : VampiresBoard::parse(text).cells) put(cell);
    }

    Cell at(Place place) const {
        const auto found = cells_.find(place);
        return found == cells_.end() ? nobody : found->second;
    }
    void put(Cell cell) {
        if (cell.count())
            cells_[cell.place()] = cell;
        else
            cells_.erase(cell.place());
    }
    void visit(auto look) const {
        for (const auto& [place, cell] : cells_) look(cell);
    }

private:
    std::unordered_map<Place, Cell> cells_;
};

// The dictionary of the start, which all states share, and one of what has changed since, which is copied.
class Changes {
public:
    explicit Changes(std::string_view text) : start_(std::make_shared<const Dictionary>(text)) {}

    Cell at(Place place) const {
        const auto found = changed_.find(place);
        return found == changed_.end() ? start_->at(place) : found->second;
    }
    void put(Cell cell) { changed_[cell.place()] = cell; }
    void visit(auto look) const {
        start_->visit([&](Cell cell) {
            if (!changed_.contains(cell.place())) look(cell);
        });
        for (const auto& [place, cell] : changed_)
            if (cell.count()) look(cell);
    }

private:
    std::shared_ptr<const Dictionary> start_;
    std::unordered_map<Place, Cell> changed_;
};

class Ours {
public:
    explicit Ours(std::string_view text) : state(Vampires::from_text(VampiresRules::find(""), text)) {}

    void visit(auto look) const {
        for (const Kind kind : {Kind::vampires, Kind::werewolves, Kind::humans})
            for (const Cell cell : state.cells(kind)) look(cell);
    }

    Vampires state;
};

// What becomes of a random battle, as one of its outcomes: the likelier side wins, the attackers if both are, and as
// many survive as do on average, rounded down. The paper's search has this outcome and the other one.
int settled(const VampiresBattle& battle) {
    const int losing = battle.whole() - battle.win_parts();
    if (battle.win_parts() < losing) return losing * battle.defenders / battle.whole();
    const int survivors = battle.win_parts() * battle.possible_survivors() / battle.whole();
    return survivors ? battle.defenders + survivors : 0;
}

void arrive(auto& state, Kind kind, Place place, int count) {
    const Cell there = state.at(place);
    if (there.count() == 0 || there.kind() == kind) return state.put(Cell::of(kind, place, there.count() + count));
    const VampiresBattle battle{count, there.count(), there.kind() == Kind::humans, {}};
    const int outcome = battle.is_won() ? battle.defenders + battle.possible_survivors() : settled(battle);
    const bool held = outcome <= battle.defenders;
    state.put(Cell::of(held ? there.kind() : kind, place, held ? outcome : outcome - battle.defenders));
}

void play(auto& state, const VampiresTurn& turn, Kind mover) {
    const auto orders = turn.orders();
    for (const Order order : orders)
        state.put(Cell::of(mover, order.source(), state.at(order.source()).count() - order.count()));
    // All that go to one cell arrive together, with the first of them.
    for (std::size_t i = 0; i < orders.size(); ++i) {
        const auto goes_there = [&](Order other) { return other.target() == orders[i].target(); };
        if (std::any_of(orders.begin(), orders.begin() + i, goes_there)) continue;
        int count = 0;
        for (const Order order : orders.subspan(i)) count += goes_there(order) ? order.count() : 0;
        arrive(state, mover, orders[i].target(), count);
    }
}

void play(Ours& ours, const VampiresTurn& turn, Kind) {
    ours.state.play(turn);
    while (ours.state.is_chance()) ours.state.resolve(settled(ours.state.battle()));
}

// A player with fewer groups than this may split.
constexpr std::size_t split_groups = 2;

struct Walk {
    int rows, columns;
    std::uint64_t nodes = 0;
    std::uint64_t checksum = 0;  // of the cells of all states

    void from(const auto& state, Kind mover, int depth) {
        std::vector<Cell>& groups = groups_[static_cast<std::size_t>(depth)];
        groups.clear();
        bool has_enemies = false;
        int smallest_house = 0;
        state.visit([&](Cell cell) {
            // Squares, so that units which change places change the sum.
            checksum += static_cast<std::uint64_t>(cell.bits) * cell.bits;
            if (cell.kind() == mover)
                groups.push_back(cell);
            else if (cell.kind() != Kind::humans)
                has_enemies = true;
            else if (!smallest_house || cell.count() < smallest_house)
                smallest_house = cell.count();
        });
        if (depth == 0 || groups.empty() || !has_enemies) return;
        const bool may_split = smallest_house > 0 && groups.size() < split_groups;
        std::vector<VampiresTurn>& turns = turns_[static_cast<std::size_t>(depth)];
        turns.clear();
        list_turns(groups, may_split ? 2 * smallest_house : vampires_max_count + 1, turns);
        for (const VampiresTurn& turn : turns) {
            auto next = state;
            play(next, turn, mover);
            ++nodes;
            from(next, mover == Kind::vampires ? Kind::werewolves : Kind::vampires, depth - 1);
        }
    }

    // Groups of so many may split.
    void list_turns(std::span<const Cell> groups, int least_split, std::vector<VampiresTurn>& turns) {
        if (groups.empty()) {
            if (orders_.empty()) return;
            std::vector<Order>& sorted = sorted_ = orders_;
            std::sort(sorted.begin(), sorted.end());
            turns.push_back(VampiresTurn::of(sorted));
            return;
        }
        const Cell group = groups[0];
        list_turns(groups.subspan(1), least_split, turns);
        for (const int part : {group.count(), group.count() >= least_split ? group.count() / 2 : 0})
            for (int direction = 0; direction < vampires_directions && part > 0; ++direction) {
                const Order order = Order::of(group.place(), direction, part);
                if (!is_allowed(order)) continue;
                orders_.push_back(order);
                list_turns(groups.subspan(1), least_split, turns);
                orders_.pop_back();
            }
    }

    // On the grid, and by rule 5.
    bool is_allowed(Order order) const {
        const int x = order.target_x(), y = order.target_y();
        return x >= 0 && y >= 0 && x < columns && y < rows &&
               std::none_of(
                   orders_.begin(), orders_.end(),
                   [&](Order other) { return order.target() == other.source() || other.target() == order.source(); });
    }

    static constexpr std::size_t most_depth = 16;
    std::array<std::vector<Cell>, most_depth + 1> groups_{};
    std::array<std::vector<VampiresTurn>, most_depth + 1> turns_{};
    std::vector<Order> orders_{}, sorted_{};
};

template <class Layout>
void walk_from(Walk& walk, std::string_view text, int depth) {
    walk.from(Layout(text), Kind::vampires, depth);
}

struct NamedLayout {
    const char* name;
    void (*walk)(Walk& walk, std::string_view text, int depth);
};

constexpr std::array<NamedLayout, 5> layouts{{
    {"list", walk_from<CellList>},
    {"matrix", walk_from<Matrix>},
    {"changes", walk_from<Changes>},
    {"dictionary", walk_from<Dictionary>},
    {"joute", walk_from<Ours>},
}};

}  // namespace

// Null beyond the last.
extern "C" const char* layout_name(std::size_t layout) {
    return layout < layouts.size() ? layouts[layout].name : nullptr;
}

// Counts the nodes, and sums up their cells. `text` is a position in which vampires are to move.
extern "C" void walk_layout(std::size_t layout, const char* text, int depth, std::uint64_t counts[2]) {
    const VampiresBoard board = VampiresBoard::parse(text);
    Walk walk{board.rows, board.columns};
    layouts[layout].walk(walk, text, depth);
    counts[0] = walk.nodes;
    counts[1] = walk.checksum;
}
