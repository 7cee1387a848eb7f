/** Process tapes through the built command line: in, out, and back again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const TAPE = `[
  {
    "program": "git",
    "args": [
      "status"
    ],
    "cwd": null,
    "env": {},
    "stdout": "On branch main\\n",
    "stderr": "",
    "exit_code": 0,
    "duration_ms": 42
  },
  {
    "program": "make",
    "args": [],
    "cwd": "/w",
    "env": {
      "LANG": "C"
    },
    "stdout": "",
    "stderr": "no rule ☂\\n",
    "exit_code": -1,
    "duration_ms": 7
  }
]`

describe('process tapes', () => {
  it('come back as they were', async () => {
    const folder = tempFolder()
    const [file, tape, back] = [join(folder, 'p.json'), join(folder, 'p.tape'), join(folder, 'back.json')]
    writeFileSync(file, TAPE)
    const imported = await reprise(['import', 'process-tape', file, '--out', tape])
    expect(imported).toMatchObject({ code: 0, stdout: `${tape}: 2 subprocess(es)\n`, stderr: '' })
    expect((await reprise(['verify', tape])).code).toBe(0)
    const exported = await reprise(['export', 'process-tape', tape, '--out', back, '--json'])
    expect(exported).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(exported.stdout)).toEqual({ out: back, format: 'process-tape', count: 2, notes: [] })
    expect(readFileSync(back, 'utf8')).toBe(TAPE)
  })

  it('refuse what they are not, an unknown format, and a file that is there', async () => {
    const folder = tempFolder()
    const [file, tape] = [join(folder, 'p.json'), join(folder, 'p.tape')]
    writeFileSync(file, '[{"args":[]}]')
    expect(await reprise(['import', 'process-tape', file, '--out', tape])).toMatchObject({
      code: 1,
      stderr: `reprise: ${file} is no process tape: entry 0: program is not a string [process-tape-invalid]; hint: docs/format/process-tape.md describes the file\n`,
    })
    expect((await reprise(['import', 'tar', file, '--out', tape])).code).toBe(64)
    writeFileSync(file, '')
    expect((await reprise(['import', 'process-tape', file, '--out', tape])).code).toBe(0)
    const again = await reprise(['import', 'process-tape', file, '--out', tape])
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('[out-exists]')
    expect((await reprise(['import', 'process-tape', file, '--out', tape, '--force'])).code).toBe(0)
    expect(
      (await reprise(['export', 'process-tape', join(folder, 'none.tape'), '--out', join(folder, 'x')])).code,
    ).toBe(1)
  })

  it('say what they have no place for', async () => {
    const folder = tempFolder()
    const [file, tape] = [join(folder, 'p.json'), join(folder, 'p.tape')]
    writeFileSync(file, '[{"program":"ls","stdin":"x"}]')
    const imported = await reprise(['import', 'process-tape', file, '--out', tape])
    expect(imported.stderr).toBe('reprise: fields that a process tape does not have are left out: stdin\n')
  })
})
