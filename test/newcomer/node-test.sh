# node:test: a test is recorded, then replayed in CI.
. "$(dirname "$0")/lib.sh"
echo '{ "private": true, "type": "module" }' >package.json
npm install --no-audit --no-fund -D "$REPRISE_TARBALL" >install.txt 2>&1 || fail "$(cat install.txt)"
cat >agent.test.js <<'TEST'
import assert from 'node:assert'
import test from 'node:test'
import { recorded } from 'reprise/node-test'
test('asks the clock', recorded(async () => { console.log(`SEEN ${Math.random()}`); assert(Date.now() > 0) }))
TEST
first=$(node --test 2>&1) || fail "$first"
second=$(CI=true node --test 2>&1) || fail "$second"
expect_text 'replayed: ' "$second"
[ "$(grep -o 'SEEN [0-9.]*' <<<"$first")" = "$(grep -o 'SEEN [0-9.]*' <<<"$second")" ] || fail "recorded $first, replayed $second"
echo ok
