// A plug-in that says it was built with another version of Joute, which the core must refuse.

#include "bind/stamp.hpp"

NB_MODULE(joute_stale, module) {
    joute::Stamp stamp = joute::build_stamp();
    stamp[0].second = "0.0.1";
    joute::check_plugin(module, stamp);
}
