/** Requests to a server of the program on newer Nodes: bodies of `Blob`, and credentials that it has issued. */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes('test/e2e/blob-bodies.test.ts', ['node22', 'node24', 'node26'])
runUnderNewerNodes('test/e2e/issued-credentials.test.ts', ['node22', 'node24', 'node26'])
