/**
 * Does one thing to a session and is killed at a named place: `node die-at.mjs ROOT POINT
 * write|delete|transaction`.
 */
import { armFaults } from '../../../dist/base/index.js'
import { resumeState } from '../../../dist/state/index.js'

const [root = '', deadly = '', operation = ''] = process.argv.slice(2)
const state = await resumeState(root, 's', { writerId: 'new-writer' })
armFaults((point) => point === deadly && process.kill(process.pid, 'SIGKILL'))
if (operation === 'write') await state.write('a', 'new a')
else if (operation === 'delete') await state.delete('a')
else {
  await state.transaction(async (tx) => {
    await tx.write('a', 'new a')
    await tx.write('b', 'new b')
    await tx.delete('gone')
    await tx.write('deep/er', 'new deep')
  })
}
