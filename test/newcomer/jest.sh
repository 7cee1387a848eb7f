# Jest 30: a test is recorded, then replayed in CI.
. "$(dirname "$0")/lib.sh"
echo '{ "private": true, "type": "module", "jest": { "transform": {} } }' >package.json
npm install --no-audit --no-fund -D "$REPRISE_TARBALL" jest@30 >install.txt 2>&1 || fail "$(cat install.txt)"
cat >agent.test.js <<'TEST'
import { recorded } from 'reprise/jest'
test('asks the clock', recorded(async () => { process.stdout.write(`SEEN ${Math.random()}\n`); expect(Date.now()).toBeGreaterThan(0) }))
TEST
export NODE_OPTIONS='--experimental-vm-modules --no-warnings'
first=$(npx jest 2>&1) || fail "$first"
expect_text 'reprise: recorded: __tapes__/agent.test.js/asks-the-clock.tape' "$first"
second=$(CI=true npx jest 2>&1) || fail "$second"
[ "$(grep -o 'SEEN.*' <<<"$first")" = "$(grep -o 'SEEN.*' <<<"$second")" ] || fail "recorded $first, replayed $second"
echo ok
