import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { fromDisk } from '../../scrub/scrubbed.ts'
import { createHeader } from '../../tape/header.ts'
import { createStreamingRecorder } from '../../tape/recorder.ts'
import { TapeWriter } from '../../tape/writer.ts'
import { indexTape } from './tape-index.ts'
import { everything } from './tape-selection.ts'

function tapeOfOneFile(): string {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromDisk(createHeader({ startedAtUnixMs: 0 })))
  const recorder = createStreamingRecorder(writer)
  const payload = recorder.payloadFromBytes(fromDisk<Uint8Array>(Buffer.from('the content')))
  const { contentHash } = payload
  recorder.record(fromDisk({ kind: 'file_read', path: 'a', contentHash, lenBytes: 11, payload, key: 'k' }))
  writer.close()
  return path
}

it('the hashes of payloads are known if the tape was checked and is not edited', () => {
  const path = tapeOfOneFile()
  expect(indexTape(path).hasCheckedPayloads).toBe(true)
  expect(indexTape(path, everything, () => null).hasCheckedPayloads).toBe(false)
})

it('they are not known if a payload has another hash', () => {
  const path = tapeOfOneFile()
  writeFileSync(path, readFileSync(path, 'utf8').replace('the content', 'The content'))
  const { findings, hasCheckedPayloads } = indexTape(path)
  expect(findings.map(({ code }) => code)).toEqual(['payload-hash', 'seal-chain'])
  expect(hasCheckedPayloads).toBe(false)
})
