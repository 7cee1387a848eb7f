/** The boundaries on newer Nodes: what Node changed underneath must not show. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes('test/boundaries/', ['node22', 'node24', 'node26'])
