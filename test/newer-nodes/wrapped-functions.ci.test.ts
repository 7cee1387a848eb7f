/** Wrappers on functions of newer Nodes, whose implementations call other functions than those of Node 20. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes('test/e2e/wrapped-functions.test.ts', ['node22', 'node24', 'node26'])
