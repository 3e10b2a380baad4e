#!/bin/sh
# Makes the secrets that are missing, each in a file of its own: sh deploy/secrets.sh [FOLDER]
set -eu
folder=${1:-$(dirname "$0")/secrets}
umask 077
mkdir -p "$folder"
for name in database_password neo4j_password echelon_token; do
    [ -s "$folder/$name" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' > "$folder/$name"
done
[ -e "$folder/openai_api_key" ] || : > "$folder/openai_api_key"
# the image runs as another user than you: the files are readable, their folder is yours alone
chmod 0700 "$folder" && chmod 0444 "$folder"/*
