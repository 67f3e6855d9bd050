#pragma once

#include <algorithm>

#include "../../bind/room.hpp"
#include "chooser.hpp"
#include "engine.hpp"
#include "evaluate.hpp"
#include "frame.hpp"
#include "langorou/langorou.hpp"
#include "maps.hpp"
#include "vampires.hpp"

namespace joute::vampires_room {

inline std::string letter(VampiresKind kind) {
    return std::string(1, vampires_letters[static_cast<std::size_t>(kind)]);
}

inline constinit NamedTuple named_order("joute.games.vampires.records", "Order"),
    named_cell("joute.games.vampires.records", "Cell"), named_battle("joute.games.vampires.records", "Battle");

inline nb::object cells_of(std::span<const VampiresCell> cells) {
    return tuple_by(cells.size(), [cells](std::size_t i) {
        const VampiresCell cell = cells[i];
        return named_cell(place_x(cell.place()), place_y(cell.place()), letter(cell.kind()), cell.count());
    });
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
                return tuple_by(turn.orders().size(), [orders = turn.orders()](std::size_t i) {
                    const VampiresOrder order = orders[i];
                    return named_order(place_x(order.source()), place_y(order.source()), order.count(),
                                       order.target_x(), order.target_y());
                });
            },
            nb::for_getter(nb::sig("def orders(self) -> tuple[Order, ...]")),
            "The orders of the turn, sorted by source.");
        game.state_class()
            .def_prop_ro("rows", &Vampires::rows, "The height of the grid.")
            .def_prop_ro("columns", &Vampires::columns, "The width of the grid.")
            .def_prop_ro(
                "cells",
                [](const Vampires& state) {
                    std::vector<VampiresCell> cells;
                    for (const auto kind : {VampiresKind::vampires, VampiresKind::werewolves, VampiresKind::humans}) {
                        const auto own = state.cells(kind);
                        cells.insert(cells.end(), own.begin(), own.end());
                    }
                    std::sort(cells.begin(), cells.end(), [](auto a, auto b) { return a.place() < b.place(); });
                    return cells_of(cells);
                },
                nb::for_getter(nb::sig("def cells(self) -> tuple[Cell, ...]")), "The occupied cells, row by row.")
            .def_prop_ro(
                "groups",
                [](const Vampires& state) {
                    return tuple_by(
                        2, [&](std::size_t player) { return cells_of(state.groups(static_cast<Player>(player))); });
                },
                nb::for_getter(nb::sig("def groups(self) -> tuple[tuple[Cell, ...], "
                                       "tuple[Cell, ...]]")),
                "The cells of each player's groups, row by row, without units that attack in a pending battle.")
            .def_prop_ro(
                "houses", [](const Vampires& state) { return cells_of(state.houses()); },
                nb::for_getter(nb::sig("def houses(self) -> tuple[Cell, ...]")), "The cells of humans, row by row.")
            .def(
                "units", [](const Vampires& state, Player player) { return state.units(checked_player(player)); },
                nb::arg("player"), "The number of units of a player, including those that attack.")
            .def_prop_ro("humans", &Vampires::humans, "The number of humans left.")
            .def(
                "species",
                [](const Vampires& state, Player player) { return letter(state.species(checked_player(player))); },
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
                [](const Vampires& state) -> nb::object {
                    if (!state.is_chance()) return nb::none();
                    const VampiresBattle battle = state.battle();
                    const VampiresPlace place = state.battlefield();
                    return named_battle(place_x(place), place_y(place), battle.attackers, battle.defenders,
                                        letter(state.at(place)->kind()), battle.win_probability());
                },
                nb::for_getter(nb::sig("def battle(self) -> Battle | None")),
                "The next pending battle; None if there is none.");
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
        bind_options<VampiresEngineOptions>(module, "VampiresEngineOptions");
        searches.add(OwnSearch<VampiresEngine, VampiresEngineOptions>{"VampiresEngineOptions"});
        bind_options<LangorouOptions>(module, "LangorouOptions");
        searches.add(OwnSearch<Langorou, LangorouOptions>{"LangorouOptions"});
    }
};

}  // namespace joute::vampires_room
