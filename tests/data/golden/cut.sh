#!/bin/sh
# Cuts the committed subset out of the full set of golden files.
# usage: [LINES_KEPT=400] tests/data/golden/cut.sh FULL-SET FOLDER...
#    eg: tests/data/golden/cut.sh ../shared/golden teo/v6.5 menu/v6.6
set -eu
full=$1
shift
here=$(dirname "$0")
for folder in "$@"; do
  mkdir -p "$here/$folder"
  for file in "$full/$folder"/*.jsonl.gz; do
    gzip -dc "$file" | head -n "${LINES_KEPT:-250}" | gzip -9n >"$here/$folder/$(basename "$file")"
  done
done
