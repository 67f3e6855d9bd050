// Plays random games of every game and checks the invariants of each position, under the address and
// undefined-behaviour sanitizers (make sanitize).

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "dice.hpp"
#include "games/avalam/evaluate.hpp"
#include "games/avalam/solver.hpp"
#include "games/connect4/connect4.hpp"
#include "games/connect4/evaluate.hpp"
#include "games/connect4/solver.hpp"
#include "games/divercite/evaluate.hpp"
#include "games/divercite/solver.hpp"
#include "games/quoridor/evaluate.hpp"
#include "games/vampires/evaluate.hpp"
#include "games/vampires/frame.hpp"
#include "input_frame.hpp"
#include "search/perft.hpp"
#include "search/playouts.hpp"
#include "search/winning_moves.hpp"
#include "tictactoe.hpp"

using namespace joute;

namespace {

template <Game S>
void check(bool holds, const S& state, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s does not hold in %s\n", std::string(S::name).c_str(), what, state.text().c_str());
    std::exit(1);
}

template <NetworkGame S>
void check_network(const S& state, const MoveList<S>& moves) {
    const auto frame = InputFrame<S>::of(state);
    const auto size = static_cast<std::size_t>(frame.shape().size());
    std::vector<std::uint8_t> input(size), transformed_input(size);
    frame.encode(state, input);
    for (const auto& move : moves) {
        PolicyIndices indices;
        frame.policy_indices(state, move, indices);
        for (const auto index : indices)
            check(index < static_cast<std::uint32_t>(frame.policy_size()), state, "policy index");
    }
    for (int g = 0; g < state.rules()->symmetry_count(); ++g) {
        const S transformed = state.transformed(g);
        check(transformed.key() == transformed.recompute_key(), transformed, "key of a transformed state");
        InputFrame<S>::of(transformed).encode(transformed, transformed_input);
        // A frame of its own may contain numbers that depend on the order of the cells.
        if constexpr (OneSizeNetworkGame<S>)
            for (std::size_t i = 0; i < size; ++i)
                check(transformed_input[static_cast<std::size_t>(frame.map_input(static_cast<int>(i), g))] == input[i],
                      state, "input symmetry");
        for (const auto move : moves) {
            S there = transformed, here = state;
            there.play(state.transformed(move, g));
            here.play(move);
            check(there == here.transformed(g), state, "move symmetry");
        }
    }
}

template <Game S>
void check_state(const S& state, Random& random) {
    check(state.key() == state.recompute_key(), state, "key == recompute_key()");
    check(S::from_text(state.rules(), state.text()) == state, state, "text round trip");
    check(!state.diagram().empty(), state, "a diagram");
    if (state.is_terminal() || is_chance(state)) return;
    MoveList<S> moves;
    for (std::size_t generator = S::generators.size(); generator-- > 0;) {
        moves.clear();
        state.generate(moves, static_cast<int>(generator));
        check(!moves.empty(), state, "a move where the game is not over");
        for (const auto& move : moves) {
            check(state.is_legal(move), state, "generated moves are legal");
            check(state.parse_move(S::move_text(move)) == move, state, "move text round trip");
        }
    }
    check(state.is_legal(state.random_move(random)), state, "random_move is legal");
    MoveList<S> wins;
    winning_moves(state, wins);
    if constexpr (NetworkGame<S>) check_network(state, moves);
}

template <Game S>
void check_games(int games, std::string_view rules_text = "", int perft_depth = 4) {
    Random random(20);
    const auto* rules = S::Rules::find(rules_text);
    for (int game = 0; game < games; ++game) {
        S state(rules);
        [[maybe_unused]] int plies_left = std::numeric_limits<int>::max();
        for (;;) {
            check_state(state, random);
            if constexpr (HasPliesLeft<S>) {
                plies_left = std::min(plies_left - 1, state.plies_left());
                check(state.is_terminal() ? plies_left >= 0 : plies_left > 0, state, "bound of the plies left");
            }
            if constexpr (S::has_chance)
                if (state.is_chance()) {
                    state.resolve(pick_outcome(state, random.uniform()));
                    continue;
                }
            if (state.is_terminal()) break;
            state.play(state.random_move(random));
        }
        check(state.result() == state.result_if_stopped(), state, "result of a finished game");
    }
    const S start(rules);
    const Playouts sum = playouts(start, 1000, 1, 1000, {});
    check(sum.first_wins + sum.draws + sum.second_wins == 1000, start, "playouts add up");
    Perft bulk{.bulk = true, .poll = {}}, played{.bulk = false, .poll = {}};
    check(bulk.count(start, perft_depth) == played.count(start, perft_depth), start,
          "perft with and without bulk counting");
    std::printf("%s: %d random games clean\n", std::string(S::name).c_str(), games);
}

// An accumulator updated over moves must equal one started at the position.
template <Game S, std::size_t Count>
void check_evaluations(const std::array<Evaluation<S>, Count>& evaluations, int games) {
    Random random(21);
    for (const auto& evaluation : evaluations)
        for (int game = 0; game < games; ++game) {
            S state(S::Rules::find(""));
            std::vector<std::byte> carried(evaluation.accumulator_size), fresh(evaluation.accumulator_size);
            if (evaluation.start) evaluation.start(state, carried.data(), nullptr);
            while (!state.is_terminal()) {
                const S before = state;
                const auto move = state.random_move(random);
                state.play(move);
                if (evaluation.update) evaluation.update(before, move, state, carried.data(), nullptr);
                if constexpr (S::has_chance)
                    while (state.is_chance()) {
                        const S pending = state;
                        const int outcome = pick_outcome(state, random.uniform());
                        state.resolve(outcome);
                        if (evaluation.resolve)
                            evaluation.resolve(pending, outcome, state, carried.data(), nullptr);
                        else if (evaluation.start)
                            evaluation.start(state, carried.data(), nullptr);
                    }
                if (evaluation.start) evaluation.start(state, fresh.data(), nullptr);
                // The value may depend on earlier moves, which a fresh accumulator does not have.
                if (evaluation.key && evaluation.key(state, carried.data()) != evaluation.key(state, fresh.data()))
                    continue;
                check(evaluation.value(state, carried.data(), nullptr, 0) ==
                          evaluation.value(state, fresh.data(), nullptr, 0),
                      state, "incremental evaluation");
            }
        }
}

// The score for the mover, by plain minimax.
template <Game S>
int minimax(const S& state) {
    if (state.is_terminal()) return state.to_move() == 0 ? state.result().score : -state.result().score;
    MoveList<S> moves;
    state.generate(moves);
    int best = -1000;
    for (const auto move : moves) {
        S next = state;
        next.play(move);
        best = std::max(best, -minimax(next));
    }
    return best;
}

// The solver with one thread and with several, on late positions.
void check_solver(int games) {
    Random random(22);
    Connect4Solver alone({.memory_mb = 1, .threads = 1, .book = nullptr});
    Connect4Solver together({.memory_mb = 8, .threads = 3, .book = nullptr});
    for (int game = 0; game < games; ++game) {
        Connect4 state(Connect4Rules::find(""));
        while (!state.is_terminal()) {
            if (state.ply() >= 33) {
                const int truth = minimax(state);
                check(alone.score(state) == truth, state, "score == minimax");
                check(together.score(state) == truth, state, "score with threads == minimax");
                check(static_cast<int>(alone.line(state).size()) > 0, state, "a best line");
            }
            state.play(state.random_move(random));
        }
    }
    std::printf("connect4 solver: %d random games clean\n", games);
}

// With ample memory, and with so little that games are discarded during the search.
void check_avalam_solver(int games) {
    Random random(24);
    AvalamSolver large({.memory_mb = 64, .outcome_only = false, .lines = 1000, .tower = 16});
    for (int game = 0; game < games; ++game) {
        Avalam state(AvalamRules::find(""));
        while (state.ply() < 30 && !state.is_terminal()) state.play(state.random_move(random));
        if (state.is_terminal()) continue;
        AvalamSolver small({.memory_mb = 1, .outcome_only = false, .lines = 1, .tower = 16});
        const auto result = large.run(state, {}, {}, {});
        check(result.proven && result.value == minimax(state), state, "score == minimax");
        check(small.run(state, {}, {}, {}).value == result.value, state, "score with little memory");
        for (const auto& found : result.moves) {
            Avalam next = state;
            next.play(found.move);
            check(found.is_exact && found.value == -minimax(next), state, "score of a move == minimax");
        }
    }
    std::printf("avalam solver: %d random games clean\n", games);
}

int divercites(const Divercite& state, Player player) {
    int count = 0;
    for (std::uint32_t rest = state.cities_of(player); rest; rest &= rest - 1)
        count += state.around(std::countr_zero(rest)) == Divercite::all_different;
    return count;
}

// Compares the incremental data of the position with a recount, and the results of finished games under the three rule
// sets.
void check_divercite(int games) {
    using divercite_board::tables;
    Random random(25);
    for (int game = 0; game < games; ++game) {
        Divercite state(DiverciteRules::find(""));
        while (!state.is_terminal()) {
            state.play(state.random_move(random));
            std::array<int, 2> points{};
            for (int city = 0; city < DiverciteRules::city_cells; ++city) {
                std::uint32_t around = 0;
                for (const int resource : tables.resources_of[city])
                    for (int colour = 0; colour < DiverciteRules::colours; ++colour)
                        around += (state.resources(colour) >> resource & 1) << (4 * colour);
                check(around == state.around(city), state, "what lies around a city");
                if (!(state.empty_cities() >> city & 1))
                    points[state.city_owner(city)] += Divercite::city_points(around, state.city_colour(city));
            }
            check(points == std::array{state.points(0), state.points(1)}, state, "points");
            MoveList<Divercite> moves;
            if (!state.is_terminal()) state.generate(moves);
            check(state.is_terminal() || moves.size() == state.move_count(), state, "move_count");
            MoveList<Divercite> noisy;
            if (!state.is_terminal()) state.noisy_moves(noisy);
            for (const auto move : moves) {
                Divercite next = state;
                next.play(move);
                const bool listed = std::find(noisy.begin(), noisy.end(), move) != noisy.end();
                const Player mover = state.to_move();
                check(listed == (divercites(next, mover) > divercites(state, mover)), state, "noisy moves");
            }
            for (std::size_t i = 0; i < noisy.size(); ++i)
                check(std::find(noisy.begin(), noisy.begin() + i, noisy[i]) == noisy.begin() + i, state,
                      "noisy moves, each once");
        }
        check(state.ply() == DiverciteRules::plies && std::popcount(state.empty_resources()) == 1, state, "40 plies");
        const auto under = [&](const char* rules) {
            return Divercite::from_text(DiverciteRules::find(rules), state.text()).result();
        };
        const Result handout = under(""), framework = under("rules=framework"), official = under("rules=official");
        check(handout.outcome != 0, state, "the handout knows no draw");
        check(official.outcome == (handout.margin > 0) - (handout.margin < 0), state, "no tie-break in the box");
        check(framework.outcome == handout.outcome || (framework.outcome == 0 && framework.decided_by == "twos"), state,
              "the framework errs on twos alone");
    }
    std::printf("divercite: %d random games counted afresh\n", games);
}

// Under all rules, with values in points, half of a score.
void check_divercite_solver(int games) {
    Random random(25);
    DiverciteSolver large({.memory_mb = 64, .outcome_only = false, .lines = 1000});
    for (int game = 0; game < games; ++game)
        for (const std::string_view rules : {"", "rules=framework", "rules=official"}) {
            Divercite state(DiverciteRules::find(rules));
            while (state.ply() < DiverciteRules::plies - 4) state.play(state.random_move(random));
            const auto result = large.run(state, {}, {}, {});
            check(result.proven && 2 * result.value == minimax(state), state, "value == minimax");
            for (const auto& found : result.moves) {
                Divercite next = state;
                next.play(found.move);
                check(found.is_exact && 2 * found.value == -minimax(next), state, "value of a move == minimax");
            }
        }
    // Positions of every ply, most of them too early to be solved.
    DiverciteSolver small({.memory_mb = 1, .outcome_only = false, .lines = 1});
    for (Divercite state(DiverciteRules::find("")); !state.is_terminal(); state.play(state.random_move(random)))
        check(!small.run(state, {.nodes = 300}, {}, {}).moves.empty(), state, "an answer within a limit");
    std::printf("divercite solver: %d random games clean\n", games);
}

// Compares the listed walls with a flood fill for each wall.
void check_quoridor(int games, std::string_view rules) {
    using namespace quoridor_board;
    Random random(26);
    for (int game = 0; game < games; ++game) {
        Quoridor state(QuoridorRules::find(rules));
        // Games under the course's rules may never end.
        while (!state.is_terminal() && state.ply() < 200) {
            const Walls free = free_places(state.walls()), joining = joining_places(state.walls());
            const Walls placeable = state.placeable_walls();
            check((placeable & free) == placeable, state, "no wall on another");
            MoveList<Quoridor> moves;
            state.generate(moves);
            check(moves.size() == state.move_count(), state, "move_count");
            for (int anchor = 0; anchor < anchors; ++anchor)
                for (const auto wall : {Quoridor::horizontal(anchor), Quoridor::vertical(anchor)}) {
                    const auto has = [&](const Walls& walls) {
                        return (Quoridor::is_horizontal(wall) ? walls.horizontal : walls.vertical) >> anchor & 1;
                    };
                    if (!has(free)) continue;
                    Ways ways = state.ways();
                    Quoridor::is_horizontal(wall) ? ways.close_horizontal(anchor) : ways.close_vertical(anchor);
                    bool leaves_ways = true, leaves_course_ways = true;
                    for (const Player player : {0, 1}) {
                        const int from = state.pawn(player), other = state.pawn(opponent(player));
                        const Cells goal = Quoridor::goal(player);
                        leaves_ways &= ways.reaches(from, goal);
                        leaves_course_ways &= course_path(ways, from, other, goal).length >= 0;
                        const int steps = ways.distance(bit(from), goal);
                        check(shortest_path(ways, from, goal).length == steps, state, "a shortest path");
                    }
                    check(leaves_ways || has(joining), state, "a wall that joins at most one thing cuts nothing");
                    check(leaves_ways || !leaves_course_ways, state, "the course allows no more");
                    check(has(placeable) == (rules.empty() ? leaves_ways : leaves_course_ways), state, "walls listed");
                    if (state.walls_left(state.to_move()) > 0)
                        check(state.is_legal(wall) == has(placeable), state, "a wall is legal where it is listed");
                }
            state.play(state.random_move(random));
        }
    }
    std::printf("quoridor:%s: the walls of %d random games clean\n", std::string(rules).c_str(), games);
}

// Symmetries, and nearly full boards, on which the candidates reach their limits.
void check_vampires(int games) {
    Random random(27);
    for (int game = 0; game < games; ++game)
        for (const std::string_view rules : {"map=fork", "map=crowd", "rules=twilight-succo,map=arena"}) {
            Vampires state(VampiresRules::find(rules));
            while (!state.is_terminal()) {
                for (int g = 0; g < VampiresRules::symmetries; ++g) {
                    const Vampires seen = state.transformed(g);
                    check(seen.key() == seen.recompute_key(), seen, "key of a transformed state");
                    if (state.is_chance()) continue;
                    const auto move = state.random_move(random);
                    Vampires here = state, there = seen;
                    here.play(move);
                    there.play(state.transformed(move, g));
                    check(there == here.transformed(g), state, "move symmetry");
                }
                if (state.is_chance())
                    state.resolve(pick_outcome(state, random.uniform()));
                else
                    state.play(state.random_move(random));
            }
        }
    for (int board = 0; board < games; ++board) {
        std::string text = "16x16/";
        for (int cell = 0; cell < 255; ++cell) {
            const int kind = static_cast<int>(random.below(3));
            text += (cell ? "+" : "") + std::to_string(1 + random.below(255)) + std::string(1, "vwh"[kind]) +
                    std::to_string(cell % 16) + "." + std::to_string(cell / 16);
        }
        Vampires state = Vampires::from_text(VampiresRules::find(""), text);
        for (int ply = 0; ply < 20 && !state.is_terminal(); ++ply) {
            check_state(state, random);
            state.play(state.random_move(random));
            settle_chance(state, random);
        }
    }
    std::printf("vampires: %d games and full boards clean\n", games);
}

void check_book() {
    constexpr int plies = 5;
    const auto positions = Connect4Book::positions_of_ply(plies);
    Random random(23);
    std::vector<std::int8_t> scores;
    for (std::size_t i = 0; i < positions.size(); ++i)
        scores.push_back(static_cast<std::int8_t>(static_cast<int>(random.below(33)) - 16));
    const Connect4Book book(Connect4Book::pack(plies, positions, scores));
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (book.score(positions[i]) != scores[i]) std::exit((std::fputs("connect4 book: wrong score\n", stderr), 1));
    std::printf("connect4 book: %zu positions clean\n", positions.size());
}

}  // namespace

int main() {
    check_games<Avalam>(200, "", 2);
    check_games<Connect4>(3000);
    check_games<Divercite>(2, "", 2);
    check_games<Divercite>(1, "rules=framework", 2);
    check_games<Divercite>(1, "rules=official", 2);
    check_divercite(3000);
    check_games<Quoridor>(20, "", 2);
    check_games<Quoridor>(5, "rules=course", 2);
    check_games<Quoridor>(5, "rules=course,null_move=yes", 2);
    check_quoridor(60, "");
    check_quoridor(60, "rules=course");
    check_games<Vampires>(20, "", 3);
    for (const char* rules : {"official-2019", "text-strict", "twilight-succo", "twilight-langorou"})
        check_games<Vampires>(10, "map=fork,rules=" + std::string(rules), 3);
    check_vampires(3);
    check_games<Boxes>(2000);
    check_games<Dice>(2000);
    check_games<Dice>(500, "target=20");
    check_games<TicTacToe>(2000);
    check_solver(300);
    check_avalam_solver(60);
    check_divercite_solver(20);
    check_book();
    check_evaluations<Avalam>(avalam_evaluations, 50);
    check_evaluations<Connect4>(connect4_evaluations, 200);
    check_evaluations<Divercite>(divercite_evaluations, 200);
    check_evaluations<Quoridor>(quoridor_evaluations, 50);
    check_evaluations<Vampires>(vampires_evaluations, 20);
    check_evaluations<Boxes>(boxes_evaluations, 200);
}
