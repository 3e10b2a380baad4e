#!/bin/sh
# Takes secrets from files: NAME_FILE=/run/secrets/x becomes NAME with the content of that file, and is then forgotten.
# With ECHELON_DATABASE_HOST the address of the database is put together from its parts.
set -eu

for name in ECHELON_TOKEN ECHELON_DATABASE_PASSWORD OPENAI_API_KEY TAVILY_API_KEY NEO4J_PASSWORD; do
    eval "file=\${${name}_FILE:-}"
    if [ -n "$file" ]; then
        if [ ! -r "$file" ]; then
            echo "echelon: ${name}_FILE names $file, which cannot be read." >&2
            exit 2
        fi
        value=$(cat "$file")
        export "$name=$value"
        unset "${name}_FILE" value
    fi
done

if [ -n "${ECHELON_DATABASE_HOST:-}" ]; then
    user=${ECHELON_DATABASE_USER:-echelon}
    place="${ECHELON_DATABASE_HOST}:${ECHELON_DATABASE_PORT:-5432}/${ECHELON_DATABASE_NAME:-echelon}"
    export ECHELON_DATABASE_URL="postgresql://${user}:${ECHELON_DATABASE_PASSWORD:?}@${place}"
    unset ECHELON_DATABASE_PASSWORD
fi

exec "$@"
