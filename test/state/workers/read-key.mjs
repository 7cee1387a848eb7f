/** Prints what a key holds: `node read-key.mjs ROOT SESSION KEY`. */
import { resumeState } from '../../../dist/state/index.js'

const [root = '', session = '', key = ''] = process.argv.slice(2)
const state = await resumeState(root, session)
process.stdout.write((await state.read(key)) ?? '(none)')
await state.close()
