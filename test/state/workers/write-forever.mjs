/**
 * Writes until it is killed: `node write-forever.mjs ROOT WRITER`. Each value says who wrote it, fills many
 * pages and ends with its own number, so that half of one shows. `x` and `y` are only ever written together.
 * With a fault point in FAULT, kills itself there.
 */
import { armFaults } from '../../../dist/base/index.js'
import { initState, resumeState } from '../../../dist/state/index.js'

const [root = '', writer = '', mode = 'forever'] = process.argv.slice(2)
if (process.env.FAULT !== undefined && mode === 'forever')
  armFaults((point) => point === process.env.FAULT && process.kill(process.pid, 'SIGKILL'))

const options = { writerId: writer, historyLimit: 2, lockTimeoutMs: 60_000 }
const state = await initState(root, { ...options, sessionId: 'killed' })
process.stdout.write('ready\n')
for (let number = 0; ; number += 1) {
  const value = `${writer} ${number} ${'x'.repeat(1 + ((number * 7919) % 20_000))} ${number} end`
  await state.write(`key-${number % 3}`, value)
  await state.write('deep/er/key', value)
  await state.transaction(async (tx) => {
    await tx.write('x', value)
    await tx.write('y', value)
    if (number % 2 === 0) await tx.delete('deep/er/key')
  })
  if (number % 5 === 4) await state.delete(`key-${number % 3}`)
  // A second handle, so that opening is among what is killed.
  if (number % 7 === 6) await (await resumeState(root, 'killed', options)).close()
}
