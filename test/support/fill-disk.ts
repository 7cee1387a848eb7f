/** Records 400 steps onto a disk that is too small for them, and says how it went. */
import { fromDisk, fromReprise } from '../../src/scrub/scrubbed.ts'
import { createHeader, createStreamingRecorder, TapeWriter } from '../../src/tape/index.ts'

const writer = TapeWriter.open(process.argv[2] ?? '', fromReprise(createHeader()))
const recorder = createStreamingRecorder(writer)
let steps = 0
for (; steps < 400; steps += 1) {
  const response = recorder.payloadFromBytes(fromDisk<Uint8Array>(Buffer.alloc(1000, 'x')))
  recorder.record({ kind: 'llm_call', requestDigest: response.contentHash, response })
  await null
}
let closed = 'whole'
try {
  writer.close()
} catch (error) {
  closed = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
console.log(JSON.stringify({ steps, closed }))
