import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fromDisk, fromReprise } from '../../src/scrub/scrubbed.ts'
import { createHeader, createStreamingRecorder, TapeWriter } from '../../src/tape/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HEADER =
  '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":null,"script_path":null,"argv":[]}'
const SLEEP =
  '{"type":"record","seq":0,"phase":"user_script","virtual_time_ms":5,"monotonic_ms":5,"kind":{"kind":"clock_sleep","duration_ms":5}}'

describe('reprise inspect', () => {
  test('shows counts, and the records asked for as they stand on the tape', async () => {
    const path = tapeFile(
      `${HEADER}\n${SLEEP}\n${SLEEP.replace('"seq":0', '"seq":1').replace(':5}}', ':9007199254740993}}')}\n`,
    )
    const { code, stdout, stderr } = await reprise(['inspect', path, '--json', '--at', '1'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      records: 2,
      kinds: { clock_sleep: 2 },
      sealed: false,
      torn: null,
      gaps: [],
      cas: { entries: 0, bytes: 0 },
    })
    expect(stdout).toContain('"duration_ms":9007199254740993')
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      'header',
      'records',
      'kinds',
      'cas',
      'sealed',
      'torn',
      'gaps',
      'boundaries',
      'selected',
    ])
  })

  test('prints what is whole of a damaged tape, names the damage on stderr, and exits 0', async () => {
    const path = tapeFile(`${HEADER}\nrubbish\n${SLEEP}\n{"type":"rec`)
    const { code, stdout, stderr } = await reprise(['inspect', path])
    expect(code).toBe(0)
    expect(stdout).toContain('1 records')
    expect(stderr).toContain('line 2 is damaged')
    expect(stderr).toContain('the last line (4) was cut off after 12 bytes')
  })

  test('follows no link to other files next to a tape', async () => {
    const path = tapeFile(`${HEADER}\n${SLEEP}\n`)
    writeFileSync(`${path}.elsewhere`, 'private\n')
    symlinkSync(`${path}.elsewhere`, `${path}.annotations.jsonl`)
    const { code, stdout, stderr } = await reprise(['inspect', path])
    expect(code).toBe(0)
    expect(stdout).toContain('1 records')
    expect(stderr).toContain('.annotations.jsonl is no plain file and was not read')
  })

  test('lets nothing on a tape act on the terminal', async () => {
    const evil = 'a\u001b]0;pwned\u0007\u009b31m\u202e'
    const path = tapeFile(
      `${HEADER.replace('null', '5').replace('"script_path":null', `"script_path":${JSON.stringify(evil)}`)}\n${SLEEP}\n`,
    )
    for (const args of [
      ['inspect', path],
      ['inspect', path, '--json', '--at', '0'],
      ['verify', path],
    ]) {
      const { stdout, stderr } = await reprise(args)
      expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u0080-\u009f\u202e]/)
    }
  })
})

describe('reprise verify', () => {
  test('exits 0 for a whole tape, 2 for a cut one, 0 with a note for a foreign one', async () => {
    const path = sealedTape()
    expect(await reprise(['verify', path, '--json'])).toMatchObject({ code: 0 })
    truncateSync(path, readFileSync(path).length - 20)
    const cut = await reprise(['verify', path, '--json'])
    expect(cut.code).toBe(2)
    expect(JSON.parse(cut.stdout)).toMatchObject({
      ok: false,
      findings: [{ code: 'torn' }, { code: 'unsealed' }],
    })
    const foreign = await reprise(['verify', tapeFile(`${HEADER}\n${SLEEP}\n`)])
    expect(foreign.code).toBe(0)
    expect(foreign.stdout).toContain('[unsealed-foreign]')
  })
})

describe('reprise repair', () => {
  test('writes a new file and says what was lost', async () => {
    const path = tapeFile(`${HEADER}\n${SLEEP}\nrubbish\n`)
    const out = `${path}.new`
    const { code, stdout } = await reprise(['repair', path, '--out', out])
    expect(code).toBe(0)
    expect(stdout).toContain('lost: line 3, 7 bytes: not JSON')
    expect(readFileSync(out, 'utf8')).toBe(`${HEADER}\n${SLEEP}\n`)
  })

  test('refuses an existing --out and leaves it as it is', async () => {
    const path = tapeFile(`${HEADER}\n${SLEEP}\n`)
    writeFileSync(`${path}.new`, 'mine')
    const { code, stderr } = await reprise(['repair', path, '--out', `${path}.new`])
    expect(code).toBe(1)
    expect(stderr).toContain('[out-exists]')
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('mine')
  })
})

describe('reprise scrub', () => {
  const KEY = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

  test('writes a clean copy, judges with exit 2, and takes one of --out and --check', async () => {
    const path = tapeFile(
      `${HEADER}\n${SLEEP.replace('"duration_ms":5', `"duration_ms":5,"note":"${KEY}"`)}\n`,
    )
    const check = await reprise(['scrub', path, '--check', '--json'])
    expect(check.code).toBe(2)
    expect(JSON.parse(check.stdout)).toMatchObject({
      ok: false,
      found: 1,
      places: [{ line: 2, seq: 0, found: 1 }],
    })
    expect((await reprise(['scrub', path, '--out', `${path}.clean`])).code).toBe(0)
    expect(readFileSync(`${path}.clean`, 'utf8')).not.toContain(KEY)
    expect((await reprise(['scrub', `${path}.clean`, '--check'])).code).toBe(0)
    for (const args of [
      ['scrub', path],
      ['scrub', path, '--check', '--out', 'x'],
    ])
      expect((await reprise(args)).code).toBe(64)
  })

  test('knows the values of secret-named variables', async () => {
    const path = tapeFile(
      `${HEADER}\n${SLEEP.replace('"duration_ms":5', '"duration_ms":5,"note":"correct-horse-battery"')}\n`,
    )
    const { code } = await reprise(['scrub', path, '--check'], {
      env: { ...process.env, DEPLOY_PASSWORD: 'correct-horse-battery' },
    })
    expect(code).toBe(2)
  })
})

describe('bad input gets one line with a code and a hint', () => {
  test.each([
    ['a folder', () => tempFolder(), 'not-a-file'],
    ['nothing there', () => '/no/such/tape', 'not-found'],
    ['an empty file', () => tapeFile(''), 'tape-empty'],
    ['CRLF', () => tapeFile(`${HEADER}\r\n${SLEEP}\r\n`), 'tape-crlf'],
    ['something else', () => tapeFile('\u007fELF\u0002\u0001'), 'tape-header-invalid'],
    [
      'bytes that are not UTF-8',
      () => tapeFile(Buffer.from([0xff, 0xfe, 0x00, 0x0a])),
      'tape-header-invalid',
    ],
    [
      'deep nesting in the header',
      () => tapeFile(`${HEADER.replace('[]', '[]'.padStart(2))},`.replace('null', '['.repeat(100_000))),
      'tape-header-invalid',
    ],
  ])('%s', async (_what, make, errorCode) => {
    for (const command of ['inspect', 'verify']) {
      const { code, stdout, stderr } = await reprise([command, make()])
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(new RegExp(`^reprise: .*\\[${errorCode}\\]; hint: .*\\n$`))
    }
  })

  test('a file without read permission', async () => {
    const path = tapeFile(`${HEADER}\n`)
    chmodSync(path, 0o000)
    const { code, stderr } =
      process.getuid?.() === 0 ? await asNobody(['verify', path]) : await reprise(['verify', path])
    expect(code).toBe(1)
    expect(stderr).toMatch(/\[no-permission\]; hint: /)
  })

  test('a 600 MB line, in bounded memory', async () => {
    const path = tapeFile(`${HEADER}\n${SLEEP}\n`)
    const descriptor = openSync(path, 'r+')
    // A sparse file: 600 MB of NUL bytes, then a line break.
    writeSync(descriptor, '\n', 600 * 1024 * 1024)
    closeSync(descriptor)
    const { code, stdout } = await reprise(['verify', path])
    expect(code).toBe(2)
    expect(stdout).toContain('[damage]')
    expect(stdout).toContain('tape-line-too-long')
  })

  test('a record that is nested a million levels deep', async () => {
    const deep = SLEEP.replace(':5}}', `:5,"x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}}`)
    const { code, stdout } = await reprise(['verify', tapeFile(`${HEADER}\n${deep}\n`)])
    expect(code).toBe(2)
    expect(stdout).toContain('nested deeper than 1000 levels')
  })

  test.each([
    ['no command', [], 'reprise --help'],
    ['an unknown command', ['rewind'], 'reprise --help'],
    ['an unknown option', ['verify', 'x', '--fast'], 'reprise verify --help'],
    ['a missing argument', ['verify'], 'reprise verify --help'],
    ['a missing argument of a command in a group', ['cassette', 'show'], 'reprise cassette show --help'],
    ['a missing --out', ['repair', 'x'], 'reprise repair --help'],
    ['a number that is none', ['inspect', 'x', '--at', '1x'], 'reprise --help'],
  ])('wrong usage exits 64: %s', async (_what, args, help) => {
    const { code, stderr } = await reprise(args)
    expect(code).toBe(64)
    expect(stderr).toMatch(/^reprise: .* \[usage\]; hint: see [a-z -]+\n$/)
    expect(stderr).toContain(`hint: see ${help}\n`)
  })

  test('no stack trace without --debug, and one with it', async () => {
    expect((await reprise(['verify', '/no/such'])).stderr.split('\n')).toHaveLength(2)
    expect((await reprise(['verify', '/no/such', '--debug'])).stderr).toContain('    at ')
  })
})

/** Root may read everything, so as root the command runs as `nobody`, from a copy that everybody can read. */
async function asNobody(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const project = new URL('../../', import.meta.url).pathname
  const copy = join(tempFolder(), 'copy')
  for (const part of ['bin', 'dist', 'package.json', 'node_modules/commander']) {
    cpSync(join(project, part), join(copy, part), { recursive: true })
  }
  for (
    let folder = join(args[1] ?? '', '..');
    folder.startsWith(tmpdir()) && folder !== tmpdir();
    folder = join(folder, '..')
  )
    chmodSync(folder, 0o755)
  chmodSync(join(copy, '..'), 0o755)
  const run = spawnSync(process.execPath, [join(copy, 'bin/reprise.js'), ...args], {
    uid: 65534,
    gid: 65534,
    cwd: '/',
    encoding: 'utf8',
  })
  return { code: run.status, stderr: run.stderr }
}

function sealedTape(): string {
  const path = join(tempFolder(), 'run.tape')
  const writer = TapeWriter.open(path, fromReprise(createHeader()))
  const recorder = createStreamingRecorder(writer)
  recorder.record({ kind: 'file_delete', path: fromDisk('a.txt') })
  writer.close()
  return path
}

function tapeFile(content: string | Buffer): string {
  const folder = join(tempFolder(), 'tapes')
  mkdirSync(folder)
  const path = join(folder, 'run.tape')
  writeFileSync(path, content)
  return path
}
