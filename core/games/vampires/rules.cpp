#include "rules.hpp"

#include <array>
#include <charconv>

#include "../../base/quote.hpp"
#include "maps.hpp"

namespace joute {

namespace {

constexpr std::array<std::string_view, 5> profiles{"official", "official-2019", "text-strict", "twilight-succo",
                                                   "twilight-langorou"};
constexpr int most_plies = 9999;
constexpr std::string_view default_map = vampires_maps[0].name;

std::string text_of(const VampiresBoard& board) {
    return vampires_text(board.rows, board.columns, board.cells.data(), board.cells.data() + board.cells.size(),
                         board.attacking, board.ply);
}

VampiresBoard start_of(std::string_view map) {
    for (const auto& known : vampires_maps)
        if (known.name == map) return VampiresBoard::parse(known.text);
    if (map.find('/') == std::string_view::npos) {
        std::string names;
        for (const auto& known : vampires_maps) names += (names.empty() ? "" : ", ") + std::string(known.name);
        throw TextError(quoted(map) + " is neither the name nor the text of a map; the maps are: " + names);
    }
    const VampiresBoard board = VampiresBoard::parse(map);
    for (const auto kind : {VampiresKind::vampires, VampiresKind::werewolves})
        if (std::count_if(board.cells.begin(), board.cells.end(), [&](auto cell) { return cell.kind() == kind; }) != 1)
            throw TextError("a map has exactly one cell of vampires and one of werewolves; " + quoted(map) +
                            " does not");
    if (board.ply > 0 || board.cells.back().kind() == VampiresKind::attackers)
        throw TextError("a map must be at ply 0 and without a battle; " + quoted(map) + " is not");
    return board;
}

}  // namespace

const VampiresRules* VampiresRules::find(std::string_view text) {
    VampiresRules rules;
    std::string_view map = default_map;
    parse_options(text, [&](std::string_view key, std::string_view value) {
        if (key == "rules") {
            const auto* found = std::find(profiles.begin(), profiles.end(), value);
            if (found == profiles.end())
                throw TextError("vampires has no rules " + quoted(value) +
                                "; it has official, official-2019, text-strict, twilight-succo and twilight-langorou");
            rules.profile = static_cast<Profile>(found - profiles.begin());
        } else if (key == "map") {
            map = value;
        } else if (key == "plies") {
            const auto parsed = std::from_chars(value.data(), value.data() + value.size(), rules.plies);
            if (parsed.ptr != value.data() + value.size() || parsed.ec != std::errc{} || rules.plies < 0 ||
                rules.plies > most_plies)
                throw TextError("plies must be a whole number from 0 to " + std::to_string(most_plies) + ", not " +
                                quoted(value));
        } else {
            throw TextError("vampires has no rules option " + quoted(key));
        }
    });
    rules.start = start_of(map);
    rules.map = text_of(rules.start);
    for (const auto& known : vampires_maps)
        if (known.text == rules.map) rules.map = known.name;
    if (rules.plies == rules.usual_plies()) rules.plies = 0;
    const bool succo = rules.profile == Profile::twilight_succo;
    rules.battles = {.equal_humans_fight = succo,
                     .outnumbering_is_even = succo,
                     .hopeless_dies = rules.profile == Profile::text_strict,
                     .repelling_by_p = rules.profile == Profile::official_2019};
    rules.id_ = rules_id("vampires", rules.text());
    return intern(rules);
}

std::span<const RuleOption> VampiresRules::options() {
    static constexpr std::array<RuleOption, 3> all_options{
        RuleOption{
            "rules", "official", "official|official-2019|text-strict|twilight-succo|twilight-langorou",
            "the rule set: the course's server of 2020 or before, its statement, or one of the students' servers"},
        RuleOption{"map", default_map, "", "where the game begins: a built-in map, an XML file, or the text of a map"},
        RuleOption{"plies", "0", "0..9999", "the ply limit of the game; 0 for the default of the rules"}};
    return all_options;
}

std::string VampiresRules::text() const {
    std::string text;
    const auto add = [&](std::string_view key, std::string_view value) {
        text += (text.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
    };
    if (profile != Profile::official) add("rules", profiles[static_cast<std::size_t>(profile)]);
    if (map != default_map) add("map", map);
    if (plies) add("plies", std::to_string(plies));
    return text;
}

}  // namespace joute
