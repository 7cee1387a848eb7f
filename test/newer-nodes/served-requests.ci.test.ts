/**
 * Requests to a server of the program on newer Nodes: bodies of `Blob`, credentials that it has issued, and files over
 * HTTP/2.
 */
import { runUnderNewerNodes } from '../support/newer-node.ts'

runUnderNewerNodes('test/e2e/blob-bodies.test.ts', ['node22', 'node24', 'node26'])
runUnderNewerNodes('test/e2e/issued-credentials.test.ts', ['node22', 'node24', 'node26'])
runUnderNewerNodes('test/e2e/http2-files.test.ts', ['node22', 'node24', 'node26'])
