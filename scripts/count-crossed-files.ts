/**
 * Counts the source files that run between the call of `fetch` and its last record, by V8 coverage: once
 * recording, once replaying. With `--json` the lists are printed as one JSON document.
 *
 *   npm run build && npx tsx scripts/count-crossed-files.ts [--json] [folder of a built checkout]
 *
 * A file counts if one of its functions is called in that time. A first `fetch` runs before the count, so
 * that what only the first one does (loading undici, patching it) is left out. The count ends when undici gets
 * the end of the answer, just after the last record was written. Several requests are counted, and a file
 * counts if each of them crosses it: what a timer runs in between belongs to no request.
 *
 * Decision 0350.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Requests that are counted after the first. */
const REQUESTS = 5
/** At 300 lines a file has a second idea. */
const MAX_LINES = 300
/**
 * The layers that know what an effect is. Those below (bytes, scrubber, tape) serve every kind of record
 * alike.
 */
const MIDDLE = /^src\/(boundaries|testbench|llm)\//

type Library = {
  record(path: string, body: () => Promise<void>): Promise<void>
  replay(path: string, body: () => Promise<void>): Promise<unknown>
}

const asJson = process.argv.includes('--json')
const folders = process.argv.slice(2).filter((argument) => argument !== '--json')
const root = resolve(folders[0] ?? fileURLToPath(new URL('..', import.meta.url)))
const library: Library = await import(pathToFileURL(join(root, 'dist/entry/index.js')).href)
const folder = mkdtempSync(join(tmpdir(), 'reprise-crossed-'))
// In a process of its own: a server in this one would call patched functions too.
const server = spawn(process.execPath, [
  '-e',
  `require('node:http').createServer((request, response) => {
     request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'))
   }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`,
])
try {
  const [port] = await once(server.stdout, 'data')
  const url = `http://127.0.0.1:${String(port).trim()}/`
  const tape = join(folder, 'run.tape')
  const [recording, replaying]: [string[], string[]] = [[], []]
  await library.record(tape, () => crossed(url, recording))
  await library.replay(tape, () => crossed(url, replaying))
  const counts = { recording: countOf(recording), replaying: countOf(replaying) }
  if (asJson) console.log(JSON.stringify(counts))
  else for (const [mode, count] of Object.entries(counts)) print(mode, count)
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** Adds the scripts that ran in each of the counted requests. */
async function crossed(url: string, scripts: string[]): Promise<void> {
  await (await fetch(`${url}?question=first`)).text()
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const runs: (readonly string[])[] = []
  for (let request = 0; request < REQUESTS; request += 1) {
    const ran = new Set<string>()
    // What the request before left to do, and timers that are due, run now. Taking starts the counts anew; it
    // takes time, so that more timers are due after the first one.
    addCalled(session, new Set())
    await new Promise((resolve) => setImmediate(resolve))
    addCalled(session, new Set())
    const counted = Object.assign(Object.create(null), {
      dispatch: (options: unknown, handler: object) => {
        atEnd(handler, () => addCalled(session, ran))
        return globalDispatcher().dispatch(options, handler)
      },
    })
    await (await fetch(`${url}?question=${request}`, { dispatcher: counted } as object)).text()
    runs.push([...ran])
  }
  session.disconnect()
  scripts.push(...(runs[0] ?? []).filter((script) => runs.every((run) => run.includes(script))))
}

/** The one that `fetch` uses without an option: under Reprise it is gated. */
function globalDispatcher(): { dispatch(options: unknown, handler: object): boolean } {
  const found = [2, 1].map((version) =>
    Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`)),
  )
  return found.find((dispatcher) => dispatcher !== undefined)
}

/** Calls `act` before undici gets the end of an answer. */
function atEnd(handler: object, act: () => void): void {
  for (const name of ['onComplete', 'onResponseEnd']) {
    const original: unknown = Reflect.get(handler, name)
    if (typeof original !== 'function') continue
    Reflect.set(handler, name, function (this: unknown, ...args: unknown[]): unknown {
      act()
      return Reflect.apply(original, this, args)
    })
  }
}

function addCalled(session: Session, ran: Set<string>): void {
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error
    for (const { functions, url } of coverage.result)
      if (functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)) ran.add(url)
  })
}

/** The source of a built file of the checkout; nothing for any other script. */
function sourceOf(script: string): string[] {
  const built = pathToFileURL(join(root, 'dist/')).href
  if (!script.startsWith(built)) return []
  const source = `src/${script.slice(built.length).replace(/\.js$/, '.ts')}`
  return existsSync(join(root, source)) ? [source] : []
}

type Crossed = { readonly file: string; readonly lines: number; readonly isMiddle: boolean }

function countOf(scripts: readonly string[]): readonly Crossed[] {
  const lines = (file: string): number => readFileSync(join(root, file), 'utf8').split('\n').length - 1
  const files = scripts.flatMap(sourceOf).sort()
  return files.map((file) => ({ file, lines: lines(file), isMiddle: MIDDLE.test(file) }))
}

function print(what: string, files: readonly Crossed[]): void {
  const inMiddle = files.filter(({ isMiddle }) => isMiddle)
  const long = files.filter(({ lines }) => lines > MAX_LINES)
  console.log(
    `${what}: ${files.length} files, ${inMiddle.length} of boundaries, testbench and llm, ${long.length} of more than ${MAX_LINES} lines`,
  )
  for (const { file, lines } of files) console.log(`  ${String(lines).padStart(5)}  ${file}`)
}
