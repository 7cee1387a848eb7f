/** What a recording loads at its start on newer Nodes, and which flags of V8 let it use compiled code. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes(
  'test/e2e/start-up.test.ts',
  ['node22', 'node24', 'node26'],
  'recording, it loads the engine|compiled code with',
)
