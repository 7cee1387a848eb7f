/**
 * One run of the campaign `secrets` in a process of its own, by `CAMPAIGN_PLAN`, which has no secret in it.
 */
import { perform } from './agent.mjs'

const { seed, cells, url, folder, tape, host } = JSON.parse(process.env.CAMPAIGN_PLAN ?? '{}')
const agent = () => perform(seed, cells, url, folder)

switch (host) {
  case 'cli':
    await agent()
    break
  case 'record': {
    const { record } = await import('reprise')
    await record(tape, agent)
    break
  }
  case 'testbench': {
    const { testbench } = await import('reprise')
    const real = {
      clock: 'real',
      random: 'real',
      env: 'real',
      stdio: 'real',
      process: 'real',
      filesystem: 'real',
      network: 'real',
    }
    const session = await testbench({ tape, mode: 'record', ...real }).activate()
    try {
      await agent()
    } finally {
      await session.close()
    }
    break
  }
}
