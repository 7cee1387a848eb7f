/** Writes one key: `node write-key.mjs ROOT SESSION KEY VALUE`. */
import { initState } from '../../../dist/state/index.js'

const [root = '', sessionId = '', key = '', value = ''] = process.argv.slice(2)
const state = await initState(root, { sessionId, writerId: 'writer-crash' })
await state.write(key, value)
await state.close()
