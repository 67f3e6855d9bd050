#pragma once

// The memory of Monte-Carlo tree search: nodes in one flat pool, the children of a node side by side.
//
// Children always come after their parent in the pool, so `keep_subtree` can compact a subtree in place, in one forward
// pass, after a move is played. The pool is mapped at its maximum size, and its pages are touched as it fills, so a
// small search uses little memory. When the pool is full, the search goes on without expanding the tree.

#include <algorithm>
#include <limits>
#include <vector>

#include "../../base/huge_array.hpp"
#include "../../game.hpp"

namespace joute {

// Bounds on the outcome under best play, for the first player (score-bounded search, Cazenave & Saffidine 2010).
struct Bounds {
    std::int8_t lower = -1, upper = 1;

    bool solved() const { return lower == upper; }
    int lower_for(Player player) const { return player == 0 ? lower : -upper; }
    int upper_for(Player player) const { return player == 0 ? upper : -lower; }
    bool operator==(const Bounds&) const = default;
};

template <class Move>
struct MctsNode {
    enum class Kind : std::uint8_t { unknown, open, chance, finished };

    double total = 0;    // sum of rewards, for the player who moved here (at the root of a search: who is to move)
    double squares = 0;  // sum of squared rewards
    std::uint32_t visits = 0;
    std::uint32_t first_child = 0;  // 0: none, since the root is no child
    std::uint32_t parent = 0;
    std::uint16_t children = 0;
    Bounds bounds;
    Kind kind = Kind::unknown;
    Move move;  // the move that leads here; unset for the outcome of a random event

    double mean() const { return total / visits; }
};

// All-moves-as-first statistics of one move code.
struct Amaf {
    std::uint32_t visits;
    float total;
    double mean() const { return static_cast<double>(total) / visits; }
    void add(float reward) {
        total += reward;
        // A float cannot count beyond 2^24 in steps of 1. Halving both before that keeps the mean.
        if (++visits == 1u << 23) {
            visits /= 2;
            total /= 2;
        }
    }
};

template <class Move>
class MctsTree {
public:
    using Node = MctsNode<Move>;
    using Index = std::uint32_t;
    static constexpr Index root = 0;
    static constexpr Index none = std::numeric_limits<Index>::max();

    // `amaf_slots` is the size of a node's table of AMAF statistics; 0: no tables.
    MctsTree(std::size_t memory_bytes, std::size_t amaf_slots, bool with_priors, bool with_implicit_values)
        : memory_bytes_(memory_bytes), amaf_slots_(amaf_slots) {
        node_bytes_ = sizeof(Node) + (amaf_slots ? sizeof(Link) : 0) + (with_priors ? sizeof(float) : 0) +
                      (with_implicit_values ? sizeof(float) : 0);
        const auto most_nodes = std::clamp<std::size_t>(memory_bytes / node_bytes_, 2, none - 1);
        // Each array may waste most of its last page, so huge pages are used only with at least 32 MB.
        const bool huge_pages = memory_bytes >= std::size_t{32} << 20;
        nodes_ = HugeArray<Node>(most_nodes, huge_pages);
        if (amaf_slots) {
            links_ = HugeArray<Link>(most_nodes, huge_pages);
            tables_ = HugeArray<Amaf>(std::max<std::size_t>(memory_bytes / table_bytes(), 1) * amaf_slots, huge_pages);
        }
        if (with_priors) priors_ = HugeArray<float>(most_nodes, huge_pages);
        if (with_implicit_values) implicit_values_ = HugeArray<float>(most_nodes, huge_pages);
        clear();
    }

    Node& operator[](Index index) const { return nodes_[index]; }
    std::size_t size() const { return used_nodes_; }

    void clear() {
        used_nodes_ = 1;
        used_tables_ = 0;
        touched_nodes_ = std::max<std::size_t>(touched_nodes_, 1);
        nodes_[root] = Node{};
        if (amaf_slots_) links_[root] = Link{};
    }

    bool has_room_for(std::size_t children) const {
        return bytes_of(1 + children, amaf_slots_ ? 1 : 0) <= memory_bytes_;
    }

    // Allocates the children of a node and its AMAF table. Returns false if memory is full.
    bool add_children(Index parent, std::size_t count) {
        const std::size_t nodes = std::max(touched_nodes_, used_nodes_ + count);
        const std::size_t tables = amaf_slots_ ? std::max(touched_tables_, used_tables_ + 1) : 0;
        if (nodes > nodes_.size() || bytes_of(nodes, tables) > memory_bytes_) return false;
        touched_nodes_ = nodes;
        touched_tables_ = tables;
        const auto first = static_cast<Index>(used_nodes_);
        nodes_[parent].first_child = first;
        nodes_[parent].children = static_cast<std::uint16_t>(count);
        for (Index child = first; child < first + count; ++child) {
            nodes_[child] = Node{};
            nodes_[child].parent = parent;
            if (amaf_slots_) links_[child] = Link{};
        }
        used_nodes_ += count;
        if (amaf_slots_) {
            links_[parent].table = static_cast<std::uint32_t>(used_tables_++);
            std::fill_n(amaf(parent), amaf_slots_, Amaf{});
        }
        return true;
    }

    // The AMAF table of a node with children.
    Amaf* amaf(Index node) const { return &tables_[links_[node].table * amaf_slots_]; }
    std::uint32_t& slot(Index node) const { return links_[node].slot; }
    float& prior(Index node) const { return priors_[node]; }
    // The evaluation of a node as a share of wins, for the player who moved to it, backed up by minimax.
    float& implicit_value(Index node) const { return implicit_values_[node]; }

    // Makes a node the root and drops all nodes that do not descend from it. Returns false if give_up() says so, which
    // it asks from time to time; the tree must then be cleared.
    template <class GiveUp>
    bool keep_subtree(Index new_root, const GiveUp& give_up) {
        if (new_root == root) return true;
        const auto is_in_vain = [&](Index i) { return i % nodes_between_looks == 0 && give_up(); };
        std::vector<bool> live(used_nodes_);
        live[new_root] = true;
        for (Index i = new_root; i < used_nodes_; ++i) {
            if (is_in_vain(i)) return false;
            if (!live[i]) continue;
            for (Index child = 0; child < nodes_[i].children; ++child) live[nodes_[i].first_child + child] = true;
        }
        Index free = root;
        for (Index i = new_root; i < used_nodes_; ++i) {
            if (is_in_vain(i)) return false;
            if (!live[i]) continue;
            move_node(i, free);
            ++free;
        }
        nodes_[root].parent = root;
        used_nodes_ = free;
        return !amaf_slots_ || compact_tables(give_up);
    }

private:
    struct Link {
        std::uint32_t slot = 0;   // slot of the node's move in AMAF tables
        std::uint32_t table = 0;  // index of the node's own table
    };

    std::size_t table_bytes() const { return amaf_slots_ * sizeof(Amaf); }
    // Memory that so many nodes and tables take from the system.
    std::size_t bytes_of(std::size_t nodes, std::size_t tables) const {
        std::size_t bytes = nodes_.bytes_of(nodes);
        if (amaf_slots_) bytes += links_.bytes_of(nodes) + tables_.bytes_of(tables * amaf_slots_);
        if (priors_.size()) bytes += priors_.bytes_of(nodes);
        if (implicit_values_.size()) bytes += implicit_values_.bytes_of(nodes);
        return bytes;
    }

    // Moves a node to a lower index. Its children have higher indices and have not moved yet.
    void move_node(Index from, Index to) {
        nodes_[to] = nodes_[from];
        if (amaf_slots_) links_[to] = links_[from];
        if (priors_.size()) priors_[to] = priors_[from];
        if (implicit_values_.size()) implicit_values_[to] = implicit_values_[from];
        Node& node = nodes_[to];
        if (to != root && nodes_[node.parent].first_child == from) nodes_[node.parent].first_child = to;
        for (Index child = 0; child < node.children; ++child) nodes_[node.first_child + child].parent = to;
    }

    // Moves the tables that are still used to the front, in their order, so that none is overwritten before it moves.
    template <class GiveUp>
    bool compact_tables(const GiveUp& give_up) {
        std::vector<Index> owners(used_tables_, none);
        for (Index i = 0; i < used_nodes_; ++i)
            if (nodes_[i].children) owners[links_[i].table] = i;
        used_tables_ = 0;
        for (std::size_t table = 0; table < owners.size(); ++table) {
            if (table % tables_between_looks == 0 && give_up()) return false;
            if (owners[table] == none) continue;
            const Amaf* from = amaf(owners[table]);
            links_[owners[table]].table = static_cast<std::uint32_t>(used_tables_++);
            std::copy_n(from, amaf_slots_, amaf(owners[table]));
        }
        return true;
    }

    // Each about 50 microseconds of work.
    static constexpr Index nodes_between_looks = 4096;
    static constexpr std::size_t tables_between_looks = 64;

    std::size_t memory_bytes_, amaf_slots_, node_bytes_;
    std::size_t used_nodes_ = 0, used_tables_ = 0;
    // The maxima so far: pages once touched stay with the process.
    std::size_t touched_nodes_ = 0, touched_tables_ = 0;
    HugeArray<Node> nodes_;
    HugeArray<Link> links_;
    HugeArray<Amaf> tables_;
    HugeArray<float> priors_, implicit_values_;
};

}  // namespace joute
