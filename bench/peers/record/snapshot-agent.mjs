import { SnapshotAgent, setGlobalDispatcher } from 'undici'
import { work } from './work.mjs'

const agent = new SnapshotAgent({ mode: process.env.BENCH_MODE === 'record' ? 'record' : 'playback', snapshotPath: process.env.BENCH_FILE })
setGlobalDispatcher(agent)
await work()
if (process.env.BENCH_MODE === 'record') await agent.saveSnapshots()
await agent.close()
