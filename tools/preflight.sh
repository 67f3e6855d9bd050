#!/bin/sh
# Says in one sentence what a machine lacks to build Joute; prints the Python to use if it lacks nothing.
set -u

fail() {
    echo "joute: $1" >&2
    exit 1
}

for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "${python:-}" ] || fail "Python 3.11 or newer is needed; install it (Debian, Ubuntu: apt install python3 python3-venv) or name it: make PYTHON=/path/to/python3"

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "this Python cannot make virtual environments; install its venv package (Debian, Ubuntu: apt install python3-venv)"

for compiler in "${CXX:-c++}" g++ clang++; do
    if command -v "$compiler" >/dev/null 2>&1; then
        echo "$python"
        exit 0
    fi
done
fail "a C++20 compiler is needed; install one (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)"
