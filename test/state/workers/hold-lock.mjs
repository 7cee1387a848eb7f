/** Holds the lock of a session until it is killed: `node hold-lock.mjs ROOT`. */
import { initState } from '../../../dist/state/index.js'

const [root = ''] = process.argv.slice(2)
const state = await initState(root, { sessionId: 's' })
await state.transaction(async (tx) => {
  await tx.write('k', 'held')
  process.stdout.write('holding\n')
  setInterval(() => undefined, 1000)
  await new Promise(() => undefined)
})
