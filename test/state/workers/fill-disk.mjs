/** On a disk of 1 MB: writes 100 kB, tries 5 MB, and tells what is left. */
import { initState } from '../../../dist/state/index.js'

const [root = ''] = process.argv.slice(2)
const first = await initState(root, { sessionId: 's', writerId: 'first' })
const old = 'o'.repeat(100_000)
await first.write('k', old)
const failed = await first
  .write('k', 'n'.repeat(5_000_000))
  .catch((error) => ({ code: error.code, system: error.details.system }))
const kept = (await first.read('k')) === old
const owner = (await first.entry('k'))?.writer?.writerId
await first.write('k', 'small')
process.stdout.write(JSON.stringify({ failed, kept, owner, after: await first.read('k') }))
await first.close()
