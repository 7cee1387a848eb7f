import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { contentHash } from '../base/index.ts'
import { fromDisk, fromReprise } from '../scrub/scrubbed.ts'
import { createHeader } from './header.ts'
import { createStreamingRecorder } from './recorder.ts'
import { TapeWriter } from './writer.ts'

function opened() {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromReprise(createHeader({})))
  return { writer, path, recorder: createStreamingRecorder(writer) }
}

const piece = (length: number, value: number) => fromDisk<Uint8Array>(new Uint8Array(length).fill(value))

test('a small payload is as if it had come at once', () => {
  const { recorder, path } = opened()
  const stream = recorder.payloadStream()
  stream.add(fromDisk<Uint8Array>(Buffer.from('one ')))
  stream.add(fromDisk<Uint8Array>(Buffer.from('two')))
  expect(stream.end()).toEqual({
    form: 'inline',
    contentHash: contentHash(Buffer.from('one two')),
    text: 'one two',
  })
  expect(readdirSync(join(path, '..'))).toEqual(['run.tape'])
})

test('a large one lies in the CAS under its hash, and nothing else is left there', () => {
  const { recorder, path } = opened()
  const stream = recorder.payloadStream()
  for (let n = 0; n < 10; n += 1) stream.add(piece(30_000, n))
  const whole = Buffer.concat(Array.from({ length: 10 }, (_, n) => Buffer.alloc(30_000, n)))
  expect(stream.end()).toEqual({ form: 'cas', contentHash: contentHash(whole), lenBytes: 300_000 })
  expect(readdirSync(`${path}.cas`)).toEqual([contentHash(whole)])
  expect(readFileSync(`${path}.cas/${contentHash(whole)}`).equals(whole)).toBe(true)
})

test('pieces that change later are stored as they were', () => {
  const { recorder, path } = opened()
  const [small, large] = [recorder.payloadStream(), recorder.payloadStream()]
  const buffer = Buffer.alloc(50_000, 1)
  small.add(fromDisk<Uint8Array>(buffer.subarray(0, 4)))
  for (const value of [1, 2]) large.add(fromDisk<Uint8Array>(buffer.fill(value)))
  buffer.fill(9)
  const whole = Buffer.concat([Buffer.alloc(50_000, 1), Buffer.alloc(50_000, 2)])
  expect(small.end()).toMatchObject({ contentHash: contentHash(Buffer.alloc(4, 1)) })
  expect(large.end()).toMatchObject({ contentHash: contentHash(whole) })
  expect(readFileSync(`${path}.cas/${contentHash(whole)}`).equals(whole)).toBe(true)
})

test('one that is dropped leaves nothing', () => {
  const { recorder, path } = opened()
  const stream = recorder.payloadStream()
  for (let n = 0; n < 5; n += 1) stream.add(piece(30_000, n))
  stream.drop()
  expect(readdirSync(`${path}.cas`)).toEqual([])
})

test('one that is never ended is a temporary file, which a new tape takes away', () => {
  const { recorder, path, writer } = opened()
  const stream = recorder.payloadStream()
  for (let n = 0; n < 5; n += 1) stream.add(piece(30_000, n))
  writer.abandon()
  expect(readdirSync(`${path}.cas`)).toHaveLength(1)
  using _again = TapeWriter.open(path, fromReprise(createHeader({})), { force: true })
  expect(readdirSync(join(path, '..'))).toEqual(['run.tape'])
})
