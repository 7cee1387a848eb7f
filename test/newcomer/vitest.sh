# Vitest: a test is recorded, then replayed in CI.
. "$(dirname "$0")/lib.sh"
echo '{ "private": true, "type": "module" }' >package.json
npm install --no-audit --no-fund -D "$REPRISE_TARBALL" vitest@4 >install.txt 2>&1 || fail "$(cat install.txt)"
cat >agent.test.mjs <<'TEST'
import { expect, test } from 'vitest'
import { recorded } from 'reprise/vitest'
test('asks the clock', recorded(async () => { console.log(`SEEN ${Math.random()}`); expect(Date.now()).toBeGreaterThan(0) }))
TEST
first=$(NO_COLOR=1 npx vitest run 2>&1) || fail "$first"
[ -s __tapes__/agent.test.mjs/asks-the-clock.tape ] || fail 'there is no tape'
second=$(NO_COLOR=1 CI=true npx vitest run 2>&1) || fail "$second"
[ "$(grep -o 'SEEN.*' <<<"$first")" = "$(grep -o 'SEEN.*' <<<"$second")" ] || fail "recorded $first, replayed $second"
echo ok
