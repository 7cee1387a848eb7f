/** The sqlite driver of `reprise/state`, in the same places as langgraph.mjs. */
import { initState } from '../../../dist/state/index.js'
import { serveBlocks } from './blocks.mjs'

const [file, synchronous, value] = process.argv.slice(2)
const state = await initState(`sqlite:${file}?synchronous=${synchronous}`, { sessionId: 'bench' })
await serveBlocks((count) => state.write(`key-${count % 8}`, value))
