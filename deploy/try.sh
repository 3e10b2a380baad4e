#!/usr/bin/env bash
# The steps of compose.yaml without a container engine: a fresh environment from deploy/requirements.txt, a real PostgreSQL, the
# server, two workers with homes of their own, one of them killed, a backup and a restore.
#
#   deploy/try.sh FOLDER DATABASE_URL     DATABASE_URL is an empty PostgreSQL database; needs pg_dump and pg_restore on PATH
#   ECHELON_PYTHON=.venv/bin/python       takes an environment that is there instead of making one
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
export ECHELON_DATABASE_URL=$2 ECHELON_FILES=database CREWAI_DISABLE_TELEMETRY=true
umask 077
declare -a started=()
trap 'for p in "${started[@]}"; do kill "$p" 2>/dev/null || true; done' EXIT

python=${ECHELON_PYTHON:-$folder/venv/bin/python}
if [ -z "${ECHELON_PYTHON:-}" ]; then
    python3 -m venv "$folder/venv"
    "$python" -m pip install --quiet --require-hashes -r "$repository/deploy/requirements.txt"
    "$python" -m pip install --quiet --no-deps "$repository"
fi
echelon() { "$python" -W ignore -m echelon "$@"; }

sh "$repository/deploy/secrets.sh" "$folder/secrets"
export ECHELON_TOKEN_FILE=$folder/secrets/echelon_token
entry=$repository/deploy/entrypoint.sh
cd "$folder"

ECHELON_HOME=$folder/server "$entry" "$python" -W ignore -m echelon serve --port 0 --no-workers --json > serve.log & started+=($!)
ECHELON_HOME=$folder/one "$python" -W ignore -m echelon worker > one.log & one=$!; started+=("$one")
for _ in $(seq 300); do grep -q '"url"' serve.log && break; sleep 0.2; done
url=$(sed -n 's/.*"url": "\([^"]*\)".*/\1/p' serve.log)
token=$(cat "$ECHELON_TOKEN_FILE")
ask() { "$python" "$repository/deploy/ask.py" "$url" "$token" "$@"; }

ask health
job=$(ask submit "$repository/knowledge/records-retention-policy-2pages.pdf")
ask steps "$job" 6
kill -KILL "$one"
ECHELON_HOME=$folder/two "$python" -W ignore -m echelon worker > two.log & started+=($!)
ask completed "$job"
ask result "$job" > requirements.json
test -s requirements.json && echo "job $job: begun by one worker, completed by the other"

if command -v pg_dump > /dev/null; then
    pg_dump --format=custom --file backup.dump "$ECHELON_DATABASE_URL"
    restored=$("$python" "$repository/deploy/restored.py" "$ECHELON_DATABASE_URL")
    pg_restore --dbname="$restored" --clean --if-exists --no-owner backup.dump
    # a home that has never seen the job has its files out of the database
    ECHELON_DATABASE_URL=$restored ECHELON_HOME=$folder/three echelon show "$job" > /dev/null
    cmp "three/jobs/$job/output/requirements.json" requirements.json && echo "backup: $(wc -c < backup.dump) bytes, and all of it came back"
fi
