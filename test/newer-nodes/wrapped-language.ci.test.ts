/** Wrappers on JavaScript's own objects in newer Nodes, whose own code calls others of them than Node 20. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes('test/e2e/wrapped-language.test.ts', ['node22', 'node24', 'node26'])
