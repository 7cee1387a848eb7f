# TypeScript, strict, with moduleResolution bundler and nodenext, and @types/node 20, 22 and 24.
. "$(dirname "$0")/lib.sh"
echo '{ "private": true, "type": "module" }' >package.json
npm install --no-audit --no-fund -D "$REPRISE_TARBALL" typescript@5 vitest@4 >install.txt 2>&1 || fail "$(cat install.txt)"
cat >agent.test.ts <<'TEST'
import test from 'node:test'
import { record, replay } from 'reprise'
import { recorded } from 'reprise/node-test'
import { recorded as recordedByMocha } from 'reprise/mocha'
import { recorded as recordedByVitest } from 'reprise/vitest'
import { test as vitestTest } from 'vitest'

test('plain', recorded(async () => { Date.now() }))
test('with the context', recorded(async (t: test.TestContext) => { t.diagnostic(t.name) }))
test('with options', recorded({ tape: 'own.tape' }, async () => { Math.random() }))
vitestTest('plain', recordedByVitest(async ({ expect }) => { expect(1).toBe(1) }))
vitestTest.each([[1, 'a']])('each', recordedByVitest(async (n: number, s: string) => { s.repeat(n) }))
const inMocha: () => Promise<void> = recordedByMocha(async () => undefined)
const value: number = (await replay('run.tape', () => Date.now())).value + (await record('run.tape', () => Date.now()))
export { inMocha, value }
TEST
for types in 20 22 24; do
  rm -rf node_modules/@types/node
  mkdir -p node_modules/@types
  cp -r "$(cd "$modules/types-node$types" && pwd -P)" node_modules/@types/node
  for resolution in bundler nodenext; do
    module=$resolution
    [ "$resolution" = nodenext ] || module=esnext
    npx tsc --strict --noEmit --target es2023 --lib es2023 --module "$module" --moduleResolution "$resolution" \
      --types node --skipLibCheck agent.test.ts >tsc.txt 2>&1 || fail "@types/node $types, $resolution: $(cat tsc.txt)"
  done
done
echo ok
