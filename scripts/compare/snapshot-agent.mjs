import { SnapshotAgent, setGlobalDispatcher } from 'undici'
import { work } from './agent.mjs'

const agent = new SnapshotAgent({
  mode: process.env.MODE === 'record' ? 'record' : 'playback',
  snapshotPath: process.env.RECORDING,
})
setGlobalDispatcher(agent)
await work()
if (process.env.MODE === 'record') await agent.close()
