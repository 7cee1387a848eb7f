# Sourced by every script in this folder. Makes an empty folder, enters it, and removes it at the end.
#
# REPRISE_TARBALL is the packed package. Each script prints `ok` as its last line; any other end is a failure.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
modules="$root/node_modules"
: "${REPRISE_TARBALL:?run these scripts by npx vitest run --config vitest.ci.config.ts test/newcomer}"
# A newcomer has none of the variables of this repository's own scripts.
for name in $(compgen -e | grep -E '^(npm_|REPRISE_|NODE_OPTIONS$|VITEST|INIT_CWD$|NODE_ENV$|TEST$|CI$|NO_COLOR$)' || true); do
  [ "$name" = REPRISE_TARBALL ] || unset "$name"
done
# The link that npm makes for the Nodes of test/nodes, and every other program of this repository, stay out of sight.
PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v node_modules | paste -sd:)
# Yarn does not read the certificates that npm is set to.
cafile=$(npm config get cafile 2>/dev/null || true)
[ ! -f "$cafile" ] || export YARN_HTTPS_CA_FILE_PATH="$cafile"
folder=$(mktemp -d)
server_pid=
trap '[ -z "$server_pid" ] || kill "$server_pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# expect_text NEEDLE TEXT
expect_text() {
  case "$2" in
    *"$1"*) ;;
    *) fail "expected to read \"$1\" in: $2" ;;
  esac
}

# The commands of the first sh block below a heading of the README, one per line, with the packed package for its name in the registry.
readme_commands() {
  awk -v heading="$1" '
    /^```/ { if (inside) exit; if (found && $0 == "```sh") inside = 1; next }
    inside { print }
    index($0, "#") == 1 { found = ($0 == heading) }
  ' "$root/README.md" | sed -e "s|^\(npm install -D\) reprise|\1 $REPRISE_TARBALL|"
}

# A small agent that takes in clock, randomness and an answer of a server, and the server.
write_agent() {
  cat >agent.mjs <<'AGENT'
const answer = await fetch(process.env.AGENT_URL)
console.log(JSON.stringify([Date.now(), Math.random(), await answer.text()]))
AGENT
  cat >server.mjs <<'SERVER'
import { createServer } from 'node:http'
const server = createServer((_request, response) => response.end(`answer ${process.hrtime.bigint()}`))
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
SERVER
}

start_server() {
  coproc SERVER { exec node server.mjs; }
  read -r AGENT_URL <&"${SERVER[0]}"
  export AGENT_URL
  server_pid=$SERVER_PID
}

stop_server() {
  kill "$server_pid"
  wait "$server_pid" 2>/dev/null || true
  server_pid=
  unset AGENT_URL
}

# records_and_replays RUNNER…: records the agent, takes its server away, and replays it. RUNNER starts a program of the project.
records_and_replays() {
  write_agent
  rm -rf run.tape run.tape.cas
  start_server
  first=$("$@" reprise record --out run.tape -- node agent.mjs)
  stop_server
  second=$("$@" reprise replay run.tape)
  [ "$first" = "$second" ] || fail "recorded $first, replayed $second"
  expect_text 'answer ' "$first"
}
