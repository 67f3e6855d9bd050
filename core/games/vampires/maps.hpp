#pragma once

// The named maps of Vampires vs Werewolves, so that a game needs no file. The first is the default. All others are our
// own, modelled on maps of courses. All except arena are symmetric: bait and town about their middle row, the others
// about their centre.
//
// A text is a position at ply 0: rows x columns, then cells as count, species (v, w, h), column.row.

#include <array>
#include <string_view>

namespace joute {

struct NamedVampiresMap {
    std::string_view name;
    std::string_view text;
    std::string_view what;  // a description in one line, for users
};

inline constexpr std::array<NamedVampiresMap, 9> vampires_maps{{
    {"default", "10x10/3v5.9+3w4.0+17h6.1+2h3.2+2h0.3+8h1.3+1h3.3+1h9.4+1h0.5+1h6.6+8h8.6+2h9.6+2h6.7+17h3.8",
     "10x10, six pairs of homes, from the official generator with seed 0"},
    {"arena", "3x3/7v0.1+11w2.1+5h0.0+6h1.2",
     "3x3, few vampires who move first against many werewolves, and two houses"},
    {"hamlet", "5x6/3v4.3+3w1.1+2h4.1+2h1.3", "5x6, one small house on each side"},
    {"bait", "5x10/5v3.4+5w3.0+3h9.1+5h1.2+1h8.2+3h9.3",
     "5x10, a large house near, which only the first can have, and small ones far"},
    {"fork", "7x5/6v2.5+6w2.1+3h1.0+3h3.0+6h4.2+6h0.4+3h1.6+3h3.6",
     "7x5, two houses for each species at once, if it splits"},
    {"plains", "15x29/10v26.12+10w2.2+5h22.3+7h9.4+9h14.7+7h19.10+5h6.11", "15x29, long ways between five houses"},
    {"village",
     "8x8/5v6.7+5w1.0+2h0.0+5h2.0+1h4.0+1h5.0+1h6.0+2h7.0+3h0.1+3h2.1+3h3.1+4h4.1+3h5.1+1h6.1+2h7.1+2h1.2+"
     "3h3.2+3h5.2+3h6.2+3h7.2+4h3.3+3h5.3+3h2.4+4h4.4+3h0.5+3h1.5+3h2.5+3h4.5+2h6.5+2h0.6+1h1.6+3h2.6+4h3.6+"
     "3h4.6+3h5.6+3h7.6+2h0.7+1h1.7+1h2.7+1h3.7+5h5.7+2h7.7",
     "8x8, forty small houses"},
    {"town",
     "15x10/4v4.13+4w4.1+2h0.0+5h2.0+1h5.0+1h8.0+2h1.1+1h3.1+3h5.1+3h9.1+4h0.2+3h3.2+3h5.2+1h7.2+2h0.3+6h3.3+"
     "2h4.3+3h5.3+3h9.3+3h0.4+3h2.4+3h7.4+3h8.4+4h0.6+3h1.6+5h3.7+5h7.7+3h9.7+4h0.8+3h1.8+3h0.10+3h2.10+"
     "3h7.10+3h8.10+2h0.11+6h3.11+2h4.11+3h5.11+3h9.11+4h0.12+3h3.12+3h5.12+1h7.12+2h1.13+1h3.13+3h5.13+"
     "3h9.13+2h0.14+5h2.14+1h5.14+1h8.14",
     "15x10, forty-nine houses, some too large at first"},
    {"crowd",
     "11x11/8v8.9+8w2.1+2h0.0+2h2.0+2h4.0+2h5.0+2h6.0+2h8.0+2h9.0+2h7.1+2h9.1+2h10.1+2h0.2+2h2.2+2h10.2+2h6.4+"
     "2h8.4+2h2.6+2h4.6+2h0.8+2h8.8+2h10.8+2h0.9+2h1.9+2h3.9+2h1.10+2h2.10+2h4.10+2h5.10+2h6.10+2h8.10+2h10.10",
     "11x11, thirty houses of two"},
}};

}  // namespace joute
