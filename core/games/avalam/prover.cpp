#include "prover.hpp"

namespace joute::avalam_live {

namespace {

// Tuned on the positions of `python -m benchmarks avalam-solver` and on some positions from games of tree searches.
constexpr int deepest_sum = 4;    // games are summed up to this total depth; beyond it, forms cost more than they save
constexpr int reply_lookup = 15;  // from this many towers on, all replies are looked up before one is searched

// Move ordering: the table's move first, then by towers taken and towers made safe, then by history.
constexpr int one_tower = 1 << 18;
constexpr int taken_weight = 4, safe_weight = 1;
constexpr std::uint32_t most_history = one_tower;
constexpr int table_move = 1 << 26;

constexpr std::uint8_t first_game = 64;  // in a table's move, game numbers start here; lower numbers are cells

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Prover::Prover(Proofs& table, const Setting& setting)
    : table_(table), setting_(setting), games_(setting.tower, setting.five, setting.games_bytes) {}

int Prover::gain(const Position& position, int need, Effort& effort) {
    effort_ = &effort;
    for (;;) try {
            Node node;
            take_towers(node, position);
            finish_key(node);
            return node.number + search(node, need - node.number);
        } catch (const TooManyGames&) {
            // The table keeps the proofs, so little work is repeated.
            games_ = Games(setting_.tower, setting_.five, setting_.games_bytes);
            --setting_.largest;
        }
}

void Prover::join(Node& node, Games::Shifted game) {
    for (;;) {
        node.number += game.number;
        if (game.id == Games::nothing) return;
        int partner = -1, depth = deepest_sum - games_[game.id].depth + 1;
        for (int i = 0; i < node.game_count; ++i)
            if (const int of_partner = games_[node.games[at(i)]].depth; of_partner < depth) {
                partner = i;
                depth = of_partner;
            }
        if (partner < 0) break;
        game = games_.sum(game.id, node.games[at(partner)], *effort_);
        node.games[at(partner)] = node.games[at(--node.game_count)];
    }
    node.games[at(node.game_count++)] = game.id;
}

void Prover::take_towers(Node& node, const Position& position) {
    Cells large = 0;
    position.each_island([&](const Position& island) {
        if (std::popcount(island.all()) <= setting_.largest) {
            join(node, games_.of_island(island, *effort_));
        } else {
            large |= island.all();
            node.key += island.shape();
        }
    });
    node.towers = position.within(large);
}

void Prover::finish_key(Node& node) const {
    node.key += setting_.salt;
    for (int i = 0; i < node.game_count; ++i) node.key += mixed(games_[node.games[at(i)]].hash + 1);
    node.key = mixed(node.key);
    if (node.key == 0) node.key = 1;
}

Prover::Bounds Prover::sure_bounds(const Node& node) const {
    const int own = std::popcount(node.towers.own), others = std::popcount(node.towers.others());
    const int fives = setting_.five * ((own + others) / 2);
    Bounds bounds{-setting_.tower * own - fives, setting_.tower * others + fives};
    for (int i = 0; i < node.game_count; ++i) {
        bounds.lower += games_[node.games[at(i)]].least;
        bounds.upper += games_[node.games[at(i)]].most;
    }
    return bounds;
}

int Prover::size(const Node& node) const {
    int size = 1 + std::popcount(node.towers.all());
    for (int i = 0; i < node.game_count; ++i) size += games_[node.games[at(i)]].depth;
    return size;
}

int Prover::search(const Node& node, int need) {
    if (!node.towers.all() && node.game_count <= 1) return node.game_count ? games_[node.games[0]].max_first : 0;
    Bounds bounds = sure_bounds(node);
    const Proof* known = table_.find(node.key);
    if (known) bounds = {std::max<int>(bounds.lower, known->lower), std::min<int>(bounds.upper, known->upper)};
    if (bounds.lower >= need) return bounds.lower;
    if (bounds.upper < need) return bounds.upper;

    Moves moves;
    list_moves(node, known, moves);
    Proof entry{.key = node.key, .size = static_cast<std::uint8_t>(size(node))};
    const int best = search_moves(node, moves, need, entry);
    (best >= need ? bounds.lower : bounds.upper) = best;
    entry.lower = static_cast<std::int16_t>(bounds.lower);
    entry.upper = static_cast<std::int16_t>(bounds.upper);
    table_.store(entry);
    return best;
}

int Prover::search_moves(const Node& node, Moves& moves, int need, Proof& entry) {
    const Node swapped = swapped_games(node);
    if (std::popcount(node.towers.all()) >= reply_lookup)
        for (std::size_t i = 0; i < moves.count; ++i) {
            Node next;
            const int gain = play(node, swapped, moves.list[i], next);
            const Proof* known = table_.find(next.key);
            if (known && gain - known->upper >= need) return gain - known->upper;
        }
    int best = -setting_.tower * AvalamRules::cells;
    for (std::size_t i = 0; i < moves.count; ++i) {
        std::size_t pick = i;
        for (std::size_t j = i + 1; j < moves.count; ++j)
            if (moves.list[j].ordering_score > moves.list[pick].ordering_score) pick = j;
        std::swap(moves.list[i], moves.list[pick]);
        const Move& move = moves.list[i];
        Node next;
        effort_->enter();
        const int gain = play(node, swapped, move, next);
        best = std::max(best, gain - search(next, gain - need + 1));
        if (best < need) continue;
        if (move.from) {
            const int corner = std::countr_zero(node.towers.all());
            entry.move[0] = static_cast<std::uint8_t>(std::countr_zero(move.from) - corner);
            entry.move[1] = static_cast<std::uint8_t>(std::countr_zero(move.to) - corner);
            reward(node.towers, move);
        } else {
            entry.move[0] = static_cast<std::uint8_t>(first_game + move.game);
            entry.move[1] = static_cast<std::uint8_t>(move.index);
        }
        break;
    }
    return best;
}

void Prover::list_moves(const Node& node, const Proof* known, Moves& moves) const {
    const auto is_new = [&](int game) {
        return std::find(node.games.begin(), node.games.begin() + game, node.games[at(game)]) ==
               node.games.begin() + game;
    };
    for (int game = 0; game < node.game_count; ++game) {
        if (!is_new(game)) continue;
        int index = 0;
        for (const Games::Option& option : games_.max_options(node.games[at(game)])) {
            // The gain is relative to the value of this game if Min moves here first.
            int ordering_score = option.gain * one_tower / setting_.tower;
            if (known && known->move[0] == first_game + game && known->move[1] == index) ordering_score += table_move;
            moves.list[moves.count++] = {0, 0, game, option, index++, ordering_score};
        }
    }
    if (!node.towers.all()) return;
    const int corner = std::countr_zero(node.towers.all());
    const bool has_move = known && known->move[0] < first_game && known->move[0] != known->move[1];
    const Cells best_from = has_move ? Cells{1} << known->move[0] << corner : 0;
    const Cells best_to = has_move ? Cells{1} << known->move[1] << corner : 0;
    node.towers.each_move([&](Cells from, Cells to) {
        const bool is_best = from == best_from && to == best_to;
        const int score = ordering_score(node.towers, from, to) + (is_best ? table_move : 0);
        moves.list[moves.count++] = {from, to, -1, {}, 0, score};
    });
}

int Prover::ordering_score(const Position& position, Cells from, Cells to) const {
    Position next = position;
    next.play(from, to);
    const auto lead = [](const Position& p) { return std::popcount(p.own) - std::popcount(p.others()); };
    const int taken = position.own & to ? -1 : 1;
    const int safe = lead(position) + taken - lead(next);
    return (taken_weight * (taken > 0) + safe_weight * safe) * one_tower +
           static_cast<int>(history_[at(std::countr_zero(from))][at(std::countr_zero(to))]);
}

void Prover::reward(const Position& position, const Move& move) {
    std::uint32_t& refuted = history(move.from, move.to);
    refuted += static_cast<std::uint32_t>(std::popcount(position.all()));
    if (refuted < most_history) return;
    for (auto& row : history_)
        for (auto& count : row) count /= 2;
}

Prover::Node Prover::swapped_games(const Node& node) {
    Node swapped;
    for (int i = 0; i < node.game_count; ++i) {
        const Games::Shifted game = games_.negative(node.games[at(i)], *effort_);
        swapped.games[at(swapped.game_count++)] = game.id;
        swapped.number += game.number;
    }
    if (node.game_count == 0) return swapped;
    // For moves in games, which do not change the towers.
    Position towers = node.towers;
    towers.swap_sides();
    const int games = swapped.game_count;
    take_towers(swapped, towers);
    swapped.game_count = games;
    return swapped;
}

int Prover::play(const Node& node, const Node& swapped, const Move& move, Node& next) {
    int gain = 0;
    if (move.from) {
        std::copy_n(swapped.games.begin(), swapped.game_count, next.games.begin());
        next.game_count = swapped.game_count;
        next.number = swapped.number;
        Position towers = node.towers;
        gain = (node.towers.own & move.to ? -setting_.tower : setting_.tower) +
               setting_.five * towers.play(move.from, move.to);
        towers.swap_sides();
        take_towers(next, towers);
    } else {
        gain = move.option.gain;
        next.towers = swapped.towers;
        next.key = swapped.key;
        for (int i = 0; i < swapped.game_count; ++i)
            if (i != move.game) next.games[at(next.game_count++)] = swapped.games[at(i)];
        // Removes the number of the replaced game.
        next.number = swapped.number + games_[node.games[at(move.game)]].max_first;
        join(next, games_.negative(move.option.id, *effort_));
    }
    finish_key(next);
    return gain - next.number;
}

}  // namespace joute::avalam_live
