// Runs the threads of the searches under the thread sanitizer (make sanitize).

#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "games/connect4/evaluate.hpp"
#include "games/connect4/solver.hpp"
#include "plain_options.hpp"
#include "random_network.hpp"
#include "search/alphabeta/alphabeta.hpp"
#include "search/mcts/mcts.hpp"
#include "selfplay/environments.hpp"
#include "selfplay/replay_window.hpp"

using namespace joute;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "threads: %s does not hold\n", what);
    std::exit(1);
}

void check_solver() {
    // Long enough for the threads to share the work: a short search runs on one thread.
    constexpr std::uint64_t shared_nodes = 400'000;
    const Connect4 opening = Connect4::from_text(Connect4Rules::find(""), "41752345");
    Connect4Solver alone({.memory_mb = 16, .threads = 1, .book = nullptr});
    Connect4Solver together({.memory_mb = 16, .threads = 3, .book = nullptr});
    check(alone.score(opening) == together.score(opening), "the same score with threads");
    check(together.nodes() > shared_nodes, "a search that is long enough");

    // Many positions at once, and two callers of one solver.
    std::vector<connect4::Position> positions;
    std::vector<int> scores;
    for (const char* text : {"3352142533161", "1234567123456", "4444441122533", "7612345554321"}) {
        const Connect4 state = Connect4::from_text(Connect4Rules::find(""), text);
        positions.emplace_back(state);
        scores.push_back(alone.score(state));
    }
    const auto batch = together.scores(positions);
    check(std::vector<int>(batch.begin(), batch.end()) == scores, "the same scores in a batch");
    std::printf("connect4 solver's threads: clean\n");
}

// A small table, so that threads write the same entries.
void check_alphabeta() {
    const Connect4 state = Connect4::from_text(Connect4Rules::find(""), "44444132");
    const auto small = with(plain_alphabeta, &AlphaBetaOptions::memory_mb, 1);
    AlphaBeta<Connect4> alone(small, &connect4_evaluations[0], nullptr);
    AlphaBeta<Connect4> together(with(small, &AlphaBetaOptions::threads, 2), &connect4_evaluations[0], nullptr);
    const Limits limits{.depth = 11};
    const auto expected = alone.run(state, limits, {}, {}), result = together.run(state, limits, {}, {});
    check(result.value == expected.value, "alpha-beta finds the same value with threads");
    check(result.moves[0].move == expected.moves[0].move, "alpha-beta finds the same move with threads");
    std::printf("alpha-beta's threads: clean\n");
}

// Separate trees, so that the result does not depend on a race; and a solved tree that ends all threads.
void check_mcts() {
    const auto* rules = Connect4Rules::find("");
    const auto options =
        with(plain_mcts, &MctsOptions::solver, Solver::choose, &MctsOptions::threads, 3, &MctsOptions::memory_mb, 8);
    Mcts<Connect4> search(options, nullptr, nullptr), again(options, nullptr, nullptr);
    const Limits limits{.iterations = 3000};
    const auto result = search.run(Connect4(rules), limits, {}, {}), same = again.run(Connect4(rules), limits, {}, {});
    check(result.iterations == 3000, "every simulation is made");
    for (std::size_t i = 0; i < result.moves.size(); ++i)
        check(result.moves[i].move == same.moves[i].move && result.moves[i].visits == same.moves[i].visits,
              "the same result again");
    const Connect4 late = Connect4::from_text(rules, "6557565545443372322221121131");
    check(search.run(late, {}, {}, {}).proven, "a late position is solved");
    std::printf("MCTS's threads: clean\n");
}

// Two pools that alternate, and a batch of searches; the number of threads must not change any game.
void check_self_play() {
    const std::vector starts{Connect4(Connect4Rules::find(""))};
    std::vector<Bytes> records;
    std::set<std::vector<std::uint8_t>> samples;
    for (const int threads : {1, 3}) {
        const auto options = with(plain_self_play, &SelfPlayOptions::games, 100, &SelfPlayOptions::threads, threads);
        const PositionWriter<Connect4> writer(InputFrame<Connect4>::of(starts[0]));
        RandomNetwork<Connect4> network(writer, 100), other(writer, 100), third(writer, 100);
        SelfPlay<Connect4> first(options, starts, {}), second(options, starts, {});
        network.attach(first);
        other.attach(second);
        for (int step = 0; step < 150; ++step) {
            first.start();
            second.start();
            first.wait();
            network.answer();
            second.wait();
            other.answer();
        }
        records.push_back(first.take_games());
        check(records.back() == second.take_games(), "pools do not meddle with each other");
        first.start();  // without wait(): a pool may be destroyed while it works
        check(!records.back().empty() && records.front() == records.back(), "the same games with threads");

        ReplayWindow<Connect4> window(starts, {},
                                      {.capacity = 5000,
                                       .generator = 0,
                                       .search_share = 0,
                                       .surprise_share = 0.5,
                                       .endings = false,
                                       .threads = threads});
        window.add(records.back());
        std::vector<std::uint8_t> planes(64 * static_cast<std::size_t>(writer.input_size()));
        std::vector<std::int16_t> legal(64 * Connect4::max_moves);
        std::vector<float> policy(64 * Connect4::max_moves), wdl(64 * 3), margin(64);
        window.sample(64, 1, {planes.data(), legal.data(), policy.data(), wdl.data(), margin.data()});
        samples.insert(planes);
        check(samples.size() == 1, "the same batch for the learner with threads");

        BatchSearch<Connect4> searches(options, starts[0]);
        third.attach(searches);
        searches.begin(std::vector(50, starts[0]));
        while (searches.collect() > 0) {
            third.answer();
            searches.deliver();
        }
        check(searches.results().size() == 50, "every search ends");
    }
    std::printf("self-play's threads: clean\n");
}

// A batch of games for a learner.
void check_environments() {
    constexpr int games = 50;
    Environments<Connect4> environments({.games = games, .threads = 3}, {Connect4(Connect4Rules::find(""))});
    const auto size = static_cast<std::size_t>(environments.shape().size());
    std::vector<std::uint8_t> planes(games * size), mask(games * environments.actions()), terminated(games),
        truncated(games), final_planes(games * size);
    std::vector<std::int8_t> to_move(games);
    std::vector<float> rewards(games);
    std::vector<std::int64_t> actions(games);
    const EnvironmentArrays arrays{planes.data(),     mask.data(),      to_move.data(),     rewards.data(),
                                   terminated.data(), truncated.data(), final_planes.data()};
    environments.seed(1);
    environments.reset(nullptr, arrays);
    for (int step = 0; step < 200; ++step) {
        environments.random_actions(actions.data());
        check(environments.step(actions.data(), arrays) == games, "a legal action in every game");
    }
    std::printf("environments' threads: clean\n");
}

}  // namespace

int main() {
    check_solver();
    check_alphabeta();
    check_environments();
    check_mcts();
    check_self_play();
}
