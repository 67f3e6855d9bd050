// The solver's threads under the thread sanitizer (make sanitize).

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "search/connect4_solver.hpp"

using namespace joute;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "connect4 threads: %s does not hold\n", what);
    std::exit(1);
}

}  // namespace

int main() {
    // Long enough for the threads to share the work: a short search runs alone.
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
    std::printf("connect4 threads: clean\n");
}
