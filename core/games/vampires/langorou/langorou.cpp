#include "langorou.hpp"

#include <algorithm>
#include <stdexcept>

#include "worker.hpp"

namespace joute {

struct Langorou::Knowledge {
    Knowledge(const LangorouOptions& options, const VampiresRules* of)
        : rules(of), battles(options, foreseen(options, *of)), heuristic(options.weights, foreseen(options, *of)) {}
    // The paper's program uses the battle rules of the official server for every game.
    static VampiresBattleRules foreseen(const LangorouOptions& options, const VampiresRules& rules) {
        return options.chance == LangorouOptions::Chance::exact ? rules.battles : VampiresBattleRules{};
    }

    const VampiresRules* rules;
    LangorouBattles battles;
    LangorouHeuristic heuristic;
};

namespace {

// The playable part of a line: a search that rounds battles and ignores the ply limit continues past random battles and
// past the end of the game.
std::vector<VampiresTurn> playable(Vampires state, const std::vector<VampiresTurn>& line) {
    std::vector<VampiresTurn> played;
    for (const VampiresTurn& turn : line) {
        if (!state.is_legal(turn)) break;
        played.push_back(turn);
        state.play(turn);
    }
    return played;
}

}  // namespace

Langorou::Langorou(const LangorouOptions& options) : options_(options) {
    if (options.windows != LangorouOptions::Windows::shared && options.scale == LangorouOptions::Scale::raw)
        throw std::invalid_argument("windows=star1 and windows=star2 need scale=bounded");
    if (options.bins < 2) throw std::invalid_argument("bins must be at least 2");
    if (options.lines < 1) throw std::invalid_argument("lines must be at least 1");
}

Langorou::~Langorou() = default;

Langorou::SearchResult Langorou::run(const Vampires& root, const Limits& limits, const Poll& poll, const Watch& watch) {
    Watchdog watchdog(limits, poll);
    if (!knowledge_ || knowledge_->rules != root.rules())
        knowledge_ = std::make_unique<Knowledge>(options_, root.rules());
    LangorouWorker worker(options_, knowledge_->battles, knowledge_->heuristic, root, limits, watchdog);
    SearchResult result;
    const auto tell = [&](int depth) {
        result.moves.clear();
        for (const auto& found : worker.root())
            result.moves.push_back({.move = found.turn,
                                    .value = found.value,
                                    .is_exact = found.is_exact,
                                    .visits = found.nodes,
                                    .line = playable(root, found.line)});
        if (!result.moves.empty()) result.value = result.moves[0].value;
        result.depth = depth;
        result.nodes = worker.nodes();
        if (watch && depth > 0) watch(result);
    };
    try {
        for (int depth = 1; depth <= std::clamp(limits.depth, 1, LangorouWorker::most_depth); ++depth) {
            worker.iterate(depth);
            tell(depth);
            if (!worker.saw_horizon()) break;
        }
    } catch (const Stopped&) {
        if (result.depth == 0) {
            worker.sort_unfinished();
            tell(0);
        }
    }
    result.nodes = worker.nodes();
    result.table_looks = worker.table().looks();
    result.table_hits = worker.table().hits();
    return result;
}

}  // namespace joute
