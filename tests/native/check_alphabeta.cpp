// Compares alpha-beta with plain minimax, with every switch on and off, under the address and
// undefined-behaviour sanitizers (make sanitize).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "dice.hpp"
#include "games/avalam/evaluate.hpp"
#include "games/connect4/evaluate.hpp"
#include "games/connect4/solver.hpp"
#include "games/divercite/evaluate.hpp"
#include "plain_options.hpp"
#include "search/alphabeta/alphabeta.hpp"
#include "thicket.hpp"

using namespace joute;

namespace {

using Options = AlphaBetaOptions;

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "alpha-beta: %s\n", what.c_str());
    std::exit(1);
}

// --- The slow and obvious search ---

template <Playable S>
struct Minimax {
    const Options& options;
    const Evaluation<S>* evaluation;
    Player root;
    std::vector<std::uint64_t> past{};          // keys before the root
    mutable std::vector<std::uint64_t> line{};  // keys from the root on

    double clamped(double value) const {
        double limit = 1e300;
        if (S::has_chance && bound() > 0) limit = bound();
        if (!S::has_chance && options.ends == Options::Ends::outcome && options.win_value == 0) limit = 1e14;
        return std::min(std::max(value, -limit), limit);
    }
    double bound() const {
        if (options.win_value > 0) return options.win_value;
        if (options.ends != Options::Ends::outcome) return 0;
        return evaluation && evaluation->bound > 0 ? evaluation->bound : 1;
    }
    double of_end(const S& state, int ply) const {
        const Result result = state.result();
        const int sign = root == 0 ? 1 : -1;
        if (options.ends == Options::Ends::score) return clamped(sign * result.score);
        if (options.ends == Options::Ends::margin) return clamped(sign * result.margin);
        if (options.ends == Options::Ends::points)
            return clamped(sign * (result.margin != 0 ? result.margin : result.score));
        double win = bound();
        if (!S::has_chance) win = options.win_value > 0 ? options.win_value : 1e15 - ply;
        return sign * result.outcome * win;
    }
    double of_look(const S& state) const { return evaluation ? clamped(evaluation->of(state, nullptr, root)) : 0; }

    // Searches the whole history, without relying on reversible_plies().
    bool is_repeated(const S& state) const {
        if constexpr (S::repeats) {
            const std::uint64_t key = state.repetition_key();
            const auto on_line = std::count(line.begin(), line.end(), key);
            const auto before = std::count(past.begin(), past.end(), key);
            return (!S::has_chance && on_line > 0) || on_line + before + 1 == state.repetitions_to_draw();
        }
        return false;
    }

    // The value for the root player. Depths below 0 are beyond the horizon.
    double value(const S& state, int depth, int ply) const {
        if constexpr (S::has_chance)
            if (state.is_chance()) {
                OutcomeList<S> outcomes;
                state.outcomes(outcomes);
                double sum = 0;
                for (std::size_t i = 0; i < outcomes.size(); ++i) {
                    if (outcomes[i] <= 0) continue;
                    S next = state;
                    next.resolve(static_cast<int>(i));
                    sum += outcomes[i] * value(next, depth, ply);
                }
                return sum;
            }
        if (state.is_terminal()) return of_end(state, ply);
        if (ply > 0 && is_repeated(state)) return 0;
        MoveList<S> moves;
        state.generate(moves, options.generator);
        const bool is_few = options.extend > 0 && moves.size() <= static_cast<std::size_t>(options.extend);
        const bool is_full = depth > 0 || (is_few && depth > -Options::most_extension);
        if (!is_full) {
            moves.clear();
            if constexpr (HasNoisyMoves<S>)
                if (options.quiescence + depth > 0) state.noisy_moves(moves);
        }
        const bool is_max = state.to_move() == root;
        double best = is_full && !moves.empty() ? (is_max ? -INFINITY : INFINITY) : of_look(state);
        if constexpr (S::repeats) line.push_back(state.repetition_key());
        for (const auto move : moves) {
            S next = state;
            next.play(move);
            const double found = value(next, depth - 1, ply + 1);
            best = is_max ? std::max(best, found) : std::min(best, found);
        }
        if constexpr (S::repeats) line.pop_back();
        return best;
    }
};

// --- Cases ---

template <Playable S>
struct Case {
    S state;
    int depth;
    Options options;  // the options that change the value
    const Evaluation<S>* evaluation;
    std::vector<std::uint64_t> past;  // keys before the root
    std::vector<double> move_values;  // by minimax, in generated order
    MoveList<S> moves;
    double value = -INFINITY;
    double deeper_value = 0;  // of a search two plies deeper
    double full_value = 0;    // of a search that lists every move

    Case(const S& root, int depth, const Options& options, const Evaluation<S>* evaluation,
         std::vector<std::uint64_t> before = {})
        : state(root), depth(depth), options(options), evaluation(evaluation), past(std::move(before)) {
        const Minimax<S> minimax{this->options, evaluation, state.to_move(), past};
        state.generate(moves, options.generator);
        if constexpr (S::repeats) minimax.line = {state.repetition_key()};
        for (const auto move : moves) {
            S next = state;
            next.play(move);
            move_values.push_back(minimax.value(next, depth - 1, 1));
            value = std::max(value, move_values.back());
        }
        minimax.line.clear();
        Options every_move = options;
        every_move.generator = 0;
        full_value = Minimax<S>{every_move, evaluation, state.to_move(), past}.value(state, depth, 0);
        deeper_value = depth < 4 ? minimax.value(state, depth + 2, 0) : value;
    }
    std::size_t index_of(typename S::Move move) const {
        std::size_t i = 0;
        while (!(moves[i] == move)) ++i;
        return i;
    }
};

bool equal(double a, double b, bool exactly) { return exactly ? a == b : std::abs(a - b) < 1e-9; }

template <Playable S>
void check_result(const Case<S>& known, const SearchResult<typename S::Move>& result, const std::string& where) {
    constexpr bool exactly = !S::has_chance;
    const std::string numbers =
        std::to_string(result.value) + ", not " + std::to_string(known.value) + " with " + where;
    check(result.moves.size() == known.moves.size(), "every move is in the result: " + where);
    check(equal(result.value, known.value, exactly), "the value is " + numbers);
    check(result.moves[0].value == result.value, "the first move has the root's value");
    if (result.proven) check(equal(result.value, known.deeper_value, exactly), "a proven value is " + numbers);
    if (result.proven && known.options.generator != 0 && known.options.ends == Options::Ends::outcome)
        check(result.value <= known.full_value && result.value > 0, "only wins are proven by some of the moves");
    std::vector<bool> seen(known.moves.size());
    const auto lines = static_cast<std::size_t>(std::max(known.options.lines, 1));
    for (std::size_t i = 0; i < result.moves.size(); ++i) {
        const auto& move = result.moves[i];
        const std::size_t index = known.index_of(move.move);
        check(!seen[index], "each move is in the result once");
        seen[index] = true;
        const double truth = known.move_values[index];
        if (i < lines)
            check(equal(move.value, truth, exactly), "the value of a line, " + std::to_string(move.value) + ", not " +
                                                         std::to_string(truth) + " with " + where);
        else if (result.depth == known.depth)  // unless a proof ended the search early
            check(move.value >= truth - (exactly ? 0 : 1e-9), "other moves have an upper bound: " + where);
        if (i > 0) check(move.value <= result.moves[i - 1].value, "the best come first: " + where);
        check(!move.line.empty() && move.line[0] == move.move, "a line begins with its move");
        S state = known.state;
        for (const auto reply : move.line) {
            check(!is_chance(state) && state.is_legal(reply), "a line is legal: " + where);
            state.play(reply);
        }
    }
    if constexpr (exactly) {
        std::size_t first = 0;
        while (known.move_values[first] != known.value) ++first;
        check(known.index_of(result.moves[0].move) == first, "the first of the best moves is played: " + where);
    }
}

std::string text(const Options& o, int depth) {
    std::string text = "depth " + std::to_string(depth);
    const auto add = [&](const char* name, auto value) {
        text += std::string(" ") + name + "=" + std::to_string(value);
    };
    add("table", static_cast<int>(o.table)), add("pvs", o.pvs), add("killers", o.killers), add("history", o.history);
    add("deepening", o.deepening), add("aspiration", o.aspiration), add("by_evaluation", o.order_by_evaluation);
    add("chance", static_cast<int>(o.chance)), add("ends", static_cast<int>(o.ends)), add("win", o.win_value);
    add("quiescence", o.quiescence), add("extend", o.extend), add("generator", o.generator), add("lines", o.lines);
    add("threads", o.threads);
    return text;
}

// Calls with(options) for every setting of the switches that must not change a value.
template <class With>
void for_all_switches(Options options, bool has_chance, With with) {
    options.memory_mb = 1;
    int settings = 0;
    for (int bits = 0; bits < 64; ++bits)
        for (const auto table : {Options::TableUse::off, Options::TableUse::ordering, Options::TableUse::full})
            for (const auto chance :
                 {Options::ChancePruning::none, Options::ChancePruning::star1, Options::ChancePruning::star2}) {
                if (!has_chance && chance != Options::ChancePruning::none) continue;
                options.pvs = bits & 1, options.killers = bits & 2, options.history = bits & 4;
                options.deepening = bits & 8, options.aspiration = bits & 16, options.order_by_evaluation = bits & 32;
                options.table = table;
                options.chance = chance;
                options.table_depth = 1 + settings++ % 2;
                with(options);
            }
}

// Checks cases that share an evaluation and all options that change the value, with one search object for each setting
// of the switches: its table then holds entries of other cases, for either player.
template <Playable S>
void check_cases(const std::vector<Case<S>>& cases) {
    for_all_switches(cases[0].options, S::has_chance, [&](const Options& options) {
        AlphaBeta<S> search(options, cases[0].evaluation, nullptr);
        for (const Case<S>& known : cases) {
            const auto result = search.run_after(known.past, known.state, {.depth = known.depth}, {}, {});
            // In games with repetition, a table may change values, but not what is proven.
            if (!S::repeats || options.table != Options::TableUse::full)
                check_result(known, result, text(options, known.depth));
            else if (result.proven)
                check((result.value > 0) == (known.deeper_value > 0) && (result.value < 0) == (known.deeper_value < 0),
                      "what is proven is true with " + text(options, known.depth));
        }
    });
}

// `start(random)` returns a position.
template <Playable S, class Start>
void check_game(const char* name, int count, int most_depth, const Evaluation<S>* evaluation, const Options& base,
                Start start) {
    Random random(30);
    std::size_t total = 0;
    for (const auto ends :
         {Options::Ends::outcome, Options::Ends::score, Options::Ends::margin, Options::Ends::points}) {
        Options options = base;
        options.ends = ends;
        std::vector<Case<S>> cases;
        for (int i = 0; i < count; ++i) cases.emplace_back(start(random), 1 + i % most_depth, options, evaluation);
        check_cases(cases);
        total += cases.size();
    }
    std::printf("alpha-beta on %s: %zu cases clean with every switch on and off\n", name, total);
}

// A position after some random moves, with a player to move.
template <Playable S>
S random_position(const S& start, int least, int most, Random& random) {
    for (;;) {
        S state = start;
        int plies = least + static_cast<int>(random.below(static_cast<std::uint32_t>(most - least + 1)));
        while (plies-- > 0 && !state.is_terminal()) {
            state.play(state.random_move(random));
            settle_chance(state, random);
        }
        if (!state.is_terminal()) return state;
    }
}

template <bool Chance>
Thicket<Chance> random_thicket(Random& random) {
    for (;;) {
        const Thicket<Chance> state(random.next() % 5, random.below(60));
        if (!state.is_terminal() && !is_chance(state)) return state;
    }
}

// A position reached by random moves, and the keys of the positions since the last irreversible move.
template <bool Chance>
std::pair<Thicket<Chance, true>, std::vector<std::uint64_t>> random_walk(int to_draw, Random& random) {
    using S = Thicket<Chance, true>;
    for (;;) {
        S state(random.next() % 5, random.below(S::nodes), to_draw);
        std::vector<std::uint64_t> past;
        const auto is_over = [&] {
            const auto before = std::count(past.begin(), past.end(), state.repetition_key());
            return state.is_terminal() || is_chance(state) || (to_draw > 0 && before + 1 >= to_draw);
        };
        for (auto plies = random.below(15); plies > 0 && !is_over(); --plies) {
            past.push_back(state.repetition_key());
            state.play(state.random_move(random));
            settle_chance(state, random);
            if (state.reversible_plies() == 0) past.clear();
        }
        if (!is_over()) return {state, past};
    }
}

// --- Evaluations ---

// Counts only part of one side's discs, so that negating it for the opponent would be wrong.
const Evaluation<Connect4> one_sided{
    .name = "one-sided", .help = "", .value = [](const Connect4& state, const void*, const void*, Player player) {
        return static_cast<double>(mix64(state.discs(player)) % 64) - static_cast<double>(state.discs(1 - player) % 7);
    }};

const Evaluation<Dice> lead_in_dice{.name = "lead",
                                    .help = "",
                                    .value =
                                        [](const Dice& state, const void*, const void*, Player player) {
                                            const double lead = state.result_if_stopped().margin / 16.0;
                                            return player == 0 ? lead : 0.25 - lead;
                                        },
                                    .bound = 0.9};

// --- The games ---

void check_connect4() {
    const Connect4 start(nullptr);
    const auto early = [&](Random& random) { return random_position(start, 0, 30, random); };
    const auto late = [&](Random& random) { return random_position(start, 35, 38, random); };
    check_game<Connect4>("connect4", 5, 5, &connect4_evaluations[0], plain_alphabeta, early);
    check_game<Connect4>("connect4, one-sided", 4, 4, &one_sided, plain_alphabeta, early);
    check_game<Connect4>("connect4, no evaluation", 4, 4, nullptr, with(plain_alphabeta, &Options::lines, 3), early);
    check_game<Connect4>("connect4, quiescence", 4, 4, &one_sided, with(plain_alphabeta, &Options::quiescence, 3),
                         early);
    check_game<Connect4>("connect4, wins worth 20", 4, 4, &connect4_evaluations[0],
                         with(plain_alphabeta, &Options::win_value, 20), early);
    check_game<Connect4>("connect4, late", 14, 7, &one_sided, plain_alphabeta, late);
    check_game<Connect4>("connect4, extended", 12, 3, &one_sided,
                         with(plain_alphabeta, &Options::extend, 3, &Options::lines, 2), late);
    check_game<Connect4>("connect4, extended, quiescence", 8, 2, &one_sided,
                         with(plain_alphabeta, &Options::quiescence, 2, &Options::extend, 2), late);
}

void check_avalam() {
    const auto late = [](Random& random) { return random_position(Avalam(nullptr), 30, 34, random); };
    check_game<Avalam>("avalam", 6, 3, &avalam_evaluations[0], plain_alphabeta, late);
    check_game<Avalam>("avalam, no evaluation", 4, 3, nullptr, with(plain_alphabeta, &Options::lines, 3), late);
}

void check_divercite() {
    const auto late = [](Random& random) {
        return random_position(Divercite(DiverciteRules::find("")), 33, 37, random);
    };
    check_game<Divercite>("divercite", 6, 3, &divercite_evaluations[0], plain_alphabeta, late);
    check_game<Divercite>("divercite, no evaluation", 4, 3, nullptr, with(plain_alphabeta, &Options::lines, 3), late);

    // Early positions share table entries with their symmetric images, which must not change any value.
    Random random(8);
    for (int plies = 0; plies < 3; ++plies) {
        const Divercite state = random_position(Divercite(DiverciteRules::find("")), plies, plies + 1, random);
        AlphaBetaOptions options = with(plain_alphabeta, &Options::lines, 2);
        const double plain =
            AlphaBeta<Divercite>(options, in_role(divercite_evaluations, &EvaluationRoles::engine), nullptr)
                .run(state, {.depth = 3}, {}, {})
                .value;
        options.symmetries = true;
        for (options.threads = 1; options.threads <= 2; ++options.threads)
            check(AlphaBeta<Divercite>(options, in_role(divercite_evaluations, &EvaluationRoles::engine), nullptr)
                          .run(state, {.depth = 3}, {}, {})
                          .value == plain,
                  "symmetries changed the value of " + state.text());
    }
}

void check_boxes() {
    const Boxes start(nullptr);
    const auto middle = [&](Random& random) { return random_position(start, 4, 10, random); };
    check_game<Boxes>("boxes", 5, 5, &boxes_evaluations[0], plain_alphabeta, middle);
    check_game<Boxes>("boxes, no evaluation", 5, 5, nullptr, with(plain_alphabeta, &Options::lines, 2), middle);
    check_game<Boxes>("boxes, extended", 8, 3, &boxes_evaluations[0], with(plain_alphabeta, &Options::extend, 4),
                      middle);
}

void check_dice() {
    const Dice start(DiceRules::find(""));
    const auto any = [&](Random& random) { return random_position(start, 0, 8, random); };
    check_game<Dice>("dice", 5, 5, &lead_in_dice, plain_alphabeta, any);
    check_game<Dice>("dice, no evaluation", 5, 5, nullptr, plain_alphabeta, any);
    check_game<Dice>("dice, bounded scores", 5, 5, &lead_in_dice, with(plain_alphabeta, &Options::win_value, 4), any);
    check_game<Dice>("dice, one generator", 5, 5, &lead_in_dice, with(plain_alphabeta, &Options::generator, 1), any);
}

template <bool Chance>
void check_thicket(const char* name) {
    const auto* evaluation = &thicket_evaluation<Chance>;
    const auto any = [](Random& random) { return random_thicket<Chance>(random); };
    check_game<Thicket<Chance>>(name, 16, 4, evaluation, plain_alphabeta, any);
    auto without_resolve = *evaluation;
    without_resolve.resolve = nullptr;
    check_game<Thicket<Chance>>(name, 12, 4, &without_resolve,
                                with(plain_alphabeta, &Options::quiescence, 2, &Options::lines, 2), any);
    check_game<Thicket<Chance>>(name, 12, 4, evaluation,
                                with(plain_alphabeta, &Options::win_value, 1, &Options::generator, 1), any);
    check_game<Thicket<Chance>>(name, 20, 4, evaluation, with(plain_alphabeta, &Options::generator, 1), any);
    check_game<Thicket<Chance>>(name, 12, 4, nullptr, plain_alphabeta, any);
    check_game<Thicket<Chance>>(name, 12, 3, evaluation,
                                with(plain_alphabeta, &Options::quiescence, 1, &Options::extend, 1), any);
    check_game<Thicket<Chance>>(name, 12, 3, evaluation,
                                with(plain_alphabeta, &Options::extend, 1, &Options::generator, 1, &Options::lines, 2),
                                any);
}

// --- What is proven, threads, limits ---

void check_proofs(int games) {
    Random random(31);
    Connect4Solver solver({.memory_mb = 8, .threads = 1, .book = nullptr});
    std::vector<std::unique_ptr<AlphaBeta<Connect4>>> searches;
    for (const int threads : {1, 2, 3})
        for (const std::size_t memory_mb : {1, 16})
            searches.push_back(std::make_unique<AlphaBeta<Connect4>>(
                with(plain_alphabeta, &Options::memory_mb, memory_mb, &Options::accept_deeper, memory_mb == 16,
                     &Options::threads, threads),
                &one_sided, nullptr));
    for (int game = 0; game < games; ++game) {
        const Connect4 state = random_position(Connect4(nullptr), 26, 36, random);
        const int outcome = solver.outcome(state);
        const auto scores = solver.move_scores(state);
        double value = 0;
        for (std::size_t i = 0; i < searches.size(); ++i) {
            const auto result = searches[i]->run(state, {}, {}, {});
            if (i == 0) value = result.value;
            check(result.proven, "a search to the end proves its value in " + state.text());
            check(result.value == value, "a proven value is the same with threads and memory in " + state.text());
            check((result.value > 0) - (result.value < 0) == outcome, "the solver agrees in " + state.text());
            check(result.moves[0].lower == outcome && result.moves[0].upper == outcome,
                  "the best move's outcome is known in " + state.text());
            check((result.moves[0].end_in > 0) == (outcome != 0), "the distance is known in " + state.text());
            if (outcome != 0)
                check(static_cast<int>(result.moves[0].line.size()) <= result.moves[0].end_in, "the line ends in time");
            for (const auto& move : result.moves) {
                const int score = *scores[move.move.column];
                check(move.lower <= (score > 0) - (score < 0) && move.upper >= (score > 0) - (score < 0),
                      "bounds hold the outcome of " + Connect4::move_text(move.move) + " in " + state.text());
            }
        }
    }
    std::printf("alpha-beta: %d solved positions clean\n", games);
}

template <bool Chance>
void check_repetition(const char* name) {
    using S = Thicket<Chance, true>;
    // Without a horizon, chance nodes could repeat forever.
    const Options plain = plain_alphabeta, quiet = with(plain, &Options::quiescence, 2, &Options::lines, 2),
                  few = with(plain, &Options::extend, Chance ? 0 : 1),
                  some = with(plain, &Options::win_value, 1, &Options::generator, 1);
    std::size_t total = 0;
    for (const Options& base : {plain, quiet, few, some})
        for (const int to_draw : {0, 2, 3})
            for (const auto ends : {Options::Ends::outcome, Options::Ends::margin}) {
                Random random(30);
                Options options = base;
                options.ends = ends;
                std::vector<Case<S>> cases;
                for (int i = 0; i < 7; ++i) {
                    const auto [state, past] = random_walk<Chance>(to_draw, random);
                    cases.emplace_back(state, 1 + i % 4, options, &thicket_evaluation<Chance, true>, past);
                }
                check_cases(cases);
                total += cases.size();
            }
    std::printf("alpha-beta on %s: %zu cases with a past clean\n", name, total);
}

void check_limits() {
    const Connect4 start(nullptr);
    for (const int quiescence : {0, 3})
        for (const std::uint64_t nodes : {1000, 1001, 5555}) {
            AlphaBeta<Connect4> search(with(plain_alphabeta, &Options::memory_mb, 1, &Options::quiescence, quiescence),
                                       &one_sided, nullptr);
            const auto result = search.run(start, {.nodes = nodes}, {}, {});
            check(result.nodes == nodes, "the limit of nodes is met exactly");
            search.forget();
            const auto again = search.run(start, {.nodes = nodes}, {}, {});
            check(again.value == result.value && again.moves[0].move == result.moves[0].move, "forget() forgets");
        }
    for (const bool deepening : {false, true})
        for (const int extend : {0, 7}) {
            AlphaBeta<Connect4> search(with(plain_alphabeta, &Options::deepening, deepening, &Options::extend, extend),
                                       &one_sided, nullptr);
            const auto result = search.run(start, {.nodes = 1, .depth = 9}, {}, {});
            check(result.depth == 1 && result.moves.size() == 7, "there is a move whatever the limits");
        }
    AlphaBeta<Connect4> together(with(plain_alphabeta, &Options::memory_mb, 1, &Options::threads, 3), &one_sided,
                                 nullptr);
    const auto result = together.run(start, {.nodes = 100'000}, {}, {});
    check(result.nodes >= 100'000 && result.nodes < 110'000, "threads meet the limit of nodes nearly");

    int watched = 0;
    together.run(start, {.depth = 5}, {},
                 [&](const auto& told) { check(told.depth == ++watched, "each depth is told"); });
    check(watched == 5, "all depths are told");

    const Poll no_poll;
    Watchdog watchdog({.seconds = 1000}, no_poll);
    int since_look = 0;
    for (int step = 0; step < 100'000; ++step) {
        ++since_look;
        watchdog.must_stop();
        if (watchdog.looked()) since_look = 0;
        check(since_look < Watchdog::most_steps, "quick steps do not put off the next look at the clock");
    }
    std::printf("alpha-beta: limits are kept\n");
}

void check_patience() {
    const Poll poll;
    // Without time left, a search goes on while its move is in doubt, and no longer.
    const Limits none{.seconds = 0, .decided = true, .seconds_in_doubt = 1000};
    Watchdog watchdog(none, poll);
    Patience patience(none, watchdog);
    check(!patience.goes_on(1, false, 1), "the first depth leaves a move in doubt");
    check(patience.goes_on(1.5, true, 1) && !watchdog.look(), "a new best move is not in doubt");
    check(!patience.goes_on(1.4, false, 1), "a small fall of the value leaves a move in doubt");
    check(patience.goes_on(0, false, 1), "a large fall of the value leaves no move in doubt");
    check(!patience.goes_on(3, false, 1) && watchdog.look(), "a rise of the value leaves a move in doubt");
    // With much time, it goes on whatever it finds, and without both limits always.
    for (const Limits& limits : {Limits{.seconds = 1000, .decided = true}, Limits{.seconds = 0}}) {
        Watchdog own(limits, poll);
        Patience endless(limits, own);
        for (int depth = 0; depth < 10; ++depth)
            check(endless.goes_on(0, false, 1), "a search stops although it has time or no patience");
    }
}

// Exceptions of poll and evaluation reach the caller from any thread, and no thread stays behind.
void check_exceptions() {
    struct Interrupt {};
    static thread_local bool is_caller = false;
    static std::atomic<bool> from_caller;
    is_caller = true;
    const Evaluation<Connect4> failing{
        .name = "failing", .help = "", .value = [](const Connect4& state, const void*, const void*, Player) -> double {
            if (is_caller == from_caller && state.ply() > 6) throw Interrupt{};
            return 0;
        }};
    for (const bool caller : {true, false}) {
        from_caller = caller;
        AlphaBeta<Connect4> search(with(plain_alphabeta, &Options::memory_mb, 1, &Options::threads, 2), &failing,
                                   nullptr);
        bool thrown = false;
        try {
            search.run(Connect4(nullptr), {}, {}, {});
        } catch (const Interrupt&) {
            thrown = true;
        }
        check(thrown, "an evaluation's exception comes out");
    }
    AlphaBeta<Connect4> search(with(plain_alphabeta, &Options::memory_mb, 1, &Options::threads, 2), nullptr, nullptr);
    bool thrown = false;
    int polls = 0;
    try {
        search.run(Connect4(nullptr), {},
                   [&] {
                       if (++polls == 5) throw Interrupt{};
                   },
                   {});
    } catch (const Interrupt&) {
        thrown = true;
    }
    check(thrown, "a poll's exception comes out");
    std::printf("alpha-beta: exceptions come out\n");
}

// A game with endless chance nodes.
struct Endless {
    struct Move {
        std::uint8_t unused;
        bool operator==(const Move&) const = default;
    };
    static constexpr std::size_t max_moves = 1, max_outcomes = 1;
    static constexpr std::array<std::string_view, 1> generators{"all"};
    static constexpr bool complete = true, repeats = false, has_chance = true;
    using Offers = OfferList<>;

    Player to_move() const { return 0; }
    int ply() const { return 0; }
    int reversible_plies() const { return 0; }
    std::uint64_t key() const { return rolling; }
    bool is_terminal() const { return false; }
    Result result() const { return {}; }
    Result result_if_stopped() const { return {}; }
    void generate(MoveList<Endless>& moves, int) const { moves.push_back({0}); }
    bool is_legal(Move) const { return !rolling; }
    Move random_move(Random&) const { return {0}; }
    void play(Move) { rolling = true; }
    std::uint32_t code(Move) const { return 0; }
    bool is_chance() const { return rolling; }
    void outcomes(OutcomeList<Endless>& list) const { list.push_back(1); }
    void resolve(int) {}

    bool rolling = false;
};

void check_endless_chance() {
    AlphaBeta<Endless> search({}, nullptr, nullptr);
    try {
        search.run(Endless{}, {}, {}, {});
    } catch (const JouteError&) {
        std::printf("alpha-beta: endless chance is refused\n");
        return;
    }
    check(false, "endless chance is refused");
}

void check_history() {
    MoveHistory<Boxes> history;
    history.add(0, 1, 1);
    history.add(0, 2, -10);  // beyond the horizon, in an extended position
    history.add(0, 3, 2);
    check(history.of(0, 2) <= history.of(0, 1) && history.of(0, 1) < history.of(0, 3),
          "a cutoff beyond the horizon counts more in the history than one before it");
}

}  // namespace

int main() {
    check_history();
    check_avalam();
    check_divercite();
    check_connect4();
    check_boxes();
    check_dice();
    check_thicket<false>("thicket");
    check_thicket<true>("thicket of chance");
    check_repetition<false>("a thicket with ways back");
    check_repetition<true>("a thicket of chance with ways back");
    check_proofs(40);
    check_limits();
    check_patience();
    check_exceptions();
    check_endless_chance();
}
