#!/bin/sh
# Builds the wheel for a Python, installs it into an empty environment, and tries it there without a compiler.
# Usage: tools/wheel.sh PYTHON; the wheel is in dist/.
set -eu
cd "$(dirname "$0")/.."
version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
work=build/wheels/$version
rm -rf "$work"
"$1" -m venv "$work/build"
"$work/build/bin/python" -m pip --disable-pip-version-check -q install 'pip>=25.1'
PIP_CONSTRAINT=constraints.txt "$work/build/bin/python" -m pip --disable-pip-version-check -q wheel --no-deps \
    -C cmake.define.JOUTE_TOYS=OFF -C build-dir="$work/objects" -w "$work" .
"$1" -m venv "$work/try"
"$work/try/bin/python" -m pip --disable-pip-version-check -q install -c constraints.txt "$work"/joute-*.whl
mkdir -p dist
cp "$work"/joute-*.whl dist/
PATH=/usr/bin:/bin CC=/bin/false CXX=/bin/false tools/smoke_test.sh "$work/try"
ls -l dist/joute-*"cp$(echo "$version" | tr -d .)"*.whl
