/**
 * Feeds mutated inputs to loaders, in a process of their own, for its memory. Prints one JSON line each: how
 * many inputs were tried, loaded and refused with a code, the slowest run, the peak of the memory, and the
 * first inputs that ended with anything else.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [names, count, seed] = [process.argv[2].split(','), Number(process.argv[3]), Number(process.argv[4])]
const dist = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href)
const fixture = (path) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url))
const { isRepriseError } = await dist('errors/index.js')

let state = seed >>> 0
/** mulberry32, as in seeded.ts. */
function random(below) {
  state = (state + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state ^ (state >>> 15), state | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below
}
const pick = (list) => list[random(list.length)]

const VALUES = [
  'null',
  'true',
  '-0',
  '1e999',
  '-1',
  '9007199254740993',
  '0.5',
  '18446744073709551616',
  '""',
  '[]',
  '{}',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":1}',
  '[[[[[[]]]]]]',
  '"../../etc/passwd"',
  '"<redacted:x>"',
  '{"type":"header"}',
  'NaN',
  '"\u202e"',
  '1'.repeat(400),
]

/** A character, or a short line: a reader must not take long for each of many damaged lines. */
const REPEATED = [
  ...['a', '"', '\\', '\n', ' ', '0', '{\n', '}\n', '[]\n', '{x}\n', '"\n', 'x\r\n', '\0\n', '1\n'],
  ...['{"type":"record"\n', '{"type":"record","a":[', '{"type":"record"}', '\\"', '\u00e9\n'],
]

function splice(bytes, at, removed, added) {
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)])
}

const mutations = {
  flip(bytes) {
    const changed = Buffer.from(bytes)
    for (let left = 1 + random(4); left > 0 && changed.length > 0; left -= 1)
      changed[random(changed.length)] ^= 1 << random(8)
    return changed
  },
  cut: (bytes) => bytes.subarray(0, random(bytes.length + 1)),
  remove: (bytes) => splice(bytes, random(bytes.length + 1), random(64), Buffer.alloc(0)),
  insert: (bytes) =>
    splice(
      bytes,
      random(bytes.length + 1),
      0,
      Buffer.from(Array.from({ length: 1 + random(16) }, () => random(256))),
    ),
  copy(bytes) {
    const from = random(bytes.length + 1)
    return splice(bytes, random(bytes.length + 1), 0, bytes.subarray(from, from + random(512)))
  },
  lines(bytes) {
    const lines = bytes.toString('latin1').split('\n')
    const [from, to] = [random(lines.length), random(lines.length)]
    if (random(2) === 0) lines.splice(to, 0, lines[from])
    else [lines[from], lines[to]] = [lines[to], lines[from]]
    return Buffer.from(lines.join('\n'), 'latin1')
  },
  /** A value of the JSON text becomes another one. */
  value(bytes) {
    const text = bytes.toString('latin1')
    const places = [
      ...text.slice(0, 200_000).matchAll(/:\s*("(?:[^"\\]|\\.)*"|-?[\d.eE+]+|true|false|null)/g),
    ]
    if (places.length === 0) return mutations.insert(bytes)
    const place = pick(places)
    const at = place.index + place[0].length - place[1].length
    return splice(Buffer.from(text, 'latin1'), at, place[1].length, Buffer.from(pick(VALUES)))
  },
  marks: (bytes) =>
    pick([
      () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
      () => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
      () => splice(bytes, random(bytes.length + 1), 0, Buffer.alloc(1 + random(4096))),
      () => splice(bytes, random(bytes.length + 1), 0, Buffer.from([0xc3, 0x28, 0xff, 0xfe])),
    ])(),
  deep(bytes) {
    const depth = 10 ** (2 + random(4))
    const open = pick(['[', '{"a":'])
    const nested =
      random(2) === 0 ? open.repeat(depth) : open.repeat(depth) + (open === '[' ? ']' : '}').repeat(depth)
    return splice(bytes, random(bytes.length + 1), 0, Buffer.from(nested))
  },
  long: (bytes) =>
    splice(bytes, random(bytes.length + 1), 0, Buffer.alloc(random(1_000_000), pick(REPEATED))),
}
// The large ones are rare: they take most of the time.
const NAMES = Object.keys(mutations)
const CHOICES = NAMES.flatMap((each) =>
  Array.from({ length: each === 'deep' || each === 'long' ? 1 : 12 }, () => each),
)

/** The first input is the seed itself: it must load. */
let isSeed = true

function mutated(bytes) {
  if (isSeed) return bytes
  let result = bytes
  for (let left = 1 + random(3); left > 0; left -= 1) result = mutations[pick(CHOICES)](result)
  return result
}

/** In memory where the system has a folder for that: 100,000 inputs are written and removed. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const folder = mkdtempSync(join(place, 'reprise-hostile-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const take = async (iterable) => {
  for await (const _ of iterable);
}
/** Loads from one file of a folder: the file is mutated, and restored afterwards. */
function inFolder(from, load) {
  const place = join(folder, 'place')
  cpSync(from, place, { recursive: true })
  const files = readdirSync(place, { recursive: true })
    .map(String)
    .filter((each) => statSync(join(place, each)).isFile())
  const contents = new Map(files.map((each) => [each, readFileSync(join(place, each))]))
  return async () => {
    const file = pick(files)
    writeFileSync(join(place, file), mutated(contents.get(file)))
    try {
      await load(place)
    } finally {
      // Loading may remove or add files: what was there is there again.
      rmSync(place, { recursive: true, force: true })
      for (const [each, bytes] of contents) {
        mkdirSync(join(place, each, '..'), { recursive: true })
        writeFileSync(join(place, each), bytes)
      }
    }
  }
}
function fromFiles(paths, load, file = 'input') {
  const seeds = paths.map((path) => readFileSync(path))
  const path = join(folder, file)
  return () => {
    const bytes = mutated(pick(seeds))
    writeFileSync(path, bytes)
    return load(path, bytes)
  }
}

const loaders = {
  async tape() {
    const { inspectTape, readTapeEvents, repairTape, verifyTape } = {
      ...(await dist('tape/index.js')),
      ...(await dist('tape/inspect.js')),
    }
    const repaired = join(folder, 'repaired')
    const paths = ['tape/probe.tape', 'tape/harn-every-kind.tape', 'tapes-0.1/files/run.tape'].map(fixture)
    return fromFiles(paths, async (path) => {
      for (const _ of readTapeEvents(path));
      if (random(4) === 0) inspectTape(path)
      if (random(4) === 0) await verifyTape(path)
      if (random(8) === 0) await repairTape(path, repaired, { force: true })
    })
  },
  async cassette() {
    const { openSync, transcript, verifyCassette } = await dist('cassette/index.js')
    return inFolder(fixture('cassette/opencode'), async (place) => {
      if (random(8) === 0) await verifyCassette(place)
      const reader = openSync(place)
      if (random(8) === 0) await transcript(reader)
    })
  },
  async asciicast() {
    const { readCast } = await dist('cassette/index.js')
    const cast = (version, size) =>
      Buffer.from(
        `{"version":${version},${size},"timestamp":1700000000,"env":{"TERM":"xterm"}}\n[0.1,"o","hello \\u001b[31mred\\u001b[0m\\r\\n"]\n[0.2,"r","100x30"]\n[0.3,"i","x"]\n[1.5,"m","mark"]\n[2,"x","0"]\n`,
      )
    const seeds = [cast(2, '"width":80,"height":24'), cast(3, '"term":{"cols":80,"rows":24}')]
    return () => void readCast(mutated(pick(seeds)).toString('utf8'))
  },
  async journal() {
    const { readJournal, sessionFiles, verifyJournal } = await dist('journal/index.js')
    const text = readFileSync(fixture('journal/golden/every-kind.jsonl'), 'utf8').trimEnd().split('\n')
    const lines = text.map((line, seq) =>
      line.startsWith('{"seq"') ? line : `{"seq":${seq},"at":"2026-01-01T00:00:00Z","event":${line}}`,
    )
    const seedFile = join(folder, 'seed')
    writeFileSync(seedFile, `${lines.join('\n')}\n`)
    const files = sessionFiles(folder, 's')
    return fromFiles(
      [seedFile],
      async () => {
        await take(readJournal(files, { onDamage: () => undefined }))
        if (random(8) === 0) await verifyJournal(files, null)
      },
      's.jsonl',
    )
  },
  async annotations() {
    const { annotationRow } = await dist('fidelity/annotations/export.js')
    const { loadAnnotations } = await dist('fidelity/annotations/load.js')
    return fromFiles([fixture('tape/harn-annotations.jsonl')], (path) => {
      const { annotations } = loadAnnotations(path)
      for (const annotation of annotations ?? []) annotationRow(annotation)
    })
  },
  async 'process-tape'() {
    const { readProcessTape } = await dist('testbench/process/process-tape.js')
    return fromFiles(
      [fixture('tape/harn-process-tape.json')],
      (path, bytes) => void readProcessTape(bytes.toString('utf8'), path),
    )
  },
  async 'mcp-cassette'() {
    const { readMcpCassette, writeMcpCassette } = await dist('testbench/mcp/cassette.js')
    const interactions = [
      [
        'initialize',
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}',
        '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s","version":"1"}}}',
      ],
      [
        'tools/list',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
        '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}}',
      ],
      [
        'tools/call',
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1.0}}}',
        '{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"sum":1}}}',
      ],
    ].map(([method, request, response]) => ({
      server: null,
      method,
      notification: false,
      request,
      response,
      latencyMs: 3,
    }))
    const seedFile = join(folder, 'seed')
    writeFileSync(seedFile, writeMcpCassette(interactions))
    return fromFiles([seedFile], (path, bytes) => void readMcpCassette(bytes, path))
  },
  async state() {
    const { initState, listSessions, resumeState } = await dist('state/index.js')
    const root = join(folder, 'seed-state')
    const handle = await initState('s', root)
    await handle.write('plan.md', '# plan\n')
    await handle.write('notes/a.json', '{"a":[1,2,3]}')
    await handle.write('plan.md', '# plan 2\n')
    await handle.handoff({ summary: 'done', next: ['x'] }).catch(() => undefined)
    return inFolder(root, async (place) => {
      await listSessions(place)
      const session = await resumeState(place, 's')
      for (const entry of await session.list())
        await session.read(typeof entry === 'string' ? entry : entry.key)
      await session.readHandoff?.()
    })
  },
  claude: () => log('claude-code', ['claude-code-2.1.197.jsonl', 'claude-code-2.1.197-subagent.jsonl']),
  codex: () => log('codex', ['codex-0.166.0.jsonl', 'codex-0.166.0-compacted.jsonl']),
}

async function log(format, names) {
  const { importLog } = await dist('journal/index.js')
  return fromFiles(
    names.map((each) => fixture(`journal/logs/${each}`)),
    async (path) => {
      const imported = importLog(format, path, () => undefined)
      await take(imported.events)
      imported.map()
    },
  )
}

for (const name of names) {
  const attempt = await loaders[name]()
  const result = {
    loader: name,
    tried: 0,
    loaded: 0,
    refused: 0,
    slowestMs: 0,
    slowest: 0,
    peakMb: 0,
    failures: [],
  }
  isSeed = true
  await attempt()
  isSeed = false
  for (let at = 0; at < count; at += 1) {
    const before = state
    const began = process.cpuUsage()
    try {
      await attempt()
      result.loaded += 1
    } catch (error) {
      if (isRepriseError(error)) result.refused += 1
      else if (result.failures.length < 5)
        result.failures.push({ at, state: before, error: String(error?.stack ?? error).slice(0, 600) })
    }
    result.tried += 1
    // Of the processor: other programs on the machine do not count.
    const { user, system } = process.cpuUsage(began)
    const tookMs = (user + system) / 1000
    if (tookMs > result.slowestMs) Object.assign(result, { slowestMs: Math.round(tookMs), slowest: before })
  }
  result.peakMb = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(JSON.stringify(result))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
}
