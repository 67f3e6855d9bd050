#include "frame.hpp"

#include <cmath>
#include <limits>

#include "race.hpp"

namespace joute {

namespace {

using Cell = Vampires::Cell;
using Place = Vampires::Place;

constexpr int byte = 255;

// log2(1 + count) for counts of 0 to 255, and of the totals above, so that 255 units fill the byte.
std::uint8_t logarithm(int count) {
    static const auto table = [] {
        std::array<std::uint8_t, 256> all{};
        for (std::size_t n = 0; n < all.size(); ++n)
            all[n] = static_cast<std::uint8_t>(std::lround(byte * std::log2(1.0 + static_cast<double>(n)) / 8));
        return all;
    }();
    return table[static_cast<std::size_t>(std::min(count, byte))];
}

std::uint8_t share(int part, int whole) {
    return static_cast<std::uint8_t>(whole > 0 ? std::clamp((byte * part + whole / 2) / whole, 0, byte) : 0);
}

// Writes the planes of `full`, in the order of this enumeration.
class FullEncoder {
public:
    FullEncoder(const Vampires& state, int columns, int cells, std::span<std::uint8_t> input)
        : state_(state), mover_(state.to_move()), columns_(columns), cells_(cells), input_(input) {}

    void write() {
        std::fill(input_.begin(), input_.end(), std::uint8_t{0});
        write_units();
        write_reach(own_reach, own_together, mover_);
        write_reach(other_reach, other_together, opponent(mover_));
        write_odds(mover_, {own_odds, own_odds_together, own_takes_in_two, own_takes});
        write_odds(opponent(mover_), {other_odds, other_odds_together, other_takes_in_two, other_takes});
        write_totals();
        write_race();
    }

    enum Plane {
        mask,
        own_share,  // of all units of both species
        other_share,
        humans_share,
        own_log,
        other_log,
        humans_log,
        own_here,
        other_here,
        humans_here,
        own_reach,  // the largest group one step away
        other_reach,
        own_together,  // all units one step away
        other_together,
        // Against what is on the cell: the probability that the best group one step away wins, that all units one step
        // away win together, and whether a group two steps away, or any group, wins with certainty.
        own_odds,
        other_odds,
        own_odds_together,
        other_odds_together,
        own_takes_in_two,
        other_takes_in_two,
        own_takes,
        other_takes,
        few_plies_left,
        plies_left,
        own_total,
        other_total,
        humans_total,
        lead,
        race_in_4,  // the lead after the race for houses
        race_in_8,
        race_in_16,
        race_end,
        own_groups,
        other_groups,
        planes
    };

private:
    std::uint8_t& at(int plane, int x, int y) {
        return input_[static_cast<std::size_t>(plane * cells_ + y * columns_ + x)];
    }
    std::uint8_t& at(int plane, Place place) { return at(plane, place_x(place), place_y(place)); }
    void fill(int plane, std::uint8_t value) {
        for (int y = 0; y < state_.rows(); ++y) std::fill_n(&at(plane, 0, y), state_.columns(), value);
    }
    int all_units() const { return state_.units(0) + state_.units(1); }

    void write_units() {
        fill(mask, byte);
        const auto write = [&](std::span<const Cell> group, int share_plane, int log_plane, int here_plane) {
            for (const Cell cell : group) {
                at(share_plane, cell.place()) = share(cell.count(), all_units());
                at(log_plane, cell.place()) = logarithm(cell.count());
                at(here_plane, cell.place()) = byte;
            }
        };
        write(state_.groups(mover_), own_share, own_log, own_here);
        write(state_.groups(opponent(mover_)), other_share, other_log, other_here);
        write(state_.houses(), humans_share, humans_log, humans_here);
    }

    // The units of a player one step away from each cell.
    void write_reach(int largest_plane, int together_plane, Player player) {
        for (const Cell group : state_.groups(player))
            for (std::size_t d = 0; d < vampires_directions; ++d) {
                const int x = place_x(group.place()) + step_x[d], y = place_y(group.place()) + step_y[d];
                if (!state_.is_inside(x, y)) continue;
                auto& largest = at(largest_plane, x, y);
                largest = std::max(largest, logarithm(group.count()));
                auto& together = at(together_plane, x, y);  // a count until the loop below
                together = static_cast<std::uint8_t>(std::min(byte, together + group.count()));
            }
        for (int y = 0; y < state_.rows(); ++y)
            for (int x = 0; x < state_.columns(); ++x) at(together_plane, x, y) = logarithm(at(together_plane, x, y));
    }

    struct OddsPlanes {
        int odds, together, in_two, ever;
    };
    void write_odds(Player player, const OddsPlanes& to) {
        for (const auto& prey : {state_.groups(opponent(player)), state_.houses()})
            for (const Cell target : prey) write_odds(player, target, to);
    }
    void write_odds(Player player, Cell target, const OddsPlanes& to) {
        int largest = 0, together = 0;
        for (const Cell group : state_.groups(player)) {
            const int steps = vampires_distance(group.place(), target.place());
            if (steps == 1) {
                largest = std::max(largest, group.count());
                together = std::min(byte, together + group.count());
            }
            if (!state_.battle_against(target, group.count()).is_won()) continue;
            at(to.ever, target.place()) = byte;
            if (steps == 2) at(to.in_two, target.place()) = byte;
        }
        at(to.odds, target.place()) = odds(target, largest);
        at(to.together, target.place()) = odds(target, together);
    }
    std::uint8_t odds(Cell target, int attackers) const {
        if (attackers == 0) return 0;
        const VampiresBattle battle = state_.battle_against(target, attackers);
        if (battle.is_won()) return byte;
        return battle.is_lost() ? std::uint8_t{0} : share(battle.win_parts(), battle.whole());
    }

    void write_totals() {
        const int left = std::max(state_.rules()->ply_limit() - state_.ply(), 0);
        constexpr int soon = 10, far = 200;
        fill(few_plies_left, share(soon, soon + left));
        fill(plies_left, share(std::min(left, far), far));
        fill(own_total, logarithm(state_.units(mover_)));
        fill(other_total, logarithm(state_.units(opponent(mover_))));
        fill(humans_total, logarithm(state_.humans()));
        fill(lead, share(state_.units(mover_), all_units()));
        constexpr int many_groups = 16;
        const auto groups = [&](Player player) { return static_cast<int>(state_.groups(player).size()); };
        fill(own_groups, share(groups(mover_), many_groups));
        fill(other_groups, share(groups(opponent(mover_)), many_groups));
    }

    void write_race() {
        const auto [own, other] = VampiresRace::run(state_);
        for (std::size_t span = 0; span < VampiresRace::spans; ++span) {
            const int ours = state_.units(mover_) + own.gains[span];
            const int theirs = state_.units(opponent(mover_)) + other.gains[span];
            fill(race_in_4 + static_cast<int>(span), share(ours, ours + theirs));
        }
    }

    const Vampires& state_;
    Player mover_;
    int columns_, cells_;
    std::span<std::uint8_t> input_;
};

}  // namespace

VampiresFrame VampiresFrame::of(const Vampires& state, const FrameChoice& choice) {
    static_assert(full_planes == FullEncoder::planes);
    static_assert(FullEncoder::race_end - FullEncoder::race_in_4 + 1 == VampiresRace::spans);
    const VampiresFrame frame(static_cast<Encoding>(choice.encoding), choice.rows ? choice.rows : state.rows(),
                              choice.columns ? choice.columns : state.columns());
    const auto size = [](int rows, int columns) { return std::to_string(rows) + "x" + std::to_string(columns); };
    if (!frame.holds(state))
        throw JouteError("a network for boards up to " + size(frame.rows_, frame.columns_) +
                         " cannot play on a board of " + size(state.rows(), state.columns()));
    if (frame.policy_size() > std::numeric_limits<std::int16_t>::max())
        throw JouteError("no network can play on a board of " + size(frame.rows_, frame.columns_) +
                         ": it has too many cells");
    return frame;
}

float VampiresFrame::scale(int plane) const {
    // Counts of the paper's encoding are not scaled, as in the paper.
    const bool is_count = encoding_ == Encoding::raw || (encoding_ == Encoding::masked && plane > 0 && plane < 4);
    return is_count ? 1.0f : 1.0f / byte;
}

int VampiresFrame::turned(int cell, int g) const {
    const int columns = g & 4 ? rows_ : columns_, rows = g & 4 ? columns_ : rows_;
    const Place place = vampires_turned(vampires_place(cell % columns_, cell / columns_), g, columns, rows);
    return place_y(place) * columns + place_x(place);
}

int VampiresFrame::turned_kind(int kind, int g) const {
    if (kind >= order_kinds()) return kind;
    const int amounts_here = order_kinds() / vampires_directions;
    return vampires_turned_direction(kind / amounts_here, g) * amounts_here + kind % amounts_here;
}

VampiresFrame::Amount VampiresFrame::amount(const Vampires& state, VampiresOrder order) {
    const int group = state.at(order.source())->count(), count = order.count();
    if (count == group) return Amount::all;
    const Cell* target = state.at(order.target());
    if (target && target->kind() != state.species(state.to_move()) && state.battle_against(*target, count).is_won() &&
        !state.battle_against(*target, count - 1).is_won())
        return Amount::enough;
    return 2 * count >= group ? Amount::most : Amount::few;
}

int VampiresFrame::order_kind(const Vampires& state, VampiresOrder order) const {
    if (encoding_ != Encoding::full) return order.direction();
    return order.direction() * amounts + static_cast<int>(amount(state, order));
}

void VampiresFrame::policy_indices(const Vampires& state, const VampiresTurn& turn, PolicyIndices& indices) const {
    constexpr auto most = static_cast<std::size_t>(Vampires::policy_parts);
    if (turn.orders().empty()) {
        if (encoding_ != Encoding::full) return;
        for (const Cell group : state.groups(state.to_move()))
            if (indices.size() < most)
                indices.push_back(static_cast<std::uint32_t>(order_kinds() * cells() + place_index(group.place())));
        return;
    }
    // Of a turn with more orders than there is room for, those of most units count.
    FixedList<VampiresOrder, VampiresTurn::room> orders;
    for (const VampiresOrder order : turn.orders().first(std::min(turn.orders().size(), VampiresTurn::room)))
        orders.push_back(order);
    if (orders.size() > most)
        std::stable_sort(orders.begin(), orders.end(), [](auto a, auto b) { return a.count() > b.count(); });
    for (std::size_t i = 0; i < std::min(orders.size(), most); ++i)
        indices.push_back(
            static_cast<std::uint32_t>(order_kind(state, orders[i]) * cells() + place_index(orders[i].source())));
}

void VampiresFrame::encode(const Vampires& state, std::span<std::uint8_t> input) const {
    if (encoding_ == Encoding::full) return FullEncoder(state, columns_, cells(), input).write();
    std::fill(input.begin(), input.end(), std::uint8_t{0});
    const bool masked = encoding_ == Encoding::masked;
    const auto at = [&](int plane, int place) -> std::uint8_t& {
        return input[static_cast<std::size_t>(plane * cells() + place)];
    };
    const Player mover = state.to_move();
    int plane = masked;
    for (const auto& group : {state.groups(mover), state.groups(opponent(mover)), state.houses()}) {
        for (const Cell cell : group) at(plane, place_index(cell.place())) = static_cast<std::uint8_t>(cell.count());
        ++plane;
    }
    if (!masked) return;
    const int limit = state.rules()->ply_limit(), left = std::max(limit - state.ply(), 0);
    for (int y = 0; y < state.rows(); ++y) {
        std::fill_n(&at(0, y * columns_), state.columns(), std::uint8_t{byte});
        std::fill_n(&at(plane, y * columns_), state.columns(), share(left, limit));
    }
}

}  // namespace joute
