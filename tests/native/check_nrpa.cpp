// NRPA and nested Monte Carlo search on positions whose best move is known, under the address and
// undefined-behaviour sanitizers (make sanitize).

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "dice.hpp"
#include "games/connect4/connect4.hpp"
#include "games/connect4/solver.hpp"
#include "plain_options.hpp"
#include "search/nested.hpp"
#include "search/nrpa.hpp"
#include "search/winning_moves.hpp"

using namespace joute;

namespace {

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "check_nrpa: %s does not hold\n", what.c_str());
    std::exit(1);
}

bool near(double a, double b) { return a - b < 1e-12 && b - a < 1e-12; }

template <Game S>
S position(std::string_view text, std::string_view rules = "") {
    return S::from_text(S::Rules::find(rules), text);
}

// A search to check, with a name for messages.
template <Playable S>
struct Candidate {
    std::string name;
    std::unique_ptr<Search<S>> search;
};

template <Playable S>
std::vector<Candidate<S>> nrpa_searches(std::uint64_t seed, const std::vector<bool>& corrected = {false, true}) {
    std::vector<Candidate<S>> all;
    for (const auto key : {NrpaOptions::Key::state, NrpaOptions::Key::code})
        for (const bool each_side : corrected) {
            const auto options =
                with(plain_nrpa, &NrpaOptions::key, key, &NrpaOptions::corrected, each_side, &NrpaOptions::seed, seed);
            all.push_back({std::string("nrpa by ") + (key == NrpaOptions::Key::state ? "state" : "code") +
                               (each_side ? ", corrected" : ", plain"),
                           std::make_unique<Nrpa<S>>(options)});
        }
    return all;
}

template <Playable S>
std::vector<Candidate<S>> nested_searches(std::uint64_t seed, const std::vector<int>& levels = {1, 2},
                                          const std::vector<bool>& cuts = {false, true}) {
    std::vector<Candidate<S>> all;
    for (const int level : levels)
        for (const bool cut : cuts) {
            const auto options = with(plain_nested, &NestedOptions::level, level, &NestedOptions::cut_on_win, cut,
                                      &NestedOptions::seed, seed);
            all.push_back(
                {"nested " + std::to_string(level) + (cut ? " with cuts" : ""), std::make_unique<Nested<S>>(options)});
        }
    return all;
}

template <Playable S>
std::vector<Candidate<S>> corrected_nrpa(std::uint64_t seed) {
    const auto options = with(plain_nrpa, &NrpaOptions::corrected, true, &NrpaOptions::seed, seed);
    std::vector<Candidate<S>> one;
    one.push_back({"nrpa by state, corrected", std::make_unique<Nrpa<S>>(options)});
    return one;
}

// The searches that model the opponent as an opponent, not as a helper.
template <Playable S>
std::vector<Candidate<S>> sound_searches(std::uint64_t seed) {
    auto all = corrected_nrpa<S>(seed);
    for (auto& candidate : nested_searches<S>(seed)) all.push_back(std::move(candidate));
    return all;
}

template <Playable S>
std::vector<Candidate<S>> all_searches(std::uint64_t seed) {
    auto all = nrpa_searches<S>(seed);
    for (auto& candidate : nested_searches<S>(seed)) all.push_back(std::move(candidate));
    return all;
}

constexpr Limits moderate{.iterations = 3000};

// --- The policy ---

struct Letter {
    char letter;
};

// Two moves of player 0 with a move of player 1 in between. Player 0 chooses code 8 in state 1 and again in state 3.
NrpaSequence<Letter> small_game() {
    return {.steps = {{.state = 1, .first = 0, .count = 2, .chosen = 0, .player = 0, .move = {'a'}},
                      {.state = 2, .first = 2, .count = 4, .chosen = 3, .player = 1, .move = {'b'}},
                      {.state = 3, .first = 6, .count = 3, .chosen = 1, .player = 0, .move = {'c'}}},
            .codes = {8, 9, 5, 6, 7, 8, 7, 8, 9},
            .certain = 3,
            .scores = {1, 0}};
}

bool never() { return false; }

// Rosin's adaptation step, computed by hand. All weights are 0, so p is 1/2, 1/4 and 1/3 in the three states.
void check_adapting_by_state() {
    using enum NrpaOptions::Key;
    NrpaPolicy policy(1 << 20);
    std::vector<double> scratch;
    const auto weight = [&](std::uint64_t at, Player player, std::uint32_t code) {
        return policy.weight(nrpa_key(state, at, player, code));
    };
    nrpa_adapt(policy, small_game(), state, 0.5, {true, true}, scratch, never);
    check(near(weight(1, 0, 8), 0.25) && near(weight(1, 0, 9), -0.25), "a step among two moves");
    check(near(weight(2, 1, 8), 0.375) && near(weight(2, 1, 5), -0.125), "a step among four");
    check(near(weight(3, 0, 8), 1.0 / 3) && near(weight(3, 0, 7), -0.5 / 3), "a step among three");
    check(weight(4, 0, 8) == 0 && policy.size() == 9, "nothing else learned");
    // In state 1, p of the chosen move is now 1 / (1 + exp(-0.5)).
    nrpa_adapt(policy, small_game(), state, 0.5, {true, true}, scratch, never);
    const double p = 1 / (1 + exponential(-0.5));
    check(near(weight(1, 0, 8), 0.25 + 0.5 * (1 - p)), "a second step");

    NrpaPolicy own(1 << 20);
    nrpa_adapt(own, small_game(), state, 0.5, {false, true}, scratch, never);
    check(own.size() == 4 && own.weight(nrpa_key(state, 1, 0, 8)) == 0, "only one player's moves learned");
}

// Keyed by code, player 0's codes 8 and 9 occur twice; both times p is the one before the update: 1/2, then 1/3.
void check_adapting_by_code() {
    using enum NrpaOptions::Key;
    NrpaPolicy policy(1 << 20);
    std::vector<double> scratch;
    nrpa_adapt(policy, small_game(), code, 1, {true, true}, scratch, never);
    const auto weight = [&](Player player, std::uint32_t of) { return policy.weight(nrpa_key(code, 99, player, of)); };
    check(near(weight(0, 8), 0.5 + 2.0 / 3), "a code chosen twice, probabilities from before");
    check(near(weight(0, 9), -0.5 - 1.0 / 3), "a code passed over twice");
    check(near(weight(0, 7), -1.0 / 3) && near(weight(1, 8), 0.75), "codes of each player apart");
}

void check_policy_memory() {
    constexpr std::size_t room = 100'000;
    NrpaPolicy policy(room);
    for (std::uint64_t key = 0; key < 50'000; ++key) policy.scale(mix64(key), 2, never);
    check(policy.full() && policy.bytes() <= room && policy.bytes() > room / 3, "a full policy within its room");
    check(policy.odds(mix64(1)) == 2 && policy.odds(mix64(49'999)) == 1, "old keys kept and new ones refused");
    policy.scale(mix64(1), 3, never);
    check(policy.odds(mix64(1)) == 6, "a full policy goes on learning what it knows");
    for (int i = 0; i < 2000; ++i) policy.scale(mix64(1), 1e10, never), policy.scale(mix64(2), 1e-10, never);
    check(policy.odds(mix64(1)) < 1e301 && policy.odds(mix64(2)) > 0, "odds stay finite");
    NrpaPolicy copy(room);
    copy.copy(policy, never);
    policy.clear();
    check(policy.size() == 0 && policy.odds(mix64(3)) == 1 && copy.odds(mix64(3)) == 2, "copies are independent");
}

// Growing and copying a large policy ask whether to stop, and adapting does at every step.
void check_stopping() {
    constexpr std::size_t room = std::size_t{8} << 20;
    NrpaPolicy policy(room);
    std::size_t asked = 0, most_asked = 0;
    const auto count = [&] { return ++asked, false; };
    for (std::uint64_t key = 1; key < 100'000; ++key, asked = 0) {
        policy.scale(mix64(key), 2, count);
        most_asked = std::max(most_asked, asked);
    }
    check(most_asked >= 100'000 / 64, "a large policy asks often while it grows");
    NrpaPolicy copy(room);
    copy.copy(policy, count);
    check(asked >= 100'000 / 64, "a large policy asks often while it is copied");
    const std::size_t size = policy.size(), bytes = policy.bytes();
    for (std::uint64_t key = 100'000; policy.bytes() == bytes && key < 200'000; ++key)
        policy.scale(mix64(key), 2, [] { return true; });
    check(policy.bytes() == bytes && policy.size() > size, "a policy that must stop does not grow");
    for (std::uint64_t key = 1; key < 100'000; ++key)
        check(policy.odds(mix64(key)) == 2 && copy.odds(mix64(key)) == 2, "a policy that must stop keeps its weights");

    std::vector<double> scratch;
    NrpaPolicy untouched(room);
    nrpa_adapt(untouched, small_game(), NrpaOptions::Key::state, 0.5, {true, true}, scratch, [] { return true; });
    check(untouched.size() == 0, "adapting stops");
}

// --- The moves found ---

template <Game S>
void check_finds(std::vector<Candidate<S>> searches, const S& state, const std::string& moves) {
    for (const auto& candidate : searches) {
        const auto result = candidate.search->run(state, moderate, {}, {});
        const std::string found = S::move_text(result.moves[0].move);
        check(moves.find(found) != std::string::npos,
              candidate.name + ": one of " + moves + " in " + state.text() + ", not " + found + ",");
    }
}

// The moves after which the opponent cannot win at once.
std::string blocking_moves(const Connect4& state) {
    MoveList<Connect4> moves;
    state.generate(moves);
    std::string safe;
    for (const auto move : moves) {
        Connect4 next = state;
        next.play(move);
        MoveList<Connect4> replies;
        if (!next.is_terminal()) winning_moves(next, replies);
        if (replies.empty()) safe += Connect4::move_text(move);
    }
    return safe;
}

// Positions of random games with exactly one move that wins at once, or one that prevents an immediate loss and does
// not lose later. Nested search with cuts is not held to the latter: the first game won ends its search of the
// opponent's replies, so it misses some.
void check_connect4() {
    Random random(8);
    Connect4Solver solver({.memory_mb = 1, .threads = 1, .book = nullptr});
    int won = 0, blocked = 0;
    while (won < 12 || blocked < 12) {
        Connect4 state(Connect4Rules::find(""));
        for (; !state.is_terminal(); state.play(state.random_move(random))) {
            MoveList<Connect4> wins;
            winning_moves(state, wins);
            if (wins.size() == 1 && won++ < 12) {
                check_finds(sound_searches<Connect4>(random.next()), state, Connect4::move_text(wins[0]));
                check_finds(nrpa_searches<Connect4>(random.next(), {true}), state, Connect4::move_text(wins[0]));
            }
            const std::string safe = blocking_moves(state);
            if (state.ply() < 16 || !wins.empty() || safe.size() != 1 || solver.score(state) < 0) continue;
            if (blocked++ >= 12) continue;
            check_finds(corrected_nrpa<Connect4>(random.next()), state, safe);
            check_finds(nested_searches<Connect4>(random.next(), {1, 2}, {false}), state, safe);
        }
    }
}

// The outcome for the first player under best play; with `helping`, if both players play for `helped`.
int minimax(const Boxes& state, bool helping, Player helped) {
    if (state.is_terminal()) return state.result().outcome;
    MoveList<Boxes> moves;
    state.generate(moves);
    const int sign = (helping ? helped : state.to_move()) == 0 ? 1 : -1;
    int best = -1;
    for (const auto move : moves) {
        Boxes next = state;
        next.play(move);
        best = std::max(best, sign * minimax(next, helping, helped));
    }
    return sign * best;
}

// The moves that keep that outcome; empty if all do.
std::string best_moves(const Boxes& state, bool helping) {
    const int outcome = minimax(state, helping, state.to_move());
    MoveList<Boxes> moves;
    state.generate(moves);
    std::string best;
    for (const auto move : moves) {
        Boxes next = state;
        next.play(move);
        if (minimax(next, helping, state.to_move()) == outcome) best += Boxes::move_text(move);
    }
    return best.size() == moves.size() ? "" : best;
}

// Late positions in which the move matters. Nested search of level n is exact n plies before the end: each level adds a
// ply in which every move is tried. Plain NRPA only promises a sequence that wins if the opponent helps, so it is
// checked against that.
void check_boxes() {
    Random random(7);
    int against = 0, exact = 0, helped = 0;
    for (int game = 0; game < 2000 && (against < 12 || exact < 12 || helped < 12); ++game) {
        Boxes state(BoxesRules::find(""));
        while (state.ply() < 7) state.play(state.random_move(random));
        if (const auto best = best_moves(state, false); !best.empty() && against++ < 12)
            check_finds(corrected_nrpa<Boxes>(4), state, best);
        state.play(state.random_move(random));
        if (const auto best = best_moves(state, false); !best.empty() && exact++ < 12)
            check_finds(nested_searches<Boxes>(4, {4}), state, best);
        if (const auto best = best_moves(state, true); !best.empty() && helped++ < 12)
            check_finds(nrpa_searches<Boxes>(4, {false}), state, best);
    }
    check(against >= 12 && exact >= 12 && helped >= 12, "enough positions of boxes in which the move matters");
}

void check_dice() {
    for (const std::uint64_t seed : {1, 2, 3}) {
        check_finds(sound_searches<Dice>(seed), position<Dice>("6-6-first-9"), "step");
        check_finds(sound_searches<Dice>(seed), position<Dice>("6-6-second-9"), "step");
        // The opponent wins with the next step: only a roll can win first.
        check_finds(sound_searches<Dice>(seed), position<Dice>("5-6-first-9"), "roll");
    }
}

// --- Results ---

template <Game S>
std::string text_of(const SearchResult<typename S::Move>& result) {
    std::string text = std::to_string(result.value) + " " + std::to_string(result.nodes) + " " +
                       std::to_string(result.iterations) + " " + std::to_string(result.depth);
    for (const auto& move : result.moves) {
        char value[40];
        std::snprintf(value, sizeof value, "%a", move.value);
        text += "\n" + S::move_text(move.move) + " " + value + " " + std::to_string(move.visits);
        for (const auto next : move.line) text += " " + S::move_text(next);
    }
    return text;
}

template <Game S>
void check_repeats(const S& state) {
    const auto first = all_searches<S>(5), second = all_searches<S>(5), other = all_searches<S>(6);
    for (std::size_t i = 0; i < first.size(); ++i) {
        const auto result = [&](const Candidate<S>& candidate) {
            return text_of<S>(candidate.search->run(state, {.iterations = 400}, {}, {}));
        };
        const std::string text = result(first[i]);
        check(text == result(second[i]), first[i].name + ": the same seed repeats");
        check(text != result(other[i]), first[i].name + ": another seed differs");
        first[i].search->run(S(state.rules()), {.iterations = 50}, {}, {});
        check(text == result(first[i]), first[i].name + ": another position leaves nothing behind");
        first[i].search->forget();
        check(text == result(first[i]), first[i].name + ": the same after forgetting");
    }
}

// Lines are legal and end before a random event, and visits sum to the number of games.
template <Game S>
void check_result(const Candidate<S>& candidate, const S& root, const SearchResult<typename S::Move>& result) {
    MoveList<S> moves;
    root.generate(moves, 0);
    check(result.moves.size() == moves.size(), candidate.name + ": every move is in the result");
    for (const auto& move : result.moves) {
        check(move.value >= 0 && move.value <= 1, candidate.name + ": values are shares of wins");
        check(!move.line.empty() && move.line[0] == move.move, candidate.name + ": the line begins with its move");
        S state = root;
        for (const auto next : move.line) {
            check(!is_chance(state) && state.is_legal(next), candidate.name + ": a line that can be played");
            state.play(next);
        }
    }
    check(result.value == result.moves[0].value, candidate.name + ": the root is worth its best move");
}

template <Game S>
std::uint64_t visits(const SearchResult<typename S::Move>& result) {
    std::uint64_t sum = 0;
    for (const auto& move : result.moves) sum += move.visits;
    return sum;
}

template <Game S>
void check_limits(const S& state) {
    for (const auto& candidate : all_searches<S>(5)) {
        const auto run = [&](const Limits& limits) {
            const auto result = candidate.search->run(state, limits, {}, {});
            check_result(candidate, state, result);
            return result;
        };
        // From here on, nested search has finished its first round.
        check(run({.iterations = 640}).iterations == 640, candidate.name + ": as many playouts as allowed");
        check(run({.nodes = 5000}).nodes == 5000, candidate.name + ": as many nodes as allowed");
        check(visits<S>(run({.seconds = 0})) == 0, candidate.name + ": no time, any move");
        const bool nested = candidate.name.starts_with("nested");
        MoveList<S> moves;
        state.generate(moves, 0);
        for (const Limits& none : {Limits{.iterations = 0}, Limits{.nodes = 0}})
            check(visits<S>(run(none)) == (nested ? moves.size() : 0), candidate.name + ": the least it does");
        if (!nested) {
            check(visits<S>(run({.iterations = 33})) == 33, candidate.name + ": visits are playouts");
            check(run({}).iterations == 50 * 50, candidate.name + ": ends by itself");
        }
    }
}

struct Interrupted {};

// poll and watch are called and may throw; the search can be used again.
void check_interruption() {
    const Connect4 start(Connect4Rules::find(""));
    for (const auto& candidate : all_searches<Connect4>(5)) {
        bool caught = false;
        try {
            candidate.search->run(start, {}, [] { throw Interrupted(); }, {});
        } catch (const Interrupted&) {
            caught = true;
        }
        check(caught, candidate.name + ": poll may throw");
        check(candidate.search->run(start, moderate, {}, {}).iterations > 0, candidate.name + ": runs again");
    }
    const auto tell = [](const SearchResult<Connect4::Move>& result) {
        if (result.moves.size() == 7) throw Interrupted();
    };
    // Without a limit, only an exception ends these searches.
    Nested<Connect4> nested(with(plain_nested, &NestedOptions::level, 1));
    Nrpa<Connect4> nrpa(with(plain_nrpa, &NrpaOptions::level, 1, &NrpaOptions::iterations, 1'000'000'000));
    for (Search<Connect4>* search : {static_cast<Search<Connect4>*>(&nested), static_cast<Search<Connect4>*>(&nrpa)}) {
        try {
            search->run(start, {}, {}, tell);
            check(false, "watch is called");
        } catch (const Interrupted&) {
        }
    }
}

// A long game with many moves, none of which matters.
class Marathon {
public:
    struct Move {
        std::uint8_t number;
        bool operator==(const Move&) const = default;
    };
    static constexpr std::size_t max_moves = 50;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true, repeats = false, has_chance = false;
    using Offers = OfferList<>;

    Player to_move() const { return ply_ & 1; }
    int ply() const { return ply_; }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const { return static_cast<std::uint64_t>(ply_); }
    bool is_terminal() const { return ply_ == 10'000; }
    Result result() const { return {}; }
    Result result_if_stopped() const { return {}; }
    void generate(MoveList<Marathon>& moves, int) const {
        for (std::uint8_t i = 0; i < max_moves; ++i) moves.push_back({i});
    }
    bool is_legal(Move move) const { return move.number < max_moves; }
    Move random_move(Random& random) const { return {static_cast<std::uint8_t>(random.below(max_moves))}; }
    void play(Move) { ++ply_; }
    std::uint32_t code(Move move) const { return move.number; }

private:
    int ply_ = 0;
};

// A policy that exceeds its memory, and a game that is too long to store.
void check_memory() {
    const Connect4 start(Connect4Rules::find(""));
    for (const int level : {1, 3, 8}) {
        const int iterations = level == 1 ? 20'000 : level == 3 ? 25 : 3;
        Nrpa<Connect4> search(with(plain_nrpa, &NrpaOptions::level, level, &NrpaOptions::iterations, iterations,
                                   &NrpaOptions::corrected, true, &NrpaOptions::memory_mb, 1));
        const auto result = search.run(start, {.iterations = 20'000}, {}, {});
        check(result.memory_full == (level != 8), "level " + std::to_string(level) + " fills its memory or not");
        check(search.bytes() <= (1 << 20), "level " + std::to_string(level) + " stays within its memory");
    }
    Nrpa<Marathon> runner(with(plain_nrpa, &NrpaOptions::level, 2, &NrpaOptions::iterations, 2, &NrpaOptions::corrected,
                               true, &NrpaOptions::max_plies, 100'000, &NrpaOptions::memory_mb, 1));
    check(runner.run({}, {}, {}, {}).nodes == 40'000 && runner.bytes() <= (1 << 20), "long games within memory");
    const Dice far = position<Dice>("0-0-first-0", "target=50");
    Nrpa<Dice> stopped(
        with(plain_nrpa, &NrpaOptions::level, 1, &NrpaOptions::iterations, 10, &NrpaOptions::max_plies, 7));
    check(stopped.run(far, {}, {}, {}).nodes == 70, "playouts end at max_plies");
    Nested<Dice> nested(with(plain_nested, &NestedOptions::level, 1, &NestedOptions::max_plies, 7));
    check(nested.run(far, {.iterations = 10}, {}, {}).nodes == 70, "nested games end at max_plies");
}

template <class Attempt>
void check_refused(const Attempt& attempt, const char* what) {
    try {
        attempt();
    } catch (const std::invalid_argument&) {
        return;
    }
    check(false, std::string("refusal of ") + what);
}

void check_options() {
    check_refused([] { Nrpa<Connect4>(with(plain_nrpa, &NrpaOptions::level, 9)); }, "level 9");
    check_refused([] { Nrpa<Connect4>(with(plain_nrpa, &NrpaOptions::level, 0)); }, "level 0");
    check_refused([] { Nrpa<Connect4>(with(plain_nrpa, &NrpaOptions::iterations, 0)); }, "no iterations");
    check_refused([] { Nrpa<Connect4>(with(plain_nrpa, &NrpaOptions::lower_iterations, -1)); }, "fewer than no calls");
    check_refused([] { Nrpa<Connect4>(with(plain_nrpa, &NrpaOptions::alpha, 0)); }, "alpha 0");
    check_refused([] { Nrpa<Connect4>(with(plain_nrpa, &NrpaOptions::memory_mb, 0)); }, "no memory");
    check_refused([] { Nested<Connect4>(with(plain_nested, &NestedOptions::level, 5)); }, "level 5");
    check_refused([] { Nested<Connect4>(with(plain_nested, &NestedOptions::discount, 1.1)); }, "a growing discount");
}

}  // namespace

int main() {
    check_adapting_by_state();
    check_adapting_by_code();
    check_policy_memory();
    check_stopping();
    check_connect4();
    check_boxes();
    check_dice();
    check_repeats(position<Connect4>("4435"));
    check_repeats(position<Boxes>("110000000000/..../0"));
    check_repeats(position<Dice>("2-3-first-4"));
    check_limits(position<Connect4>("4435"));
    check_limits(position<Dice>("2-3-first-4"));
    check_interruption();
    check_memory();
    check_options();
    std::printf("nrpa and nested: clean\n");
}
