#include "chooser.hpp"

#include <algorithm>

namespace joute {

namespace {

// The fewest of at most `count` units that are certain to convert or destroy what is on a cell; 0 if there are none.
int enough(const Vampires& state, const VampiresCell* target, int count) {
    if (!target || target->kind() == state.species(state.to_move())) return 0;
    for (int units = 1; units <= count; ++units)
        if (state.battle_against(*target, units).is_won()) return units;
    return 0;
}

}  // namespace

void VampiresChooser::begin(const Vampires& state, const VampiresFrame& frame) {
    given_.clear();
    list(state, frame);
}

void VampiresChooser::end() {
    given_.clear();
    options_.clear();
    legal_.clear();
}

std::optional<VampiresTurn> VampiresChooser::take(const Vampires& state, const VampiresFrame& frame,
                                                  std::size_t index) {
    const VampiresOrder order = options_[index];
    if (order == no_order) return state.turn(given_);
    add(order);
    list(state, frame);
    if (options_.size() == 1) return state.turn(given_);  // nothing is left but to end the turn
    return std::nullopt;
}

void VampiresChooser::add(VampiresOrder order) {
    const auto same =
        std::find_if(given_.begin(), given_.end(), [order](VampiresOrder each) { return each.has_way_of(order); });
    if (same == given_.end())
        given_.push_back(order);
    else
        *same = VampiresOrder::of(order.source(), order.direction(), same->count() + order.count());
}

void VampiresChooser::list(const Vampires& state, const VampiresFrame& frame) {
    options_.clear();
    legal_.clear();
    const InputShape shape = frame.shape();
    const int cells = shape.rows * shape.columns;
    const std::vector<VampiresOrder> before = given_;
    for (const VampiresCell group : state.groups(state.to_move())) {
        int left = group.count();
        for (const VampiresOrder order : before)
            if (order.source() == group.place()) left -= order.count();
        if (left == 0) continue;
        const int cell = place_y(group.place()) * shape.columns + place_x(group.place());
        for (int direction = 0; direction < static_cast<int>(vampires_directions); ++direction) {
            const auto way = VampiresOrder::of(group.place(), direction, 1);
            if (!state.is_inside(way.target_x(), way.target_y())) continue;
            const std::array<int, amounts> counts{left, enough(state, state.at(way.target()), left), (left + 1) / 2, 1};
            for (auto count = counts.begin(); count != counts.end(); ++count) {
                if (*count == 0 || std::find(counts.begin(), count, *count) != count) continue;
                const auto order = VampiresOrder::of(group.place(), direction, *count);
                add(order);
                // Searches, too, play turns of at most `room` orders; longer ones are stored forever.
                const bool is_legal = given_.size() <= VampiresTurn::room && state.is_legal(state.turn(given_));
                given_ = before;
                if (!is_legal) continue;
                options_.push_back(order);
                legal_.push_back(
                    static_cast<std::uint32_t>((direction * amounts + (count - counts.begin())) * cells + cell));
            }
        }
    }
    if (given_.empty() && !state.is_legal(state.turn({}))) return;
    options_.push_back(no_order);
    legal_.push_back(static_cast<std::uint32_t>(end_of_turn(frame)));
}

void VampiresChooser::encode(const Vampires&, const VampiresFrame& frame, std::span<std::uint8_t> input) const {
    std::fill(input.begin(), input.end(), std::uint8_t{0});
    const InputShape shape = frame.shape();
    const auto count = [&](int plane, int x, int y, int units) {
        auto& number = input[static_cast<std::size_t>((plane * shape.rows + y) * shape.columns + x)];
        number = static_cast<std::uint8_t>(std::min(255, number + units));
    };
    for (const VampiresOrder order : given_) {
        count(0, place_x(order.source()), place_y(order.source()), order.count());
        count(1, order.target_x(), order.target_y(), order.count());
    }
}

std::string VampiresChooser::text(const Vampires& state, std::size_t index) const {
    const VampiresOrder order = options_[index];
    return order == no_order ? "end" : Vampires::move_text(state.turn({&order, 1}));
}

}  // namespace joute
