#pragma once

#include <algorithm>

#include "../../bind/room.hpp"
#include "evaluate.hpp"
#include "langorou/langorou.hpp"
#include "maps.hpp"
#include "vampires.hpp"

namespace joute::vampires_room {

inline Player checked(Player player) {
    if (player != 0 && player != 1) throw nb::index_error("the player must be 0 or 1");
    return player;
}

inline std::string letter(VampiresKind kind) {
    return std::string(1, vampires_letters[static_cast<std::size_t>(kind)]);
}

// (x, y, count, target x, target y), as in the network protocol.
using PlainOrder = std::tuple<int, int, int, int, int>;

inline VampiresOrder order_of(const PlainOrder& plain) {
    const auto [x, y, count, target_x, target_y] = plain;
    const auto shown = [](int column, int row) { return std::to_string(column) + "." + std::to_string(row); };
    for (const int number : {x, y, target_x, target_y})
        if (number < 0 || number > 255) throw TextError("the coordinates of an order must be 0 to 255");
    const int dx = target_x - x, dy = target_y - y;
    if (dx < -1 || dx > 1 || dy < -1 || dy > 1 || (dx == 0 && dy == 0))
        throw TextError(shown(x, y) + " and " + shown(target_x, target_y) + " are not neighbours (rule 4)");
    if (count < 0 || count > vampires_max_count)
        throw TextError("an order moves 1 to 255 units, not " + std::to_string(count));
    return VampiresOrder::of(vampires_place(x, y), vampires_direction(dx, dy), count);
}

inline VampiresBattle battle_of(int attackers, int defenders, bool against_humans, const std::string& rules) {
    for (const int count : {attackers, defenders})
        if (count < 1 || count > vampires_max_count)
            throw JouteError("the number of units in a battle must be 1 to 255, not " + std::to_string(count));
    return {attackers, defenders, against_humans, VampiresRules::find(rules)->battles};
}

struct Binding : RoomBinding<Vampires> {
    static constexpr const char* class_name = "Vampires";
    static constexpr const auto& evaluations = vampires_evaluations;

    static void members(nb::module_& module, Binder& game) {
        game.move_class().def_prop_ro(
            "orders",
            [](const VampiresTurn& turn) {
                std::vector<PlainOrder> orders;
                for (const VampiresOrder order : turn.orders())
                    orders.emplace_back(place_x(order.source()), place_y(order.source()), order.count(),
                                        order.target_x(), order.target_y());
                return orders;
            },
            "(x, y, count, target x, target y) of each order.");
        game.state_class()
            .def_prop_ro("rows", &Vampires::rows)
            .def_prop_ro("columns", &Vampires::columns)
            .def_prop_ro(
                "cells",
                [](const Vampires& state) {
                    std::vector<VampiresCell> cells;
                    for (const auto kind : {VampiresKind::vampires, VampiresKind::werewolves, VampiresKind::humans}) {
                        const auto own = state.cells(kind);
                        cells.insert(cells.end(), own.begin(), own.end());
                    }
                    std::sort(cells.begin(), cells.end(), [](auto a, auto b) { return a.place() < b.place(); });
                    std::vector<std::tuple<int, int, std::string, int>> listed;
                    for (const VampiresCell cell : cells)
                        listed.emplace_back(place_x(cell.place()), place_y(cell.place()), letter(cell.kind()),
                                            cell.count());
                    return listed;
                },
                "(x, y, species, count) of each occupied cell, row by row; species are h, v and w.")
            .def(
                "units", [](const Vampires& state, Player player) { return state.units(checked(player)); },
                nb::arg("player"), "The number of units of a player, including those that attack.")
            .def_prop_ro("humans", &Vampires::humans, "The number of humans left.")
            .def(
                "species", [](const Vampires& state, Player player) { return letter(state.species(checked(player))); },
                nb::arg("player"), "The species of a player, v or w.")
            .def(
                "turn",
                [](const Vampires& state, const std::vector<PlainOrder>& orders) {
                    std::vector<VampiresOrder> packed;
                    for (const PlainOrder& order : orders) packed.push_back(order_of(order));
                    return state.turn(packed);
                },
                nb::arg("orders"),
                "The turn with these orders (x, y, count, target x, target y), which need not be legal; raises "
                "NotationError if they cannot form a turn.")
            .def(
                "is_sure_to_take",
                [](const Vampires& state, int units, int x, int y) {
                    const VampiresCell* cell = state.is_inside(x, y) ? state.at(vampires_place(x, y)) : nullptr;
                    return cell && state.battle_against(*cell, units).is_won();
                },
                nb::arg("units"), nb::arg("x"), nb::arg("y"),
                "Whether this many units are certain to convert or destroy the occupants of a cell.")
            .def_prop_ro(
                "battle",
                [](const Vampires& state) -> std::optional<std::tuple<int, int, int, int, std::string, double>> {
                    if (!state.is_chance()) return std::nullopt;
                    const VampiresBattle battle = state.battle();
                    const VampiresPlace place = state.battlefield();
                    return std::tuple(place_x(place), place_y(place), battle.attackers, battle.defenders,
                                      letter(state.at(place)->kind()), battle.win_probability());
                },
                "(x, y, attackers, defenders, defending species, probability that the attackers win) of the next "
                "pending battle; None if there is none.");
        module.def(
            "vampires_battle_outcomes",
            [](int attackers, int defenders, bool against_humans, const std::string& rules) {
                const VampiresBattle battle = battle_of(attackers, defenders, against_humans, rules);
                std::vector<double> probabilities(static_cast<std::size_t>(battle.outcome_count()));
                if (battle.is_won()) {
                    probabilities.back() = 1;
                } else if (battle.is_lost()) {
                    probabilities[static_cast<std::size_t>(defenders)] = 1;
                } else {
                    OutcomeList<Vampires> outcomes;
                    battle.outcomes(outcomes);
                    std::copy(outcomes.begin(), outcomes.end(), probabilities.begin());
                }
                return std::pair(battle.is_won()    ? 1.0
                                 : battle.is_lost() ? 0.0
                                                    : battle.win_probability(),
                                 probabilities);
            },
            nb::arg("attackers"), nb::arg("defenders"), nb::arg("against_humans"), nb::arg("rules") = "",
            "The probability that the attackers win, and the probabilities of: an empty cell, 1 to all defenders left, "
            "1 or more attackers and converts left.");
        module.def(
            "vampires_maps",
            [] {
                std::vector<std::tuple<std::string, std::string, std::string>> maps;
                for (const auto& map : vampires_maps) maps.emplace_back(map.name, map.text, map.what);
                return maps;
            },
            "(name, text, description) of each built-in map; the first is the default.");
    }

    static void searches(nb::module_& module, auto& searches) {
        bind_options<LangorouOptions>(module, "LangorouOptions");
        searches.add(OwnSearch<Langorou, LangorouOptions>{"LangorouOptions"});
    }
};

}  // namespace joute::vampires_room
