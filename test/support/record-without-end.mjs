/**
 * Records without end, and reports on a pipe (stdout) how many records have been made in ticks that have
 * ended. Some records carry payloads that go to the CAS, some ticks make several records.
 */
import { writeSync } from 'node:fs'
import { fromDisk, fromReprise } from '../../dist/scrub/scrubbed.js'
import { createHeader, createStreamingRecorder, TapeWriter } from '../../dist/tape/index.js'

const recorder = createStreamingRecorder(TapeWriter.open(process.argv[2] ?? '', fromReprise(createHeader())))
let made = 0

function tick() {
  // The tick that made these has ended by the time this one runs.
  report(`${made}\n`)
  for (let burst = made % 5; burst >= 0; burst -= 1) {
    const response = recorder.payloadFromBytes(
      fromDisk(Buffer.alloc(made % 7 === 0 ? 5000 + (made % 50) : 200, 'x')),
    )
    recorder.record({ kind: 'llm_call', requestDigest: response.contentHash, response })
    made += 1
  }
  setImmediate(tick)
}

function report(line) {
  try {
    writeSync(1, line)
  } catch (error) {
    // The pipe is full: the reader is behind, and the next report says more than this one.
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
  }
}
tick()
