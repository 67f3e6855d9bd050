// Self-play of the toys and Connect Four with a network that answers at random, and its damaged files, under the
// address and undefined-behaviour sanitizers (make sanitize).

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "dice.hpp"
#include "games/connect4/connect4.hpp"
#include "games/vampires/frame.hpp"
#include "plain_options.hpp"
#include "random_network.hpp"
#include "search/network/search.hpp"
#include "selfplay/replay_window.hpp"
#include "tictactoe.hpp"

using namespace joute;

namespace {

template <NetworkGame S>
void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "self-play of %s: %s does not hold\n", std::string(S::name).c_str(), what);
    std::exit(1);
}

// The start positions of self-play: for a game with boards of many sizes, boards of several.
template <NetworkGame S>
std::vector<InPlay<S>> starts_of() {
    return {InPlay<S>(S::Rules::find(""))};
}
template <>
std::vector<Vampires> starts_of<Vampires>() {
    std::vector<Vampires> starts;
    for (const auto* text : {"3x4/6v0.0+6w3.2+3h1.1+4h2.1", "7x5/9v0.0+9w4.6+3h1.1+8h3.3+2h0.5/12", "2x2/4v0.0+4w1.1"})
        starts.push_back(Vampires::from_text(VampiresRules::find(""), text));
    return starts;
}
template <NetworkGame S>
constexpr FrameChoice frame_of{};
template <>
constexpr FrameChoice frame_of<Vampires>{.encoding = 0, .rows = 9, .columns = 9};

template <NetworkGame S>
ReplayWindow<S> window_of() {
    return ReplayWindow<S>(starts_of<S>(), frame_of<S>,
                           {.capacity = 300,
                            .generator = 0,
                            .search_share = 0.3,
                            .surprise_share = 0,
                            .endings = ending_planes<S> > 0,
                            .threads = 1});
}

template <NetworkGame S>
void check_window(const Bytes& records, std::uint64_t games) {
    auto window = window_of<S>();
    const std::size_t added = window.add(records);
    check<S>(window.games_in(records) == games, "records hold the games that were played");
    check<S>(window.size() == std::min<std::size_t>(added, 300), "a window holds what it has room for");
    constexpr std::size_t batch = 64, width = PositionWriter<S>::width;
    const auto input = static_cast<std::size_t>(window.writer().input_size());
    std::vector<std::uint8_t> planes(batch * input);
    std::vector<std::int16_t> legal(batch * width * policy_parts<S>);
    std::vector<float> policy(batch * width), wdl(batch * 3), margin(batch);
    window.sample(batch, 1, {planes.data(), legal.data(), policy.data(), wdl.data(), margin.data()});
    for (std::size_t row = 0; row < batch; ++row) {
        float sum = 0;
        for (std::size_t i = 0; i < width; ++i) sum += policy[row * width + i];
        check<S>(sum > 0.999f && sum < 1.001f, "a target sums to one");
    }
}

// Bytes from a file may be anything: the reader must accept or refuse them, without undefined behaviour.
template <NetworkGame S, class Read>
void check_damage(const Bytes& bytes, Random& random, const Read& read) {
    for (int i = 0; i < 300; ++i) {
        Bytes damaged = bytes;
        for (std::uint32_t left = random.below(4) + 1; left > 0; --left)
            damaged[random.below(static_cast<std::uint32_t>(damaged.size()))] =
                static_cast<std::uint8_t>(random.below(256));
        if (random.below(4) == 0) damaged.resize(random.below(static_cast<std::uint32_t>(damaged.size())));
        try {
            read(damaged);
        } catch (const JouteError&) {
        }
    }
}

template <NetworkGame S>
void check_self_play(SelfPlayOptions::Kind search) {
    SelfPlayOptions options = plain_self_play;
    options.search = search;
    options.simulations = 12;
    options.full_share = 0.6;
    options.random_share = 0.5;
    options.random_plies = 4;
    options.max_plies = 60;
    options.few_outcomes = 2;
    options.frame = frame_of<S>;
    SelfPlay<S> pool(options, starts_of<S>(), {});
    RandomNetwork<S> network(pool.writer(), 40);
    network.attach(pool);
    if (search == SelfPlayOptions::Kind::puct) pool.set_version(70'000);
    for (int step = 0; step < 300; ++step) network.step(pool);
    const Bytes records = pool.take_games();
    check_window<S>(records, pool.counters().games);

    const Bytes saved = pool.save();
    SelfPlay<S> other(options, starts_of<S>(), {});
    network.attach(other);
    network.step(other);
    other.load(saved);
    check<S>(other.save() == saved, "what was loaded is saved alike");
    Random random(5);
    check_damage<S>(saved, random, [&](const Bytes& damaged) { other.load(damaged); });
    network.step(other);
    check_damage<S>(records, random, [&](const Bytes& damaged) {
        auto window = window_of<S>();
        window.add(damaged);
    });
    std::printf("self-play of %s: %d games clean\n", std::string(S::name).c_str(),
                static_cast<int>(pool.counters().games));
}

// The network search, with several leaves at a time and tree reuse from move to move.
template <NetworkGame S>
void check_play() {
    Random random(6);
    NetworkSearch<S> search(plain_network_search, [&](NetworkRequest& request) {
        for (float& prior : request.priors) prior = static_cast<float>(random.uniform());
        for (float& value : request.values) value = static_cast<float>(2 * random.uniform() - 1);
    });
    for (int game = 0; game < 4; ++game) {
        InPlay<S> state(S::Rules::find(""));
        while (!state.is_terminal() && state.ply() < 60) {
            const auto result = search.run_after(RootSearch<S>::past_of(state), state, {.iterations = 60}, {}, {});
            check<S>(state.is_legal(result.moves[0].move), "a legal move");
            state.play(result.moves[0].move);
            settle_chance(state, random);
        }
    }
    std::printf("network search of %s: clean\n", std::string(S::name).c_str());
}

}  // namespace

int main() {
    using Kind = SelfPlayOptions::Kind;
    check_self_play<TicTacToe>(Kind::gumbel);
    check_self_play<Boxes>(Kind::puct);
    check_self_play<Dice>(Kind::gumbel);
    check_self_play<Connect4>(Kind::gumbel);
    check_self_play<Vampires>(Kind::gumbel);
    check_self_play<Vampires>(Kind::puct);
    check_play<Dice>();
    check_play<Connect4>();
    check_play<Vampires>();
}
