/** Files that are damaged, cut, empty, foreign, growing or hostile open, and their findings are shown. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openTapeIndex } from '../../src/viewer/index/index-folder.ts'
import { openViewer } from '../../src/viewer/items/open-viewer.ts'
import type { FollowEvent } from '../../src/viewer/protocol.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openTapeView } from './indexed-tape.ts'

const OURS =
  '{"type":"header","version":1,"harn_version":"reprise/0.1.0","started_at_unix_ms":null,"script_path":null,"argv":[],"producer":{"name":"reprise","version":"0.0.9"},"command":["node","agent.mjs"]}'
const record = (seq: number, kind = '{"kind":"clock_sleep","duration_ms":5}'): string =>
  `{"type":"record","seq":${seq},"phase":"user_script","virtual_time_ms":${1000 + seq},"monotonic_ms":${seq},"kind":${kind}}`

function tapeFile(text: string | Buffer): string {
  const path = join(tempFolder(), 'run.tape')
  writeFileSync(path, text)
  return path
}

describe('a tape', () => {
  test.each([
    ['empty', '', 'unreadable', ['tape-empty'], 0],
    ['without header', `${record(0)}\n`, 'unreadable', ['tape-header-missing'], 0],
    ['that is no tape', 'hello\n', 'unreadable', ['tape-header-invalid'], 0],
    [
      'of a newer version',
      `${OURS.replace('"version":1', '"version":99')}\n`,
      'unreadable',
      ['tape-version'],
      0,
    ],
    ['with CRLF', `${OURS}\r\n${record(0)}\r\n`, 'unreadable', ['tape-crlf'], 0],
    ['of bytes', Buffer.from([0xff, 0xfe, 0, 10]), 'unreadable', ['tape-header-invalid'], 0],
    ['that is not sealed', `${OURS}\n${record(0)}\n`, 'open', ['unsealed'], 1],
    ['that is cut', `${OURS}\n${record(0)}\n{"type":"rec`, 'damaged', ['unsealed', 'torn'], 2],
    [
      'with a damaged line',
      `${OURS}\n${record(0)}\nrubbish\n${record(1)}\n`,
      'damaged',
      ['unsealed', 'damage'],
      3,
    ],
    ['with NUL bytes', `${OURS}\n${record(0)}\n\0\0\0\n`, 'damaged', ['unsealed', 'damage'], 2],
    [
      'with a jump in its numbers',
      `${OURS}\n${record(0)}\n${record(7)}\n`,
      'open',
      ['unsealed', 'seq-jump'],
      2,
    ],
    [
      'with a gap',
      `${OURS}\n${record(0, '{"kind":"gap","boundary":"network","reason":"a socket"}')}\n`,
      'open',
      ['unsealed', 'gap'],
      1,
    ],
    [
      'without its payloads',
      `${OURS}\n${record(0, `{"kind":"file_read","path":"a","content_hash":"x","len_bytes":9,"payload":{"content_hash":"${'0'.repeat(64)}","len_bytes":9}}`)}\n`,
      'open',
      ['unsealed', 'cas-missing'],
      1,
    ],
  ])('%s opens', async (_, content, verdict, codes, rows) => {
    const { view } = await openTapeView(tapeFile(content))
    const overview = await view.overview()
    expect(overview.verdict).toBe(verdict)
    expect(overview.findings.findings.map(({ code }) => code)).toEqual(codes)
    const window = await view.rows({ filter: {}, from: 0, count: 100 })
    expect(window.total).toBe(rows)
    for (const { row } of window.rows) expect((await view.details(row)).row.row).toBe(row)
    await view.buckets({ axis: 'time', from: 0, to: 10, count: 5 })
    await view.spans({ axis: 'time', from: 0, to: 10, limit: 5 })
  })

  test('of another system opens with a note', async () => {
    const path = join(tempFolder(), 'harn.tape')
    copyFileSync(new URL('../fixtures/tape/harn-0.8.26-replay-fidelity.tape', import.meta.url), path)
    const overview = await (await openTapeView(path)).view.overview()
    expect(overview).toMatchObject({ verdict: 'foreign', origin: { writer: '0.8.26', foreign: true } })
    expect(overview.findings.findings[0]).toMatchObject({ code: 'unsealed-foreign', severity: 'note' })
  })

  test('tells its findings one by one, forward and backward', async () => {
    const { view } = await openTapeView(
      tapeFile(`${OURS}\n${record(0)}\nbad\n${record(1)}\nworse\n${record(2)}\n`),
    )
    const forward = await view.nextFinding(-1, 1)
    expect(forward).toMatchObject({ code: 'damage', row: 1, line: 3 })
    expect(await view.nextFinding(1, 1)).toMatchObject({ row: 3 })
    expect(await view.nextFinding(3, 1)).toBeNull()
    expect(await view.nextFinding(3, -1)).toMatchObject({ row: 1 })
  })
})

describe('an index', () => {
  test('is a folder of mode 0700 with files of mode 0600, and is used again', async () => {
    const path = tapeFile(`${OURS}\n${record(0)}\n`)
    const { folder } = await openTapeIndex(path)
    expect(folder).toBe(`${path}.index`)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const before = statSync(join(folder, 'index.json')).ino
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    await openTapeIndex(path)
    expect(statSync(join(folder, 'index.json')).ino).toBe(before)
  })

  test('is built again when the tape has changed, or the index is of another version or damaged', async () => {
    const path = tapeFile(`${OURS}\n${record(0)}\n`)
    expect((await openTapeIndex(path)).metadata.rows).toBe(1)
    appendFileSync(path, `${record(1)}\n`)
    expect((await openTapeIndex(path)).metadata.rows).toBe(2)
    const file = `${path}.index/index.json`
    for (const broken of ['{', '{}', readFileSync(file, 'utf8').replace('"version":1', '"version":0')]) {
      writeFileSync(file, broken)
      expect((await openTapeIndex(path)).metadata.rows).toBe(2)
    }
    expect(readdirSync(join(path, '..')).sort()).toEqual(['run.tape', 'run.tape.index'])
  })

  test.each(['copied', 'rewritten', 'linked'])('is not used if its files are %s', async (how) => {
    const path = tapeFile(`${OURS}\n${record(0)}\n`)
    const { folder } = await openTapeIndex(path)
    const file = join(folder, 'index.json')
    // A made-up index claims another record; size and time of the tape fit.
    const claimed = readFileSync(file, 'utf8').replace('"rows":1', '"rows":7')
    if (how === 'copied') {
      renameSync(folder, `${folder}.made`)
      cpSync(`${folder}.made`, folder, { recursive: true, preserveTimestamps: true })
    } else {
      rmSync(join(folder, 'rows.bin'))
      if (how === 'linked') symlinkSync(path, join(folder, 'rows.bin'))
      else writeFileSync(join(folder, 'rows.bin'), Buffer.alloc(40, 255))
    }
    writeFileSync(file, claimed)
    expect((await openTapeIndex(path)).metadata.rows).toBe(1)
  })
})

test.each(['a folder with files of the user', 'a file'])(
  'nothing is removed where an index would be: %s',
  async (what) => {
    const path = tapeFile(`${OURS}\n${record(0)}\n`)
    const cache = tempFolder()
    vi.stubEnv('XDG_CACHE_HOME', cache)
    onTestFinished(() => void vi.unstubAllEnvs())
    if (what === 'a file') writeFileSync(`${path}.index`, 'mine')
    else {
      mkdirSync(`${path}.index`)
      writeFileSync(`${path}.index/mine.txt`, 'mine')
    }
    const { folder, metadata } = await openTapeIndex(path)
    expect(folder.startsWith(`${cache}/reprise/viewer/`)).toBe(true)
    expect(metadata.rows).toBe(1)
    expect(readFileSync(what === 'a file' ? `${path}.index` : `${path}.index/mine.txt`, 'utf8')).toBe('mine')
  },
)

test('two viewers that index one tape at the same moment both open', async () => {
  const path = tapeFile(`${OURS}\n${record(0)}\n`)
  const opened = await Promise.all([openTapeIndex(path), openTapeIndex(path), openTapeIndex(path)])
  expect(opened.map(({ metadata }) => metadata.rows)).toEqual([1, 1, 1])
})

test('a growing tape reports its rows, its seal, and that it was replaced', async () => {
  const path = tapeFile(`${OURS}\n${record(0)}\n`)
  const viewer = await openViewer([path], { follow: true })
  onTestFinished(() => viewer.close())
  const events: FollowEvent[] = []
  let arrived: () => void = () => undefined
  viewer.source.follow((event) => {
    events.push(event)
    arrived()
  })
  const until = async (type: FollowEvent['type']): Promise<FollowEvent> => {
    for (;;) {
      const found = events.find((event) => event.type === type)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
  }
  expect((await viewer.source.overview('0')).verdict).toBe('open')
  const many = Array.from({ length: 600 }, (_, at) => record(at + 1)).join('\n')
  // A line that is not finished yet is no row, and no damage.
  appendFileSync(path, `${many}\n${record(601).slice(0, 20)}`)
  expect(await until('grown')).toMatchObject({ item: '0', fromRow: 1, rows: 601 })
  expect(await viewer.source.overview('0')).toMatchObject({ verdict: 'open', rows: 601 })
  const last = await viewer.source.rows('0', { filter: { kinds: ['clock_sleep'] }, from: 600, count: 5 })
  expect(last).toMatchObject({ total: 601, rows: [{ row: 600, seq: 600 }] })
  expect(await viewer.source.search('0', { text: '"seq":599', from: 0, count: 5 })).toMatchObject({
    total: 1,
  })
  const seal = `{"kind":"tape_seal","records":602,"chain":"${'0'.repeat(64)}","boundaries":{},"exit":{"code":0,"signal":null},"stdout":null,"stderr":null}`
  appendFileSync(path, `${record(601).slice(20)}\n${record(602, seal)}\n`)
  await until('sealed')
  expect(await viewer.source.overview('0')).toMatchObject({ verdict: 'sealed', rows: 603, exit: { code: 0 } })
  writeFileSync(path, `${OURS}\n`)
  await until('replaced')
  expect((await viewer.source.overview('0')).rows).toBe(0)
  await viewer.close()
  expect(readdirSync(join(path, '..'))).toEqual(['run.tape'])
})
