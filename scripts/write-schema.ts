/** Writes schema/tape-v1.schema.json from the code. A test fails when the two differ. */
import { writeFileSync } from 'node:fs'
import { tapeSchema } from '../src/tape/schema.ts'

writeFileSync(
  new URL('../schema/tape-v1.schema.json', import.meta.url),
  `${JSON.stringify(tapeSchema(), null, 2)}\n`,
)
