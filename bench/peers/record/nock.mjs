import { readFileSync, writeFileSync } from 'node:fs'
import nock from 'nock'
import { work } from './work.mjs'

const file = process.env.BENCH_FILE
if (process.env.BENCH_MODE === 'record') {
  nock.recorder.rec({ dont_print: true, output_objects: true })
  await work()
  writeFileSync(file, JSON.stringify(nock.recorder.play()))
} else {
  nock.disableNetConnect()
  nock.define(JSON.parse(readFileSync(file, 'utf8')))
  await work()
  // nock has this as a function, which a test has to call.
  if (!nock.isDone()) throw new Error(`not used: ${nock.pendingMocks()}`)
}
