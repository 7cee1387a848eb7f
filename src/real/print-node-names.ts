/** Started by ask-node.ts: prints what the Node that runs it has. */
import { nodeNames } from './node-names.ts'

process.stdout.write(JSON.stringify(nodeNames()))
