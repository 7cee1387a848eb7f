/**
 * LangGraph's checkpoints in SQLite: one `put` per write, as its graphs do after each step. `node
 * langgraph.mjs FILE full|normal VALUE`
 */
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { serveBlocks } from './blocks.mjs'

const [file, synchronous, value] = process.argv.slice(2)
const saver = SqliteSaver.fromConnString(file)
saver.db.pragma(`synchronous = ${synchronous}`)
await serveBlocks((count) => {
  const checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(count),
    channel_values: { [`key-${count % 8}`]: value },
  }
  return saver.put(
    { configurable: { thread_id: 'bench', checkpoint_ns: '' } },
    checkpoint,
    { source: 'loop', step: count, parents: {} },
    {},
  )
})
