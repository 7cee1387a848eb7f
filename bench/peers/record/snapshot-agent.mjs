import { SnapshotAgent, setGlobalDispatcher } from 'undici'
import { work } from './work.mjs'

const agent = new SnapshotAgent({
  mode: process.env.BENCH_MODE === 'record' ? 'record' : 'playback',
  snapshotPath: process.env.BENCH_FILE,
})
setGlobalDispatcher(agent)
await work()
// Closing saves, also after a playback, which changes nothing that is worth saving: what is measured there is
// its playback out of memory.
if (process.env.BENCH_MODE === 'record') await agent.close()
