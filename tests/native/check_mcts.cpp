// Runs tree searches of every kind on every game under the address and undefined-behaviour sanitizers (make sanitize):
// each part of the search alone and in random combinations, in whole games with tree reuse.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "checks.hpp"
#include "dice.hpp"
#include "games/avalam/evaluate.hpp"
#include "games/connect4/evaluate.hpp"
#include "games/divercite/evaluate.hpp"
#include "plain_options.hpp"
#include "search/mcts/mcts.hpp"
#include "thicket.hpp"

using namespace joute;

namespace {

int searches = 0;

// Random options; some combinations are refused.
MctsOptions any_options(Random& random) {
    const auto coin = [&] { return random.below(2) == 1; };
    MctsOptions options = plain_mcts;
    options.bonus = any_of<Bonus>(random, 4);
    options.c = random.uniform();
    options.amaf = coin();
    options.ref = random.below(20);
    options.schedule = any_of<Schedule>(random, 3);
    options.amaf_key = any_of<AmafKey>(random, 2);
    options.priors = any_of<Priors>(random, 2);
    options.untried_first = coin();
    options.expand = any_of<UntriedOrder>(random, 2);
    options.playout.moves = any_of<PlayoutMoves>(random, 5);
    options.playout.tactics = any_of<Tactics>(random, 4);
    options.playout.max_plies = coin() ? 1000 : 5;
    options.mix = random.below(3) / 2.0;
    options.implicit = random.below(3) / 2.0;
    options.reward = any_of<Reward>(random, 4);
    options.margin_scale = 4;
    options.credit = any_of<Credit>(random, 2);
    options.expand_finished = random.below(4) == 0;
    options.solver = any_of<Solver>(random, 3);
    options.decisive = coin();
    options.reuse = coin();
    options.final_move = any_of<FinalMove>(random, 3);
    options.memory_mb = coin() ? 1 : 8;
    options.seed = random.next();
    return options;
}

// Plays a game with one search, which reuses its tree.
template <Game S>
void play_game(Mcts<S>& search, const MctsOptions& options, S state, Random& random) {
    while (!state.is_terminal()) {
        Limits limits;
        limits.iterations = 1 + random.below(300);
        const auto result = search.run(state, limits, {}, {});
        MoveList<S> moves;
        state.generate(moves, 0);
        check(result.moves.size() == moves.size(), "a result for every move");
        check(state.is_legal(result.moves[0].move), "a legal move");
        check(result.iterations <= limits.iterations, "the limit of iterations");
        std::uint64_t visits = 0;
        for (const auto& move : result.moves) {
            check(move.lower <= move.upper, "bounds in order");
            check(!move.line.empty() && move.line[0] == move.move, "a line that begins with its move");
            visits += move.visits;
        }
        if (!options.reuse) check(visits == result.iterations, "a visit for every simulation");
        state.play(result.moves[0].move);
        settle_chance(state, random);
        ++searches;
    }
}

template <Game S>
void check_game(const Evaluation<S>* evaluation, int games) {
    Random random(30);
    for (int game = 0; game < games; ++game) {
        const MctsOptions options = any_options(random);
        try {
            Mcts<S> search(options, evaluation, nullptr);
            play_game(search, options, S(S::Rules::find("")), random);
            search.forget();
            play_game(search, options, S(S::Rules::find("")), random);
        } catch (const JouteError&) {
            // These options exclude each other or do not fit this game.
        }
    }
}

using Ways = Thicket<false, true>;

// The value of a position for the first player. `line` holds the keys before it, of which the first `past` are game
// history.
int worth(const Ways& state, std::vector<std::uint64_t>& line, std::size_t past) {
    if (state.is_terminal()) return state.result().outcome;
    const auto came = [&](std::size_t first) {
        return std::count(line.begin() + static_cast<std::ptrdiff_t>(first), line.end(), state.repetition_key());
    };
    if (line.size() > past && (came(past) > 0 || came(0) + 1 >= state.repetitions_to_draw())) return 0;
    MoveList<Ways> moves;
    state.generate(moves, 0);
    int best = state.to_move() == 0 ? -1 : 1;
    line.push_back(state.repetition_key());
    for (const auto move : moves) {
        Ways next = state;
        next.play(move);
        const int found = worth(next, line, past);
        best = state.to_move() == 0 ? std::max(best, found) : std::min(best, found);
    }
    line.pop_back();
    return best;
}

// Whole games with repetition and tree reuse: everything proven must be true.
void check_repetition(int games) {
    Random random(8);
    int proven = 0;
    for (int game = 0; game < games; ++game) {
        MctsOptions options = with(plain_mcts, &MctsOptions::solver, game % 2 ? Solver::choose : Solver::prune);
        options.reuse = true;
        options.decisive = game % 3 == 0;
        options.seed = random.next();
        Mcts<Ways> search(options, nullptr, nullptr);
        Ways state(random.next() % 50, random.below(Ways::nodes), 3);
        std::vector<std::uint64_t> past;
        const auto is_over = [&] {
            return state.is_terminal() || std::count(past.begin(), past.end(), state.repetition_key()) >= 2;
        };
        for (int ply = 0; ply < 12 && !is_over(); ++ply) {
            Limits limits;
            limits.iterations = 1 + random.below(400);
            const auto result = search.run_after(past, state, limits, {}, {});
            std::vector<std::uint64_t> line = past;
            line.push_back(state.repetition_key());
            for (const auto& move : result.moves) {
                Ways next = state;
                next.play(move.move);
                const int truth =
                    state.to_move() == 0 ? worth(next, line, past.size()) : -worth(next, line, past.size());
                check(move.lower <= truth && truth <= move.upper, "what is proven where positions come back");
                proven += move.lower == move.upper;
            }
            past.push_back(state.repetition_key());
            state.play(result.moves[random.below(static_cast<std::uint32_t>(result.moves.size()))].move);
            if (state.reversible_plies() == 0) past.clear();
            ++searches;
        }
    }
    check(proven > games, "something is proven where positions come back");
}

// Tree reuse asks often whether it takes too long; then the search starts with an empty tree.
void check_giving_up() {
    const auto options = with(plain_mcts, &MctsOptions::reuse, true, &MctsOptions::amaf, true,
                              &MctsOptions::untried_first, false, &MctsOptions::memory_mb, 64);
    const Connect4 state(Connect4Rules::find(""));
    Connect4 next = state;
    next.play({3});
    for (const int limit : {0, 1, 3, 1 << 20}) {  // questions before the answer is yes
        MctsWorker<Connect4> worker(options, nullptr, nullptr, 1, std::size_t{64} << 20);
        int asked = 0;
        const auto give_up = [&] { return asked++ >= limit; };
        worker.start(state, {}, give_up);
        while (worker.tree().size() < 100'000) worker.iterate();
        const std::size_t before = worker.tree().size();
        worker.start(next, {}, give_up);
        const std::size_t after = worker.tree().size();
        check(after < before && (after > 1) == (limit > 3), "a tree is kept, or dropped at once if it takes too long");
        check(limit < 4 || asked > static_cast<int>(before / 5000), "tree reuse asks often whether it takes too long");
        worker.iterate();
        check(worker.tree()[0].visits > 0, "a search after a dropped tree goes on");
    }
}

}  // namespace

int main() {
    check_giving_up();
    check_game<Avalam>(&avalam_evaluations[0], 12);
    check_game<Connect4>(&connect4_evaluations[1], 120);
    check_game<Divercite>(&divercite_evaluations[0], 6);
    check_game<Boxes>(&boxes_evaluations[0], 200);
    check_game<Dice>(nullptr, 200);
    check_repetition(200);
    check(searches > 1000, "more than a thousand searches");
    std::printf("%d tree searches\n", searches);
}
