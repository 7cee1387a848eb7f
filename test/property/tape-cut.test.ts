import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRepriseError } from '../../src/errors/index.ts'
import { fromDisk, fromReprise } from '../../src/scrub/scrubbed.ts'
import { createHeader, EventTape, type TapeRecord, TapeWriter, verifyTape } from '../../src/tape/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('a tape cut at every byte offset opens with every whole line before the cut, or is refused with a code', async () => {
  const folder = tempFolder()
  const whole = sealedTape(join(folder, 'whole.tape'))
  const path = join(folder, 'cut.tape')
  const headerEnd = whole.indexOf(10)
  for (let cut = 0; cut < whole.length; cut += 1) {
    writeFileSync(path, whole.subarray(0, cut))
    if (cut < headerEnd) {
      expect(
        codeOf(() => EventTape.loadSync(path)),
        `cut at ${cut}`,
      ).toMatch(/^tape-(empty|header-invalid)$/)
      continue
    }
    const tape = EventTape.loadSync(path)
    const kept = whole.subarray(0, cut).toString('utf8')
    const lines = kept.split('\n')
    // A last line that lacks only its line break is whole.
    const records = lines
      .slice(1)
      .filter((line, at) => line !== '' && (at < lines.length - 2 || line.endsWith('}}')))
    expect(tape.records.length, `cut at ${cut}`).toBe(records.length)
    if (tape.records.length < 6)
      expect((await verifyTape(path)).ok, `cut at ${cut} is not judged whole`).toBe(false)
  }
})

function sealedTape(path: string): Buffer {
  const writer = TapeWriter.open(path, fromReprise(createHeader({ argv: ['ü', '😀'] })))
  for (let seq = 0; seq < 5; seq += 1) {
    const record: TapeRecord = {
      seq,
      phase: 'user_script',
      virtualTimeMs: seq,
      monotonicMs: seq,
      kind: { kind: 'file_delete', path: `ä-${seq}-😀` },
    }
    writer.append(fromDisk(record))
  }
  writer.close()
  return readFileSync(path)
}

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isRepriseError(error)) return error.code
    throw error
  }
  return 'no error'
}
