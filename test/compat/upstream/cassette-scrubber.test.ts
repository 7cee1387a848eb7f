/**
 * Fizeau's cassette package: the text scrubber, and upstream's own tests (B93 to B101, B103, B112 to B119).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  acquireRecordLock,
  createTerminal,
  createTextScrubber,
  FILES,
  open,
  type Sleeper,
} from '../../../src/cassette/index.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { differs, same, superset } from '../../support/upstream.ts'
import { recorded, recordedToEnd, recorderAt, VT10X } from './recorded-cassette.ts'

const PATHS = { home: '/home/alice', worktree: '/src/project' }
const OPTIONS = {
  ...PATHS,
  envAllowlist: ['PATH'],
  accountIdentifiers: ['alice@example.com'],
  intentionallyPreserved: ['exit_code'],
}
const scrub = (text: string, options: Parameters<typeof createTextScrubber>[0] = OPTIONS) =>
  createTextScrubber(options).scrubString(text)

describe('the scrubber', () => {
  same('B93', 'a report has status, rules, hit counts, allow list, what was kept', () => {
    const { report } = scrub('Bearer SECRET')
    expect(report).toMatchObject({
      status: 'redacted',
      hitCounts: { 'bearer-token': 1 },
      envAllowlist: ['PATH'],
    })
    expect(report.intentionallyPreserved).toEqual(['exit_code'])
    expect(report.rules).toEqual([...report.rules].sort())
  })
  superset('B94', 'a recording without a report gets one that says clean', async () => {
    const { text } = await recorded()
    expect(JSON.parse(text(FILES.scrubReport))).toMatchObject({ status: 'clean', hit_counts: {} })
  })
  same('B95', 'it has home, worktree, allow list, accounts and labels', () =>
    expect(scrub('alice@example.com in /home/alice and /src/project').text).toBe(
      '<account> in $HOME and $WORKTREE',
    ),
  )
  same('B96', 'NewScrubber makes one', () => expect(createTextScrubber().scrubString('x').text).toBe('x'))
  differs(
    'B97',
    'ScrubString replaces bearer tokens, api tokens, emails, accounts, home and worktree',
    () => {
      expect(scrub('Bearer x token=abcdefghi bob@example.com').text).toBe(
        'Bearer <redacted> token=<redacted> <account>',
      )
      expect(scrub('/home/alice/y', { home: '/home/alice/' }).text).toBe('$HOME/y')
      expect(scrub('the secretary-general, bearer of news').text).toBe(
        'the secretary-general, bearer of news',
      )
    },
  )
  differs(
    'B98',
    'ScrubString replaces ids, times, process numbers, durations, sockets, temporary files, counters',
    () => {
      const text =
        '6f9619ff-8b86-d011-b42d-00cf4fc964ff 12:01:02 pid=123 42ms /tmp/test.sock /tmp/my-temp-file frame=9'
      expect(scrub(text).text).toBe(text)
      expect(scrub(text, { volatile: true }).text).toBe(
        '<uuid> <time> pid=<pid> <duration> <socket> <tmpfile> frame=<n>',
      )
    },
  )
  superset('B99', 'the report lists the rules of home and worktree if they are set', () => {
    expect(scrub('/home/alice').report).toMatchObject({ hitCounts: { 'home-path': 1 } })
    expect(scrub('x').report.rules).toEqual(expect.arrayContaining(['home-path', 'worktree-path']))
    expect(scrub('x', {}).report.rules).not.toContain('home-path')
  })
  superset('B100', 'ScrubEnv keeps the allow list and counts what it removed', () => {
    const { env, report } = createTextScrubber(OPTIONS).scrubEnv({ PATH: '/bin', SECRET: 'x' })
    expect(env).toEqual({ PATH: '/bin' })
    expect(report).toMatchObject({ status: 'redacted', hitCounts: { 'env-removed': 1 } })
  })
  same('B101', 'NormalizeVolatile replaces all of it', () => {
    const normal = createTextScrubber(OPTIONS).normalizeVolatile
    expect(normal('/home/alice alice@example.com')).toBe('$HOME <account>')
    expect(normal('at 2026-04-21T02:00:00Z took 42ms')).toBe('at <timestamp> took <duration>')
  })
  same('B103', 'a sleeper waits, or fails with the context', async () => {
    const sleeper: Sleeper = async (delayMs, signal) => {
      signal?.throwIfAborted()
      expect(delayMs).toBeGreaterThan(0)
    }
    const { out } = await recorded((recorder) =>
      [1, 2, 3, 4].forEach((n) => void recorder.recordServiceEvent(n)),
    )
    const reader = await open(out)
    await reader.replay({ mode: 'realtime', sleeper }, () => undefined)
    const signal = AbortSignal.abort()
    await expect(reader.replay({ mode: 'realtime', sleeper, signal }, () => undefined)).rejects.toThrow(
      'cancelled',
    )
  })
})

const minimal = (id = 'minimal') =>
  recorded(
    (recorder) => {
      recorder.recordOutput(Buffer.from('x'))
      const terminal = createTerminal({ rows: 2, cols: 4 })
      recorder.recordFrame({ ...terminal.snapshot(), text: ['x'], rawEnd: 1, parserOffset: 1 })
      terminal.dispose()
      recorder.recordServiceEvent({ type: 'final' })
    },
    { id, harness: { name: 'synthetic' }, terminal: { initialRows: 2, initialCols: 4, emulator: VT10X } },
  )

/** The manifest without our digests, as another program would write it. */
function rewriteManifest(out: string, change: (manifest: Record<string, unknown>) => void): void {
  const path = join(out, FILES.manifest)
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  manifest.optional = {}
  change(manifest)
  writeFileSync(path, JSON.stringify(manifest))
}

describe("upstream's own tests", () => {
  same('B112', 'a synthetic run is recorded, read and replayed', async () => {
    const { out, recorder, text } = await recordedToEnd(
      (rec) => {
        rec.recordInput({ bytes: Buffer.from('prompt') })
        rec.recordInput({ kind: 'resize', size: { rows: 5, cols: 30 } })
        rec.recordOutput(Buffer.from('hello\n'))
        const terminal = createTerminal({ rows: 4, cols: 20 })
        rec.recordFrame(terminal.snapshot())
        terminal.dispose()
        rec.recordServiceEvent({ type: 'routing', provider: 'cassette' })
        rec.writeQuota({ source: 'record-mode', status: 'captured' })
        rec.recordFinal({ exit: { code: 0, signal: '', exited: true, signaled: false }, finalText: 'done' })
      },
      { id: 'cassette-test', terminal: { initialRows: 4, initialCols: 20, emulator: VT10X } },
    )
    for (const name of Object.values(FILES))
      expect([name, existsSync(join(out, name))]).toEqual([name, name !== FILES.discovery])
    const { sha256 } = recorder.manifest().contentDigest
    const reader = await open(out, {
      expectedBinding: { id: 'cassette-test', sha256 },
      requiredEmulator: VT10X,
    })
    expect([reader.manifest().timing.resolutionMs, reader.quota()?.status, reader.final().finalText]).toEqual(
      [100, 'captured', 'done'],
    )
    expect(Buffer.from(reader.rawOutput()).toString()).toBe('hello\n')
    expect(text(FILES.output)).not.toContain('hello')
    expect(reader.events().map(({ kind }) => kind)).toEqual([
      'input',
      'input',
      'output',
      'frame',
      'service-event',
      'final',
    ])
    const delays: number[] = []
    await reader.replay(
      { mode: 'realtime', sleeper: async (delayMs) => void delays.push(delayMs) },
      () => undefined,
    )
    expect(delays.length).toBeGreaterThan(0)
  })
  same('B113', 'a wrong binding, a wrong emulator and a newer schema are refused', async () => {
    const { out } = await minimal()
    await expect(open(out, { expectedBinding: { id: 'wrong' } })).rejects.toThrow('manifest id mismatch')
    await expect(open(out, { requiredEmulator: { ...VT10X, name: 'other' } })).rejects.toThrow(
      'emulator mismatch',
    )
    writeFileSync(join(out, FILES.manifest), '{"version":2}')
    await expect(open(out)).rejects.toThrow('unsupported')
    expect(() => recorderAt(out)).toThrow('refuse to overwrite newer')
  })
  same('B114', 'missing fields, unknown features and another digest are refused', async () => {
    const { out } = await minimal()
    rewriteManifest(out, (manifest) => Object.assign(manifest, { id: '' }))
    await expect(open(out)).rejects.toThrow('missing manifest.id')
    rewriteManifest(out, (manifest) =>
      Object.assign(manifest, { id: 'minimal', required_features: ['future-required'] }),
    )
    await expect(open(out)).rejects.toThrow('unknown required feature')
    const digest = { sha256: '0'.repeat(64) }
    rewriteManifest(out, (manifest) =>
      Object.assign(manifest, { required_features: [], content_digest: digest }),
    )
    await expect(open(out)).rejects.toThrow('output digest mismatch')
    const right = { sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' }
    rewriteManifest(out, (manifest) => Object.assign(manifest, { content_digest: right }))
    rmSync(join(out, FILES.frames))
    await expect(open(out)).rejects.toThrow(FILES.frames)
  })
  same('B115', 'unknown optional fields within a version are ignored', async () => {
    const { out } = await minimal()
    rewriteManifest(out, (manifest) => Object.assign(manifest, { future_optional: { ok: true } }))
    expect((await open(out)).manifest().id).toBe('minimal')
  })
  same('B116', 'secrets and volatile values are replaced (with the option volatile)', () => {
    const text =
      'Bearer SECRET token=abcdefghi alice@example.com /home/alice /src/project 2026-04-21T02:00:00Z 12:01:02 pid=123 42ms ' +
      '/tmp/test.sock /tmp/my-temp-file frame=9 6f9619ff-8b86-d011-b42d-00cf4fc964ff'
    const { text: scrubbed, report } = scrub(text, { ...OPTIONS, volatile: true })
    expect(scrubbed).toBe(
      'Bearer <redacted> token=<redacted> <account> $HOME $WORKTREE <timestamp> <time> pid=<pid> <duration> <socket> <tmpfile> frame=<n> <uuid>',
    )
    expect(report).toMatchObject({ status: 'redacted', hitCounts: { 'bearer-token': 1 } })
  })
  same('B117', 'the record lock fails at once; replays go side by side', async () => {
    const root = tempFolder()
    const lock = acquireRecordLock(root, 'acct@example.com')
    expect(() => acquireRecordLock(root, 'acct@example.com')).toThrow('already held')
    lock.release()
    acquireRecordLock(root, 'acct@example.com').release()
    using _a = acquireRecordLock(root, 'a/b')
    using _b = acquireRecordLock(root, 'a_b')
    const reader = await open((await minimal()).out)
    const counts = await Promise.all(
      Array.from({ length: 8 }, async () => {
        let events = 0
        await reader.replay({ mode: 'collapsed' }, () => {
          events += 1
        })
        return events
      }),
    )
    expect(counts).toEqual(Array(8).fill(4))
  })
  same('B118', 'a recorder demands a final record', async () => {
    const recorder = recorderAt(join(tempFolder(), 'c'), { id: 'missing-final' })
    recorder.recordOutput(Buffer.from('x'))
    await expect(recorder.close()).rejects.toThrow('missing required final.json')
  })
  same('B119', 'a missing emulator is reported before a mismatch', async () => {
    const { out } = await minimal()
    rewriteManifest(out, (manifest) => Object.assign(manifest, { terminal: { emulator: {} } }))
    await expect(open(out, { requiredEmulator: VT10X })).rejects.toThrow('missing manifest.terminal.emulator')
  })
})
