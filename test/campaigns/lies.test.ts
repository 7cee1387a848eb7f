/**
 * No command calls a changed run clean. Programs over all boundaries are made from a seed, recorded, and replayed unchanged (faithful) and changed: another
 * value, another order, a call less, a call more whose error is swallowed, another option or content. What a program does comes from data that it gets when it
 * runs, so no digest of a module can show the change. Each change must be a divergence that names the call.
 *
 * Tolerated, and not tried: extra or missing reads of the clock and of variables; request headers without `match.headers`. Their order is tried.
 */
import { execFile, spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRepriseError } from '../../src/errors/index.ts'
import { record, replay } from '../../src/testbench/index.ts'
import { campaignSeed, scaled } from '../support/campaign.ts'
import { connectedSteps } from '../support/connected-steps.ts'
import { recordProgram } from '../support/recorded-program.ts'
import { type Random, seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** One call: what it does, and the word by which a divergence must name it. */
type Step = { readonly kind: Kind; readonly word: string; readonly value: number; readonly option: number }

type Does = (step: Step, place: string) => unknown

let base = ''
const server = http.createServer((request, response) => {
  // One connection per request: what one program leaves open is no part of the next.
  response.setHeader('connection', 'close')
  request.resume().on('end', () => response.end(`answer to ${request.method} ${request.url}`))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const run = promisify(execFile)
const input = (step: Step, place: string): string => join(place, `${step.word}-${step.value}.txt`)

/** `value` and `option` change the call; each is recorded. */
const kinds = {
  readFileSync: (step, place) => fs.readFileSync(input(step, place), step.option === 0 ? 'utf8' : 'latin1'),
  readFile: (step, place) => fs.promises.readFile(input(step, place)),
  stat: (step, place) => fs.statSync(input(step, place)).size,
  readdir: (step, place) => fs.promises.readdir(join(place, `${step.word}-${step.value}`)),
  writeFileSync: (step, place) =>
    fs.writeFileSync(join(place, `${step.word}.out`), `content ${step.value}`, {
      mode: step.option === 0 ? 0o600 : 0o644,
    }),
  appendFile: (step, place) =>
    fs.promises.appendFile(join(place, `${step.word}.log`), `line ${step.value}\n`),
  mkdir: (step, place) => fs.mkdirSync(join(place, `${step.word}-made-${step.value}`), { recursive: true }),
  fetch: async (step) =>
    (
      await fetch(`${base}/${step.word}/${step.value}`, { method: 'POST', body: `body ${step.value}` })
    ).text(),
  fetchBody: async (step) =>
    (
      await fetch(`${base}/${step.word}`, { method: 'PUT', body: JSON.stringify({ value: step.value }) })
    ).text(),
  fetchHeader: async (step) =>
    (await fetch(`${base}/${step.word}`, { headers: { 'x-agent': String(step.value) } })).text(),
  httpGet: (step) =>
    new Promise((resolve, reject) => {
      http
        .get(`${base}/${step.word}?q=${step.value}`, (answer) => answer.resume().on('end', resolve))
        .on('error', reject)
    }),
  spawnSync: (step) => spawnSync('echo', [step.word, String(step.value)]).stdout.toString(),
  spawnInput: (step) => spawnSync('sort', ['--', '-'], { input: `${step.word} ${step.value}` }).status,
  spawnEnv: (step) =>
    spawnSync('true', [step.word], { env: { ...process.env, CHOSEN: String(step.value) } }).status,
  spawnLimit: (step) => spawnSync('true', [step.word], { timeout: 10_000 + step.value }).status,
  execFile: (step, place) => run('printf', [`${step.word} ${step.value}`], { cwd: place }),
  timer: (step) => new Promise((resolve) => setTimeout(resolve, 1 + step.value)),
  random: (step) => randomBytes(8 + step.value),
  mathRandom: () => Math.random(),
  uuid: () => randomUUID(),
  now: () => Date.now(),
  performance: () => performance.now(),
  env: (step) => process.env[`LIES_${step.word}`],
  hostname: () => hostname(),
  exists: (step, place) => fs.existsSync(input(step, place)),
} satisfies Record<string, Does>

type Connected = Awaited<ReturnType<typeof connectedSteps>>
type Kind = keyof typeof kinds | keyof Connected['steps']

let connected: Connected | null = null
afterAll(() => connected?.close())

function callOf(kind: Kind): Does {
  if (Object.hasOwn(kinds, kind)) return kinds[kind as keyof typeof kinds]
  const call = connected?.steps[kind as keyof Connected['steps']]
  if (call === undefined) throw new Error(`there is no call ${kind}`)
  return call
}

/** Not named by a word of their own: by the call and its figure. */
const UNNAMED: Readonly<Partial<Record<Kind, string>>> = {
  timer: 'setTimeout',
  random: 'random',
  spawnInput: 'sort',
  mathRandom: 'random',
  uuid: 'random',
  now: 'Date.now',
  performance: 'performance.now',
  hostname: 'os.hostname',
}
/** Every call of these is the same: it has no other value. */
const PLAIN: ReadonlySet<Kind> = new Set<Kind>(['mathRandom', 'uuid', 'now', 'performance', 'hostname'])
/** Reads that may be made more or less often. Their order counts. */
const TOLERATED: ReadonlySet<Kind> = new Set<Kind>(['now', 'performance', 'hostname', 'env'])
/** `option` is recorded. */
const HAS_OPTION: ReadonlySet<Kind> = new Set<Kind>(['writeFileSync'])

function makeSteps(next: Random, program: number, names: readonly Kind[]): Step[] {
  // Each kind comes up once in as many programs; two steps have a value that can change.
  const chosen = [program, next(names.length), next(names.length), next(names.length), next(names.length)]
  const ofProgram = chosen.slice(0, 2 + next(4)).map((each) => names[each % names.length] ?? 'stat')
  return [...ofProgram, 'stat' as const, 'fetch' as const].map((kind, at) => ({
    kind,
    word: `w${program}x${at}`,
    value: 0,
    option: 0,
  }))
}

function prepare(place: string, steps: readonly Step[]): void {
  for (const { word } of steps) {
    for (const value of [0, 1]) {
      fs.writeFileSync(join(place, `${word}-${value}.txt`), `${word} ${'x'.repeat(value + 1)}`)
      fs.mkdirSync(join(place, `${word}-${value}`))
    }
  }
}

async function perform(steps: readonly Step[], place: string): Promise<string> {
  const seen: unknown[] = []
  for (const step of steps) {
    seen.push(await callOf(step.kind)(step, place))
  }
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex')
}

type Mutation = {
  readonly name: string
  readonly steps: readonly Step[]
  readonly words: readonly string[]
  readonly swallowed?: Step
}

function mutationsOf(steps: readonly Step[], next: Random): Mutation[] {
  const withValue = steps.flatMap(({ kind }, index) =>
    PLAIN.has(kind) || TOLERATED.has(kind) ? [] : [index],
  )
  const from = next(withValue.length)
  const at = withValue[from] ?? 0
  const another = withValue[(from + 1 + next(withValue.length - 1)) % withValue.length] ?? 0
  const words = (...changed: (Step | undefined)[]): string[] =>
    changed.flatMap((step) => (step === undefined ? [] : [UNNAMED[step.kind] ?? step.word]))
  const other = (where: number, change: Partial<Step>): Step[] =>
    steps.map((step, index) => (index === where ? { ...step, ...change } : step))
  const extra: Step = { kind: 'stat', word: `${steps[0]?.word}`, value: 1, option: 0 }
  const written: Step = { ...extra, kind: 'writeFileSync' }
  return [
    { name: 'another value', steps: other(at, { value: 1 }), words: words(steps[at]) },
    { name: 'a second value', steps: other(another, { value: 1 }), words: words(steps[another]) },
    {
      name: 'a call less',
      steps: steps.filter((_step, index) => index !== at),
      words: words(...steps.slice(at)),
    },
    { name: 'a call more, swallowed', steps, words: [extra.word], swallowed: extra },
    { name: 'a write more, swallowed', steps, words: [written.word], swallowed: written },
    ...(HAS_OPTION.has(steps[at]?.kind ?? 'stat')
      ? [{ name: 'another option', steps: other(at, { option: 1 }), words: words(steps[at]) }]
      : []),
    ...orderOf(steps),
  ]
}

/**
 * Every two calls next to each other, the other way round. Two of one kind can be the same call. Where a fact
 * is read again does not count (limits.md).
 */
function orderOf(steps: readonly Step[]): Mutation[] {
  const isReadTwice = ({ kind }: Step): boolean =>
    (kind === 'hostname' && steps.filter((step) => step.kind === kind).length > 1) ||
    // A child's environment is a read of every variable.
    (kind === 'env' && steps.some((step) => step.kind === 'spawnEnv'))
  return steps.flatMap((one, at) => {
    const two = steps[at + 1]
    if (two === undefined || two.kind === one.kind || isReadTwice(one) || isReadTwice(two)) return []
    return [
      {
        name: `${one.kind} after ${two.kind}`,
        steps: [...steps.slice(0, at), two, one, ...steps.slice(at + 2)],
        words: [one, two].map((step) => UNNAMED[step.kind] ?? step.word),
      },
    ]
  })
}

const match = { headers: ['x-agent'] }

test('every change is a divergence that names the call; every unchanged program is faithful', {
  timeout: 3_600_000,
}, async () => {
  await attack('lies', Object.keys(kinds) as Kind[], scaled(300, 4))
})

test('the same over connections, children and terminals', { timeout: 3_600_000 }, async () => {
  connected = await connectedSteps()
  await attack('lies over connections', Object.keys(connected.steps) as Kind[], scaled(120, 1))
})

async function attack(what: string, names: readonly Kind[], programs: number): Promise<void> {
  const next = seeded(campaignSeed)
  const broken: string[] = []
  let tried = 0
  let byWord = 0
  for (let program = 0; program < programs; program += 1) {
    const steps = makeSteps(next, campaignSeed + program, names)
    const place = tempFolder()
    prepare(place, steps)
    const tape = join(place, 'run.tape')
    const result = await record(tape, () => perform(steps, place), { match })
    const again = await replay(tape, () => perform(steps, place), { match }).catch((error: unknown) => ({
      report: { verdict: String(error) },
      value: null,
    }))
    if (again.report.verdict !== 'faithful' || again.value !== result)
      broken.push(`unchanged ${steps.map(({ kind }) => kind).join(' ')}: ${again.report.verdict}`)
    for (const mutation of mutationsOf(steps, next)) {
      tried += 1
      const found = await findingOf(tape, place, mutation)
      // By its own word, or by the number of the record that it is about: `record 4`, `the first is #4`.
      const isNamed = found !== null && mutation.words.some((word) => found.includes(word))
      if (isNamed) byWord += 1
      else if (found === null || !/(?:record |is #)\d+/i.test(found))
        broken.push(`${mutation.name} of ${steps.map(({ kind }) => kind).join(' ')}: ${found ?? 'clean'}`)
    }
  }
  const byRecord = tried - byWord - broken.length
  console.log(
    `${what}: ${programs} programs, ${tried} changes, ${byWord} named by the call, ${byRecord} by a record, ${broken.length} broken`,
  )
  expect(broken).toEqual([])
}

/** What is found against a changed run; null for a clean one. */
async function findingOf(
  tape: string,
  place: string,
  { steps, swallowed }: Mutation,
): Promise<string | null> {
  const body = async (): Promise<void> => {
    await perform(steps, place)
    if (swallowed !== undefined) await Promise.resolve(perform([swallowed], place)).catch(() => undefined)
  }
  try {
    await replay(tape, body, { match })
    return null
  } catch (error) {
    if (isRepriseError(error)) return `${error.message} ${JSON.stringify(error.details)}`
    throw error
  }
}

/** What only a whole process has: its output and its end. */
test('another exit code, and output after the last record', { timeout: 3_600_000 }, async () => {
  const source = `
    import { readFileSync } from 'node:fs'
    const { code, more } = (await import(['./', 'data', '.mjs'].join(''))).default
    console.log(readFileSync('input.txt', 'utf8'), Date.now() > 0)
    if (more !== '') process[more].write('more')
    process.exitCode = code`
  const data = (code: number, more: string): string => `export default ${JSON.stringify({ code, more })}`
  const files = { 'input.txt': 'input', 'data.mjs': data(0, '') }
  for (let round = 0; round < scaled(10, 1); round += 1) {
    const program = await recordProgram(source, {}, 'agent.mjs', [], files)
    expect((await program.replay()).code).toBe(0)
    for (const [code, more, named] of [
      [3, '', 'exit'],
      [0, 'stdout', 'stdout'],
      [0, 'stderr', 'stderr'],
    ] as const) {
      fs.writeFileSync(join(program.folder, 'data.mjs'), data(code, more))
      const changed = await program.replay()
      expect([changed.code, changed.stderr.includes(named)]).toEqual([2, true])
    }
  }
})
