#pragma once

// Games as the self-play keeps them: the map and the turns, with the outcomes of battles and the values of the
// searches. Positions are replayed from them, so that other features can be computed from the same games.

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "games/vampires/vampires.hpp"

namespace joute {

// A turn with the outcomes of its battles.
struct FitTurn {
    VampiresTurn turn;
    std::vector<int> outcomes;

    void play(Vampires& state) const {
        state.play(turn);
        for (const int outcome : outcomes) state.resolve(outcome);
    }
};

struct FitPly {
    std::optional<double> value;  // of the position, for the mover; none if the turn was random
    FitTurn played;
    // A random turn that was tried instead, and the value of the position after it, for the player who is to move
    // there.
    std::optional<double> side_value;
    FitTurn side;
};

struct FitGame {
    std::string map;
    std::vector<FitPly> plies;

    // A map's length and text, the number of plies; of each ply its value in 30,000ths, its orders and its outcomes,
    // and the same of the turn that was tried.
    void write(std::vector<std::uint8_t>& bytes) const {
        put<std::uint16_t>(bytes, map.size());
        bytes.insert(bytes.end(), map.begin(), map.end());
        put<std::uint16_t>(bytes, plies.size());
        for (const FitPly& ply : plies) {
            put_value(bytes, ply.value);
            put_turn(bytes, ply.played);
            put_value(bytes, ply.side_value);
            if (ply.side_value) put_turn(bytes, ply.side);
        }
    }
    // Reads the game at `at` and moves `at` behind it.
    static FitGame read(const std::uint8_t*& at) {
        FitGame game;
        game.map.resize(take<std::uint16_t>(at));
        std::memcpy(game.map.data(), at, game.map.size());
        at += game.map.size();
        game.plies.resize(take<std::uint16_t>(at));
        for (FitPly& ply : game.plies) {
            ply.value = take_value(at);
            ply.played = take_turn(at);
            ply.side_value = take_value(at);
            if (ply.side_value) ply.side = take_turn(at);
        }
        return game;
    }

private:
    static constexpr double value_unit = 30000;
    static constexpr int unknown = -32768;

    template <class Number, class Value>
    static void put(std::vector<std::uint8_t>& bytes, Value value) {
        const auto number = static_cast<Number>(value);
        const auto* raw = reinterpret_cast<const std::uint8_t*>(&number);
        bytes.insert(bytes.end(), raw, raw + sizeof number);
    }
    template <class Number>
    static Number take(const std::uint8_t*& at) {
        Number number;
        std::memcpy(&number, at, sizeof number);
        at += sizeof number;
        return number;
    }
    static void put_value(std::vector<std::uint8_t>& bytes, std::optional<double> value) {
        put<std::int16_t>(bytes, value ? static_cast<int>(*value * value_unit) : unknown);
    }
    static std::optional<double> take_value(const std::uint8_t*& at) {
        const int value = take<std::int16_t>(at);
        return value == unknown ? std::nullopt : std::optional(value / value_unit);
    }
    static void put_turn(std::vector<std::uint8_t>& bytes, const FitTurn& turn) {
        put<std::uint8_t>(bytes, turn.turn.orders().size());
        for (const VampiresOrder order : turn.turn.orders()) put<std::uint32_t>(bytes, order.bits);
        put<std::uint8_t>(bytes, turn.outcomes.size());
        for (const int outcome : turn.outcomes) put<std::uint16_t>(bytes, outcome);
    }
    static FitTurn take_turn(const std::uint8_t*& at) {
        std::vector<VampiresOrder> orders(take<std::uint8_t>(at));
        for (VampiresOrder& order : orders) order.bits = take<std::uint32_t>(at);
        FitTurn turn{.turn = VampiresTurn::of(orders), .outcomes = std::vector<int>(take<std::uint8_t>(at))};
        for (int& outcome : turn.outcomes) outcome = take<std::uint16_t>(at);
        return turn;
    }
};

}  // namespace joute
