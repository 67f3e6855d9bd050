#pragma once

// Tree reuse: finds the new root in the tree of the last search, so that the next search starts with its statistics.

#include "../line_keys.hpp"
#include "tree.hpp"

namespace joute {

template <Playable S, class GiveUp>
class TreeFinder {
public:
    using Tree = MctsTree<typename S::Move>;
    using Index = typename Tree::Index;

    TreeFinder(const Tree& tree, const S& root, const S& wanted, Past past, const GiveUp& give_up)
        : tree_(tree),
          wanted_(wanted),
          past_(past),
          give_up_(give_up),
          root_ply_(root.ply()),
          plies_(wanted.ply() - root.ply()) {}

    // The node of the wanted position at or below `node`, whose position is `state`; `none` if it is not in the tree.
    Index find(const S& state, Index node) {
        if (!is_chance(state) && state.ply() == wanted_.ply()) return state.key() == wanted_.key() ? node : Tree::none;
        if (state.ply() > wanted_.ply()) return Tree::none;
        if (!LineKeys<S>::agrees(past_, plies_, state.ply() - root_ply_, state)) return Tree::none;
        const auto& n = tree_[node];
        for (Index i = 0; i < n.children && looks_ > 0; ++i) {
            const Index child = n.first_child + i;
            if (!tree_[child].visits) continue;
            if (--looks_ % looks_between_questions == 0 && give_up_()) looks_ = 0;
            S next = state;
            enter(next, node, i);
            if (const Index found = find(next, child); found != Tree::none) return found;
        }
        return Tree::none;
    }

private:
    void enter(S& state, Index node, Index i) const {
        if constexpr (S::has_chance)
            if (tree_[node].kind == MctsNode<typename S::Move>::Kind::chance) return state.resolve(static_cast<int>(i));
        state.play(tree_[tree_[node].first_child + i].move);
    }

    static constexpr int looks_between_questions = 64;

    const Tree& tree_;
    const S& wanted_;
    Past past_;
    const GiveUp& give_up_;
    int root_ply_, plies_;
    int looks_ = 20'000;  // limit on the nodes tried, which bounds the time of the lookup
};

// The node of `wanted`, a position at most 4 plies after the root of the tree; `none` if it is not in the tree. `keys`
// are the line keys of the root, `past` is the game's history before `wanted`. Ends the search early if give_up() says
// so.
template <Playable S, class GiveUp>
typename MctsTree<typename S::Move>::Index find_in_tree(const MctsTree<typename S::Move>& tree, const S& root,
                                                        const LineKeys<S>& keys, const S& wanted, Past past,
                                                        const GiveUp& give_up) {
    using Tree = MctsTree<typename S::Move>;
    constexpr int most_plies = 4;
    const int plies = wanted.ply() - root.ply();
    if (plies < 0 || plies > most_plies || !keys.agrees(past, plies)) return Tree::none;
    return TreeFinder<S, GiveUp>(tree, root, wanted, past, give_up).find(root, Tree::root);
}

}  // namespace joute
