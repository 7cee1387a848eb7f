/** Adds 1 to a key, many times, by compare-and-swap: `node increment.mjs ROOT TIMES`. */
import { initState } from '../../../dist/state/index.js'

const [root = '', times = '0'] = process.argv.slice(2)
const state = await initState(root, {
  sessionId: 'shared',
  writerId: `process-${process.pid}`,
  historyLimit: 2,
  lockTimeoutMs: 120_000,
})
for (let done = 0; done < Number(times); ) {
  const current = await state.entry('counter')
  const next = `${Number(current === null ? 0 : new TextDecoder().decode(current.content)) + 1}`
  try {
    await state.write('counter', next, { ifVersion: current?.version ?? null })
    done += 1
  } catch (error) {
    if (error.code !== 'state-version-mismatch') throw error
  }
}
await state.close()
