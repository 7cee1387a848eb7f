/** Started by ask-node.ts: prints what the Node that runs it has. */
import { nodeNames } from './node-names.ts'

void nodeNames().then((names) => process.stdout.write(JSON.stringify(names)))
