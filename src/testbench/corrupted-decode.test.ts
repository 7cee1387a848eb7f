/**
 * The judge alone finds a wrong delivery. Each test corrupts what one effect family reads from a tape, and
 * replays a program that accepts everything it receives. The session notices nothing; the comparison of the
 * two tapes reports the record that was corrupted. The bytes of a terminal are in no record of their own:
 * their hash is in `terminal_session`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Corruption,
  corruptCalls,
  corruptFamily,
  corruptReads,
} from '../../test/support/corrupted-parts.ts'
import {
  bytes,
  chatted,
  connected,
  cut,
  FILE,
  fetched,
  filesLater,
  filesNow,
  framed,
  HEAD,
  listened,
  type Program,
  painted,
  REFUSED,
  reads,
  reset,
  served,
  servedBytes,
  servedChat,
  servedSlowly,
  servedWhole,
  spawned,
  spawnedNow,
  stderr,
  taken,
  timers,
  typed,
  unreached,
  work,
} from '../../test/support/scripted-programs.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { label } from '../base/index.ts'
import { activeSession, runInSession } from '../boundaries/context.ts'
import type { Http2Frame } from '../boundaries/http2-frame.ts'
import type { Answer, HttpHead, IncomingRequest, Outcome, Session } from '../boundaries/session.ts'
import type { TapeRecord } from '../tape/index.ts'
import { readTapeEvents } from '../tape/index.ts'
import type { ReplayParts } from './compose/replay-contract.ts'
import { record } from './library/in-process.ts'
import { openReplay } from './library/open-replay.ts'
import type { TapeSource } from './sources/tape-source-contract.ts'

const outcomes =
  (change: (outcome: Outcome) => Outcome): Corruption =>
  (deliveries) =>
    deliveries.map((delivery) => ({ ...delivery, outcome: change(delivery.outcome) }))

const missing: Corruption = () => []

/** Changes the first byte. */
const flipped = (given: Uint8Array): Uint8Array =>
  Uint8Array.from(given, (byte, at) => (at === 0 ? byte ^ 1 : byte))
const oneByte = outcomes((outcome) =>
  outcome.type === 'chunk' ? { ...outcome, bytes: flipped(outcome.bytes) } : outcome,
)
const oneByteLess = outcomes((outcome) =>
  outcome.type === 'chunk' ? { ...outcome, bytes: outcome.bytes.subarray(1) } : outcome,
)
const head = (change: Partial<HttpHead>): Corruption =>
  outcomes((outcome) => (outcome.type === 'head' ? { ...outcome, ...change } : outcome))
const asked = (change: Partial<IncomingRequest>): Corruption =>
  outcomes((outcome) => (outcome.type === 'request' ? { ...outcome, ...change } : outcome))
const otherBody = outcomes((outcome) =>
  outcome.type === 'request' && outcome.body !== undefined
    ? { ...outcome, body: flipped(outcome.body) }
    : outcome,
)
const noBody = asked({ body: new Uint8Array() })
const otherError = outcomes((outcome) =>
  outcome.type === 'error' ? { ...outcome, error: { ...outcome.error, code: 'ECONNRESET' } } : outcome,
)
const otherMessage = outcomes((outcome) =>
  outcome.type === 'ws_message' ? { ...outcome, bytes: flipped(outcome.bytes) } : outcome,
)
const frame = (change: Partial<Http2Frame>): Corruption =>
  outcomes((outcome) =>
    outcome.type === 'http2' ? { ...outcome, frame: { ...outcome.frame, ...change } as Http2Frame } : outcome,
  )
const aPing = outcomes((outcome) =>
  outcome.type === 'ws_message' ? { ...outcome, message: label('ping') } : outcome,
)
const otherExit = outcomes((outcome) => (outcome.type === 'exit' ? { ...outcome, code: 0 } : outcome))
const bySignal = outcomes((outcome) =>
  outcome.type === 'exit' ? { ...outcome, signal: label('SIGKILL') } : outcome,
)
const otherTerminalExit = outcomes((outcome) =>
  outcome.type === 'terminal_exit' ? { ...outcome, exitCode: 0 } : outcome,
)
const anEnd = outcomes(() => ({ type: 'end', trailers: [] }))
const trailer = outcomes((outcome) =>
  outcome.type === 'end' ? { ...outcome, trailers: [['x-sum', '1']] } : outcome,
)
const otherStream = outcomes((outcome) => ('stream' in outcome ? { ...outcome, stream: stderr } : outcome))

/** Delivers the bytes of two chunks in the other order. */
function swapped(): Corruption {
  const other = new Map([
    ['first ', 'second '],
    ['second ', 'first '],
    ['one\n', 'two\n'],
    ['two\n', 'one\n'],
    ['yes\n', 'no\n'],
    ['no\n', 'yes\n'],
    ['$ ls\r\n', 'a  b\r\n'],
    ['a  b\r\n', '$ ls\r\n'],
  ])
  return outcomes((outcome) => {
    if (outcome.type !== 'chunk') return outcome
    return { ...outcome, bytes: bytes(other.get(Buffer.from(outcome.bytes).toString()) ?? '') }
  })
}

const answers = (change: (answer: Answer) => Answer) => change
const otherContent = answers((answer) =>
  answer.type === 'file_read' ? { ...answer, bytes: flipped(answer.bytes) } : answer,
)
const otherResult = answers((answer) =>
  answer.type === 'fs_call' ? { ...answer, result: { size: 9 } } : answer,
)
const otherFailure = answers((answer) =>
  answer.type === 'fs_call' && answer.error !== null
    ? { ...answer, error: { ...answer.error, code: 'EACCES' } }
    : answer,
)
const noFailure = answers((answer) => (answer.type === 'fs_call' ? { ...answer, error: null } : answer))
const otherOutput = answers((answer) =>
  answer.type === 'process_spawn' ? { ...answer, stdout: flipped(answer.stdout) } : answer,
)
const otherWarning = answers((answer) =>
  answer.type === 'process_spawn' ? { ...answer, stderr: flipped(answer.stderr) } : answer,
)
const otherCode = answers((answer) => (answer.type === 'process_spawn' ? { ...answer, exitCode: 1 } : answer))

/** The first record of the kind, or the one at `at` among them. */
type Place = { readonly kind: string; readonly at?: number }

type InFamily = readonly [
  family: string,
  what: string,
  program: Program,
  place: Place,
  corrupt: Corruption,
  isEvery: boolean,
]

const inFamily: readonly InFamily[] = [
  ['http', 'another status', fetched, { kind: 'http_exchange' }, head({ status: 201 }), false],
  ['http', 'another status text', fetched, { kind: 'http_exchange' }, head({ statusText: 'Fine' }), false],
  [
    'http',
    'one header less',
    fetched,
    { kind: 'http_exchange' },
    head({ headers: [['content-type', 'text/plain']] }),
    false,
  ],
  [
    'http',
    'one header changed',
    fetched,
    { kind: 'http_exchange' },
    head({ headers: [HEAD.headers[0] ?? ['', ''], ['x-served-by', 'b']] }),
    false,
  ],
  ['http', 'one byte of the body', fetched, { kind: 'stream_chunk', at: 1 }, oneByte, false],
  ['http', 'one byte less', fetched, { kind: 'stream_chunk' }, oneByteLess, false],
  ['http', 'chunks in another order', fetched, { kind: 'stream_chunk' }, swapped(), true],
  ['http', 'a chunk missing', fetched, { kind: 'stream_chunk', at: 1 }, missing, false],
  ['http', 'the head missing', fetched, { kind: 'http_exchange' }, missing, false],
  ['http', 'the end missing', fetched, { kind: 'stream_end' }, missing, false],
  ['http', 'a trailer more', fetched, { kind: 'stream_end' }, trailer, false],
  ['http', 'another error in the body', cut, { kind: 'stream_end' }, otherError, false],
  ['http', 'an end in place of an error', cut, { kind: 'stream_end' }, anEnd, false],
  ['http', 'another error in place of a response', unreached, { kind: 'http_exchange' }, otherError, false],
  [
    'http',
    'a response in place of an error',
    unreached,
    { kind: 'http_exchange' },
    outcomes(() => HEAD),
    false,
  ],
  ['server', 'another address', listened, { kind: 'stream_chunk' }, oneByte, false],
  ['server', 'a connection missing', listened, { kind: 'stream_chunk', at: 1 }, missing, false],
  ['server', 'another failure to listen', taken, { kind: 'stream_end' }, otherError, false],
  ['server', 'another method', served, { kind: 'server_request' }, asked({ method: 'PUT' }), false],
  ['server', 'another target', served, { kind: 'server_request', at: 1 }, asked({ target: '/b' }), false],
  [
    'server',
    'one header less',
    served,
    { kind: 'server_request' },
    asked({ headers: [['host', 'a']] }),
    false,
  ],
  ['server', 'a request missing', served, { kind: 'server_request', at: 1 }, missing, false],
  ['server', 'one byte of a body', served, { kind: 'stream_chunk', at: 1 }, oneByte, false],
  ['server', 'chunks of a body in another order', served, { kind: 'stream_chunk' }, swapped(), true],
  ['server', 'a trailer more', served, { kind: 'stream_end' }, trailer, false],
  ['server', 'the end of the connection missing', served, { kind: 'stream_end', at: 2 }, missing, false],
  ['server', 'one byte of a whole body', servedWhole, { kind: 'server_request' }, otherBody, false],
  ['server', 'no whole body', servedWhole, { kind: 'server_request' }, noBody, false],
  ['server', 'one byte', servedBytes, { kind: 'stream_chunk' }, oneByte, false],
  ['server', 'another error', servedBytes, { kind: 'stream_end' }, otherError, false],
  ['server', 'an end in place of an error', servedBytes, { kind: 'stream_end' }, anEnd, false],
  ['server', 'the client has read nothing', servedSlowly, { kind: 'completion' }, missing, false],
  ['server', 'one byte of a message', servedChat, { kind: 'ws_message', at: 1 }, otherMessage, false],
  ['server', 'a message missing', servedChat, { kind: 'ws_message', at: 2 }, missing, false],
  ['server', 'a ping in place of a text', servedChat, { kind: 'ws_message', at: 1 }, aPing, false],
  ['process', 'another exit code', spawned, { kind: 'process_exit' }, otherExit, false],
  ['process', 'a signal in place of a code', spawned, { kind: 'process_exit' }, bySignal, false],
  ['process', 'one byte of stdout', spawned, { kind: 'stream_chunk' }, oneByte, false],
  ['process', 'one byte of stderr', spawned, { kind: 'stream_chunk', at: 2 }, oneByte, false],
  ['process', 'stdout on stderr', spawned, { kind: 'stream_chunk', at: 1 }, otherStream, false],
  ['process', 'chunks in another order', spawned, { kind: 'stream_chunk' }, swapped(), true],
  ['process', 'a chunk missing', spawned, { kind: 'stream_chunk', at: 1 }, missing, false],
  ['process', 'the end of stdout missing', spawned, { kind: 'stream_end' }, missing, false],
  ['process', 'the exit missing', spawned, { kind: 'process_exit' }, missing, false],
  ['socket', 'one byte', connected, { kind: 'stream_chunk', at: 1 }, oneByte, false],
  ['socket', 'one byte less', connected, { kind: 'stream_chunk', at: 2 }, oneByteLess, false],
  ['socket', 'a chunk missing', connected, { kind: 'stream_chunk', at: 2 }, missing, false],
  ['socket', 'the peer has taken nothing', connected, { kind: 'completion' }, missing, false],
  ['socket', 'the end missing', connected, { kind: 'stream_end' }, missing, false],
  ['socket', 'another error', reset, { kind: 'stream_end' }, otherError, false],
  ['socket', 'an end in place of an error', reset, { kind: 'stream_end' }, anEnd, false],
  ['socket', 'one byte of a message', chatted, { kind: 'ws_message', at: 1 }, otherMessage, false],
  ['socket', 'a message missing', chatted, { kind: 'ws_message', at: 2 }, missing, false],
  ['socket', 'a ping in place of a text', chatted, { kind: 'ws_message', at: 1 }, aPing, false],
  ['http2', 'one byte', framed, { kind: 'http2_frame', at: 3 }, frame({ bytes: bytes('firsu ') }), false],
  ['http2', 'another stream', framed, { kind: 'http2_frame', at: 3 }, frame({ stream: 3 }), false],
  [
    'http2',
    'another header',
    framed,
    { kind: 'http2_frame', at: 2 },
    frame({ headers: [[':status', '201']] }),
    false,
  ],
  ['http2', 'another code', framed, { kind: 'http2_frame', at: 5 }, frame({ code: 2 }), false],
  ['http2', 'a frame missing', framed, { kind: 'http2_frame', at: 3 }, missing, false],
  ['terminal', 'one byte', painted, { kind: 'terminal_session' }, oneByte, true],
  ['terminal', 'one byte less', painted, { kind: 'terminal_output', at: 1 }, oneByteLess, false],
  ['terminal', 'chunks in another order', painted, { kind: 'terminal_session' }, swapped(), true],
  ['terminal', 'a chunk missing', painted, { kind: 'terminal_output', at: 1 }, missing, false],
  ['terminal', 'another exit code', painted, { kind: 'terminal_session' }, otherTerminalExit, false],
  ['terminal', 'the exit missing', painted, { kind: 'terminal_session' }, missing, false],
  ['simple', 'a timer missing', timers, { kind: 'timer_fire', at: 1 }, missing, false],
  ['simple', 'the first timer missing', timers, { kind: 'timer_fire' }, missing, false],
  [
    'simple',
    'a completion in place of a timer',
    timers,
    { kind: 'timer_fire' },
    outcomes(() => ({ type: 'completion' })),
    false,
  ],
  ['simple', 'a completion missing', work, { kind: 'completion' }, missing, false],
  ['simple', 'one byte of stdin', typed, { kind: 'stream_chunk', at: 1 }, oneByte, false],
  ['simple', 'chunks of stdin in another order', typed, { kind: 'stream_chunk' }, swapped(), true],
  ['simple', 'a chunk of stdin missing', typed, { kind: 'stream_chunk' }, missing, false],
  [
    'simple',
    'an error in place of the end of stdin',
    typed,
    { kind: 'stream_end' },
    outcomes(() => REFUSED),
    false,
  ],
  ['simple', 'an answer missing', filesLater, { kind: 'file_read' }, missing, false],
]

const inCalls: readonly (readonly [
  what: string,
  program: Program,
  place: Place,
  corrupt: (answer: Answer) => Answer,
])[] = [
  ['one byte of a file, later', filesLater, { kind: 'file_read' }, otherContent],
  ['another result, later', filesLater, { kind: 'fs_call' }, otherResult],
  ['another error, later', filesLater, { kind: 'fs_call', at: 1 }, otherFailure],
  ['one byte of a file', filesNow, { kind: 'file_read' }, otherContent],
  ['another result', filesNow, { kind: 'fs_call' }, otherResult],
  ['another error', filesNow, { kind: 'fs_call', at: 1 }, otherFailure],
  ['no error', filesNow, { kind: 'fs_call', at: 1 }, noFailure],
  ['a file in place of a result', filesNow, { kind: 'fs_call' }, () => FILE],
  ['one byte of stdout of spawnSync', spawnedNow, { kind: 'process_spawn' }, otherOutput],
  ['one byte of stderr of spawnSync', spawnedNow, { kind: 'process_spawn' }, otherWarning],
  ['another exit code of spawnSync', spawnedNow, { kind: 'process_spawn' }, otherCode],
]

const inReads: readonly (readonly [
  what: string,
  place: Place,
  corrupt: (tape: TapeSource) => Partial<TapeSource>,
])[] = [
  [
    'another time',
    { kind: 'clock_read' },
    (tape) => ({
      readClock: (read, perform) => ({ ...tape.readClock(read, perform), value: { unit: 'ms', value: 1 } }),
    }),
  ],
  [
    'one random byte',
    { kind: 'random_read' },
    (tape) => ({
      readRandom(read, perform) {
        const given = tape.readRandom(read, perform)
        return { ...given, value: flipped(given.value) }
      },
    }),
  ],
  [
    'another variable',
    { kind: 'env_read' },
    (tape) => ({ readFact: (read, perform) => ({ ...tape.readFact(read, perform), value: 'D' }) }),
  ],
]

function recordsOf(path: string): TapeRecord[] {
  return [...readTapeEvents(path)].flatMap((event) => (event.type === 'record' ? [event.record] : []))
}

/** What lies between header and seal. */
const bodyOf = (path: string): string =>
  readFileSync(path, 'utf8').trimEnd().split('\n').slice(1, -1).join('\n')

const current = (): Session => {
  const session = activeSession()
  if (session === null) throw new Error('no session')
  return session
}

/**
 * Records the program, shows that its replay is faithful and equal, and gives the tape and the record at
 * `place`.
 */
async function recorded(
  program: Program,
  { kind, at = 0 }: Place,
): Promise<{ readonly tape: string; readonly seq: number }> {
  const tape = join(tempFolder(), 'run.tape')
  await record(tape, () => program(current()))
  const wanted = recordsOf(tape).filter((each) => each.kind.kind === kind)[at]
  if (wanted === undefined) throw new Error(`the tape has no ${kind} at ${at}`)
  const second = join(tempFolder(), 'second.tape')
  using plain = openReplay({ path: tape, match: undefined, scrub: undefined, emit: second })
  await runInSession(plain.session, () => program(plain.session))
  expect(plain.judge()).toMatchObject({ verdict: 'faithful', divergences: [], unused: [] })
  expect(bodyOf(second)).toBe(bodyOf(tape))
  return { tape, seq: wanted.seq }
}

async function expectDiverged(
  tape: string,
  program: Program,
  seq: number,
  replaceParts: (parts: ReplayParts) => ReplayParts,
): Promise<void> {
  const second = join(tempFolder(), 'second.tape')
  using replay = openReplay({ path: tape, match: undefined, scrub: undefined, replaceParts, emit: second })
  await runInSession(replay.session, () => program(replay.session))
  const report = replay.judge()
  expect(replay.firstDivergence()).toBeNull()
  expect(bodyOf(second)).not.toBe(bodyOf(tape))
  expect(report.verdict).toBe('diverged')
  expect(report.divergences[0]?.seq).toBe(seq)
}

describe('the judge finds a corrupted delivery that the session and the program accept', () => {
  test.each(inFamily)('%s: %s', async (family, _what, program, place, corrupt, isEvery) => {
    const { tape, seq } = await recorded(program, place)
    const wanted = (each: TapeRecord): boolean => isEvery || each.seq === seq
    await expectDiverged(tape, program, seq, corruptFamily(family, wanted, corrupt))
  })

  test.each(inCalls)('calls: %s', async (_what, program, place, corrupt) => {
    const { tape, seq } = await recorded(program, place)
    await expectDiverged(
      tape,
      program,
      seq,
      corruptCalls((each) => each.seq === seq, corrupt),
    )
  })

  test.each(inReads)('reads: %s', async (_what, place, corrupt) => {
    const { tape, seq } = await recorded(reads, place)
    await expectDiverged(tape, reads, seq, corruptReads(corrupt))
  })
})
