#!/bin/sh
# Runs the tests of cloth's window on a virtual screen; skipped (77) where there is no Xvfb.
#     cloth_view_window.sh TEST-PROGRAM
set -eu
command -v Xvfb >/dev/null || { echo "skipped: no Xvfb here (Debian: xvfb)"; exit 77; }
folder=$(mktemp -d)
mkfifo "$folder/display"
Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp 3>"$folder/display" 2>/dev/null &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$folder"' EXIT
read -r number <"$folder/display"
cd "$folder"
# What X11 and GLX leave behind lies in libraries that GLFW has unloaded by then, so no suppression can name it.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
DISPLAY=:$number "$1" --verbose --filter 'cloth_window/*'
