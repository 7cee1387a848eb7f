/** Uncaptured files in a replay on newer Nodes, whose copies are native code, and behind the wall. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes('test/e2e/ignored-files.test.ts', ['node22', 'node24', 'node26'])
