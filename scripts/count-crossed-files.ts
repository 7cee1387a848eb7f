/**
 * Counts the source files that run between the call of `fetch` and its last record, by V8 coverage: once
 * recording, once replaying.
 *
 *   npm run build && npx tsx scripts/count-crossed-files.ts [folder of a built checkout]
 *
 * A file counts if one of its functions is called in that time. A first `fetch` runs before the count, so
 * that what only the first one does (loading undici, patching it) is left out. The program reads the body to
 * its end; the last record is written before it gets the end.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

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

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
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
  print('recording', recording)
  print('replaying', replaying)
} finally {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** Adds the scripts that ran. */
async function crossed(url: string, scripts: string[]): Promise<void> {
  const ask = async (question: string): Promise<string> => (await fetch(`${url}?question=${question}`)).text()
  await ask('first')
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await ask('second')
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error
    const called = coverage.result.filter(({ functions }) =>
      functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    scripts.push(...called.map(({ url: script }) => script))
  })
  session.disconnect()
}

/** The source of a built file of the checkout; nothing for any other script. */
function sourceOf(script: string): string[] {
  const built = pathToFileURL(join(root, 'dist/')).href
  if (!script.startsWith(built)) return []
  const source = `src/${script.slice(built.length).replace(/\.js$/, '.ts')}`
  return existsSync(join(root, source)) ? [source] : []
}

function print(what: string, scripts: readonly string[]): void {
  const files = scripts.flatMap(sourceOf).sort()
  const lines = (file: string): number => readFileSync(join(root, file), 'utf8').split('\n').length - 1
  const inMiddle = files.filter((file) => MIDDLE.test(file))
  const long = files.filter((file) => lines(file) > MAX_LINES)
  console.log(
    `${what}: ${files.length} files, ${inMiddle.length} of boundaries, testbench and llm, ${long.length} of more than ${MAX_LINES} lines`,
  )
  for (const file of files) console.log(`  ${String(lines(file)).padStart(5)}  ${file}`)
}
