/** What a recording loads at its start on newer Nodes: some globals load undici when they are only looked at. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes(
  'test/e2e/start-up.test.ts',
  ['node22', 'node24', 'node26'],
  'recording, it loads the engine',
)
