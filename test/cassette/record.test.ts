/**
 * Recording real programs through the library: what is typed, what comes back, how it ends, and what reaches
 * the disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createRecorder,
  open,
  type RecordOptions,
  readScript,
  recordSession,
} from '../../src/cassette/index.ts'
import { finderOf } from '../../src/cassette/scrub/finder-of.ts'
import { createTerminalScrubber } from '../../src/cassette/scrub/stream-scrubber.ts'
import { createScrubber } from '../../src/scrub/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const KEY = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AAAA'

function everyByte(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n')
}

async function record(argv: readonly string[], options: Partial<RecordOptions> = {}) {
  const out = join(tempFolder(), 'c')
  const recorded = await recordSession({ out, argv, ...options })
  return { out, recorded, reader: await open(out) }
}

describe('a recorded program', () => {
  test('ends with its exit code, its bytes and its screen', async () => {
    const { recorded, reader } = await record(['bash', '-c', 'printf "one\\ntwo\\n"; exit 3'])
    expect(recorded).toMatchObject({
      exit: { code: 3, signal: '', exited: true, signaled: false },
      bytes: 10,
      timedOut: false,
    })
    expect(Buffer.from(reader.rawOutput()).toString()).toBe('one\r\ntwo\r\n')
    expect(reader.final()).toMatchObject({ finalText: 'one\ntwo', exit: { code: 3 } })
    expect(reader.frames().at(-1)?.text.slice(0, 3)).toEqual(['one', 'two', ''])
    expect(reader.scrubReport().status).toBe('clean')
  })

  test('killed by a signal has code -1 and the words of the system', async () => {
    const { reader } = await record(['bash', '-c', 'kill -TERM $$'])
    expect(reader.final().exit).toEqual({ code: -1, signal: 'terminated', exited: false, signaled: true })
  })

  test('sees the variables of its list and no other', async () => {
    process.env.REPRISE_TEST_SHOWN = 'shown'
    process.env.REPRISE_TEST_HIDDEN = 'hidden'
    const { reader } = await record(['env'], { env: ['REPRISE_TEST_SHOWN', 'REPRISE_TEST_SET=set'] })
    const names = Buffer.from(reader.rawOutput())
      .toString()
      .split('\r\n')
      .map((line) => line.split('=')[0] ?? '')
    const allowed =
      /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_\w+|TZ|TMPDIR|PWD|REPRISE_TEST_SHOWN|REPRISE_TEST_SET|)$/
    expect(names.filter((name) => !allowed.test(name))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['REPRISE_TEST_SHOWN', 'REPRISE_TEST_SET', 'TERM']))
    expect(reader.manifest().command.envAllowlist).toContain('REPRISE_TEST_SET')
  })

  test('is killed after its time, with everything it started', async () => {
    const { recorded, reader } = await record(
      ['bash', '-c', 'trap "" TERM HUP; sleep 300 & echo $!; wait; sleep 300'],
      { timeoutMs: 300 },
    )
    expect(recorded).toMatchObject({ timedOut: true, exit: { signal: 'killed' } })
    expect(reader.inputs().map((input) => [input.kind, input.signal])).toEqual([['signal', 'kill']])
    const sleeper = Number(Buffer.from(reader.rawOutput()).toString().trim())
    expect(existsSync(`/proc/${sleeper}/exe`)).toBe(false)
  })

  test('that is driven by a script: waits, types, presses, resizes', async () => {
    const script = readScript(`
      wait "ready>"
      type "hello"
      press enter
      resize 30 100
      wait size=30 100
      signal int
      exit
    `)
    const program =
      'trap "stty size | sed s/^/size=/" WINCH; trap "echo bye; exit 5" INT; printf "ready>"; read line; echo "got $line"; while :; do sleep 0.05; done'
    const { recorded, reader } = await record(['bash', '-c', program], { script })
    expect(recorded.exit.code).toBe(5)
    expect(
      reader
        .inputs()
        .map((input) => [
          input.kind,
          Buffer.from(input.bytes ?? []).toString(),
          input.key,
          input.size,
          input.signal,
        ]),
    ).toEqual([
      ['input', 'hello', '', null, ''],
      ['input', '\r', 'enter', null, ''],
      ['resize', '', '', { rows: 30, cols: 100 }, ''],
      ['signal', '', '', null, 'int'],
    ])
    const sizes = reader.frames().map((frame) => frame.size.rows)
    expect([sizes.includes(24) || sizes.length > 0, sizes.at(-1)]).toEqual([true, 30])
  })

  test('gets the answers that a terminal owes it, and they are on the cassette as such', async () => {
    const { reader } = await record([
      'bash',
      '-c',
      'printf "abc\\033[6n"; read -rs -d R answer; printf "%q" "$answer"',
    ])
    expect(reader.inputs().map((input) => [Buffer.from(input.bytes ?? []).toString(), input.reply])).toEqual([
      ['\x1b[1;4R', true],
    ])
    expect(Buffer.from(reader.rawOutput()).toString()).toContain("$'\\E[1;4'")
  })

  test('10 MB of output, none of it lost', async () => {
    const { recorded, reader } = await record(
      ['bash', '-c', 'head -c 10000000 /dev/zero | tr "\\0" "x" | fold -w 99'],
      { frames: false },
    )
    const lines = Buffer.from(reader.rawOutput()).toString().split('\r\n')
    expect([
      recorded.bytes,
      lines.length,
      lines.every((line, at) => at === lines.length - 1 || line.length === 99),
    ]).toEqual([10_202_020, 101_011, true])
  })

  test.each([
    [['no-such-program'], 'cassette-spawn'],
    [[''], 'cassette-spawn'],
    [[], 'cassette-spawn'],
  ])('%j cannot be started, and leaves nothing', async (argv, code) => {
    const folder = tempFolder()
    await expect(recordSession({ out: join(folder, 'c'), argv })).rejects.toMatchObject({ code })
    expect(readdirSync(folder)).toEqual([])
  })

  test('a script that waits in vain is an error with the screen, and leaves nothing', async () => {
    const folder = tempFolder()
    const script = readScript('timeout 300\nwait never')
    await expect(
      recordSession({ out: join(folder, 'c'), argv: ['bash', '-c', 'echo shown; sleep 60'], script }),
    ).rejects.toMatchObject({
      code: 'cassette-script-timeout',
      hint: 'the screen ends with: shown',
    })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('secrets', () => {
  test('from the environment never reach the disk, whole, coloured, typed key by key or as an argument', async () => {
    process.env.REPRISE_TEST_API_KEY = KEY
    const script = readScript(
      `wait ready\n${[...KEY].map((char) => `type ${char}`).join('\n')}\npress enter\nexit`,
    )
    const program = `echo ready; read line; echo "$line"; printf '\\033[1m%s\\033[0m\\033[31m%s\\n' "\${line:0:20}" "\${line:20}"; echo $REPRISE_TEST_API_KEY`
    const { out, reader } = await record(['bash', '-c', program, KEY], {
      script,
      env: ['REPRISE_TEST_API_KEY'],
    })
    expect(everyByte(out)).not.toContain(KEY)
    expect(everyByte(out)).not.toContain(KEY.slice(10, 40))
    expect(Buffer.concat(reader.inputs().map((input) => input.bytes ?? new Uint8Array())).toString()).toBe(
      `${'*'.repeat(KEY.length)}\r`,
    )
    expect(reader.final().finalText).toContain(`\n${'*'.repeat(KEY.length)}\n`)
    expect(Buffer.from(reader.rawOutput()).toString()).toContain(
      `\x1b[1m${'*'.repeat(20)}\x1b[0m\x1b[31m${'*'.repeat(KEY.length - 20)}\r\n`,
    )
    expect(reader.scrubReport().status).toBe('redacted')
  })

  test('an answer to a password prompt is masked, whatever it is', async () => {
    const script = readScript('wait Password:\ntype correct horse\npress enter\nexit')
    const { out, reader } = await record(
      ['bash', '-c', 'read -rsp "Password: " line; echo; echo "it was $line"'],
      { script },
    )
    expect(everyByte(out)).not.toContain('correct horse')
    expect(reader.inputs().map((input) => Buffer.from(input.bytes ?? []).toString())).toEqual([
      '*************',
      '\r',
    ])
    expect(reader.final().finalText).toBe('Password:\nit was *************')
  })

  test('painted out of order are found on the screen and masked', async () => {
    process.env.REPRISE_TEST_API_KEY = KEY
    const paint = `printf '\\033[2J\\033[5;1H%s' "\${K:26}"; sleep 0.2; printf '\\033[3;1Hbefore\\033[4;1H%s' "\${K:0:26}"; printf '\\033[5;1H\\033[1A'; sleep 0.2; for ((i=\${#K}-1;i>=0;i--)); do printf '\\033[8;%dH%s' $((i+3)) "\${K:i:1}"; done; sleep 0.1; printf '\\033[12;1Hafter'`
    const { out, reader } = await record(['bash', '-c', `K=$REPRISE_TEST_API_KEY; ${paint}`], {
      env: ['REPRISE_TEST_API_KEY'],
      size: { rows: 24, cols: 60 },
    })
    const shown = reader.final().finalText.split('\n')
    expect(shown[7]).toBe(`  ${'*'.repeat(KEY.length)}`)
    expect(shown[11]).toBe('after')
    expect(everyByte(out)).not.toContain(KEY)
  })
})

describe('the place of a recording', () => {
  test('modes are 0750 and 0600, and no partial folder is left', async () => {
    const { out } = await record(['true'])
    expect(statSync(out).mode & 0o777).toBe(0o750)
    expect(readdirSync(out).map((name) => statSync(join(out, name)).mode & 0o777)).toEqual(
      Array(8).fill(0o600),
    )
    expect(readdirSync(join(out, '..'))).toEqual(['c'])
  })

  test('an existing folder is refused before the program runs; force keeps it as .previous', async () => {
    const { out } = await record(['bash', '-c', 'echo first'])
    await expect(recordSession({ out, argv: ['touch', join(out, '..', 'ran')] })).rejects.toMatchObject({
      code: 'out-exists',
    })
    expect(existsSync(join(out, '..', 'ran'))).toBe(false)
    await recordSession({ out, argv: ['bash', '-c', 'echo second'], force: true })
    await recordSession({ out, argv: ['bash', '-c', 'echo third'], force: true })
    expect([(await open(out)).final().finalText, (await open(`${out}.previous`)).final().finalText]).toEqual([
      'third',
      'second',
    ])
  })

  test('force moves neither a folder that is no cassette nor a newer version away', async () => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'plain'))
    writeFileSync(join(folder, 'plain', 'thesis.txt'), 'x')
    mkdirSync(join(folder, 'newer'))
    writeFileSync(join(folder, 'newer', 'manifest.json'), '{"version":2}')
    await expect(
      recordSession({ out: join(folder, 'plain'), argv: ['true'], force: true }),
    ).rejects.toMatchObject({ code: 'out-exists' })
    await expect(
      recordSession({ out: join(folder, 'newer'), argv: ['true'], force: true }),
    ).rejects.toMatchObject({
      code: 'cassette-version',
      message: 'cassette: refuse to overwrite newer schema version 2',
    })
  })
})

describe('the recorder', () => {
  test('numbers concurrent calls without a gap, in steps of time that never go back', async () => {
    const out = join(tempFolder(), 'c')
    let elapsed = 0
    const recorder = createRecorder(
      out,
      { timing: { resolutionMs: 50 } },
      { clock: { now: () => 0, elapsed: () => elapsed } },
    )
    await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        await Promise.resolve()
        elapsed = at === 20 ? 10 : at * 13
        if (at % 4 === 0) recorder.recordOutput(Buffer.from(`line ${at}\r\n`))
        else if (at % 4 === 1) recorder.recordInput({ bytes: Buffer.from('x') })
        else if (at % 4 === 2) recorder.recordServiceEvent({ at })
        else recorder.markFrame()
      }),
    )
    recorder.writeQuota({
      source: 'pty',
      status: 'ok',
      capturedAt: '2026-04-22T12:00:00Z',
      freshnessWindow: '15m0s',
      windows: [{ used: 12 }],
    })
    recorder.writeDiscovery({ source: 'pty', status: 'ok', models: ['a<b'] })
    recorder.recordFinal({ metadata: { b: 1, a: 2 } })
    await recorder.close()
    const reader = await open(out)
    const events = reader.events()
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 41 }, (_, at) => at + 1))
    expect(events.every((event, at) => event.tMs % 50 === 0 && event.tMs >= (events[at - 1]?.tMs ?? 0))).toBe(
      true,
    )
    expect(reader.quota()?.isFresh(Date.parse('2026-04-22T12:10:00Z'))).toBe(true)
    expect(readFileSync(join(out, 'discovery.json'), 'utf8')).toContain('a\\u003cb')
    expect(readFileSync(join(out, 'final.json'), 'utf8')).toMatch(/"metadata": \{\n {4}"a": 2,\n {4}"b": 1\n/)
  })

  test('refuses a second end, a close without an end, and anything after close', async () => {
    const folder = tempFolder()
    const recorder = createRecorder(join(folder, 'c'))
    recorder.recordFinal()
    expect(() => recorder.recordFinal()).toThrow(expect.objectContaining({ code: 'cassette-final-twice' }))
    await recorder.close()
    expect(() => recorder.recordOutput(new Uint8Array())).toThrow(
      expect.objectContaining({ code: 'cassette-closed' }),
    )
    await expect(createRecorder(join(folder, 'd')).close()).rejects.toMatchObject({
      code: 'cassette-final-missing',
    })
  })

  test('says redacted for secrets in payloads, quota, discovery and the last text, and shows none of them', async () => {
    const out = join(tempFolder(), 'c')
    const scrubber = createScrubber({ env: { DEPLOY_TOKEN: 'hunter-2-and-more' } })
    const recorder = createRecorder(
      out,
      { command: { argv: ['x', '--token', 'hunter-2-and-more'] }, optional: { note: 'hunter-2-and-more' } },
      { scrubber },
    )
    recorder.recordServiceEvent({ text: 'hunter-2-and-more', token: 'abcdefghijkl' })
    recorder.writeQuota({ source: 'hunter-2-and-more', status: 'ok' })
    recorder.writeDiscovery({
      source: 'x',
      status: 'ok',
      models: ['hunter-2-and-more'],
      metadata: { at: 'hunter-2-and-more' },
    })
    recorder.recordFinal({
      finalText: 'hunter-2-and-more',
      routingActual: 'hunter-2-and-more',
      usage: { note: 'hunter-2-and-more' },
    })
    await recorder.close()
    expect(everyByte(out)).not.toContain('hunter-2')
    expect((await open(out)).scrubReport().status).toBe('redacted')
  })
})

test('a large plain stream is scrubbed the same, however it is cut', () => {
  const scrubber = createScrubber({ env: { LONG_TOKEN: KEY } })
  const line = (at: number): string =>
    at % 97 === 0
      ? `${at} ${KEY} end\r\n`
      : at % 53 === 0
        ? `${'x'.repeat(80)}\r\n`
        : `${at} plain text of no interest\r\n`
  const text = Array.from({ length: 4000 }, (_, at) => line(at)).join('')
  const scrub = (sizes: readonly number[]): string => {
    const stream = createTerminalScrubber(finderOf(scrubber, 'received'), 80)
    const parts: Uint8Array[] = []
    for (let at = 0, turn = 0; at < text.length; turn += 1) {
      const size = sizes[turn % sizes.length] ?? 1
      parts.push(Uint8Array.from(stream.push(Buffer.from(text.slice(at, at + size)))))
      at += size
    }
    return Buffer.concat([...parts, stream.end()]).toString()
  }
  const expected = text.replaceAll(KEY, '*'.repeat(KEY.length))
  for (const sizes of [[text.length], [65_536], [4095], [9000, 3, 70_000], [100, 50_000, 1]])
    expect(scrub(sizes) === expected).toBe(true)
})
