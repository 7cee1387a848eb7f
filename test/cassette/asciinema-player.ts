/**
 * asciinema-player without a browser: its own loader, parser and clock from `dist`, and its own emulator,
 * which the package bundles with its page and does not export. The emulator's part of that file is taken out
 * as it stands.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tempFolder } from '../support/temp-folder.ts'

type Core = {
  addEventListener(name: string, listener: (event: never) => void): void
  terminalReady(): void
  init(): Promise<void>
  seek(where: string): Promise<unknown>
  getDuration(): Promise<number> | number
}

type Vt = {
  feed(data: string): unknown
  reset(cols: number, rows: number, init?: string): unknown
  resize(cols: number, rows: number): unknown
  getLine(row: number, cursorOn: boolean): { readonly codepoints: readonly [number, number] }
  getUint32Array(range: readonly [number, number]): Uint32Array
}

export type Played = {
  readonly cols: number
  readonly rows: number
  readonly text: readonly string[]
  readonly durationS: number
}

/** Plays a cast to its end and gives the screen. */
export async function playToTheEnd(cast: string): Promise<Played> {
  const dist = dirname(fileURLToPath(import.meta.resolve('asciinema-player')))
  const index = readFileSync(join(dist, 'index.js'), 'utf8')
  const core = await newCore(join(dist, fileNamed(index, 'core')), cast)
  const logger = { debug: () => undefined }
  const { Vt } = await emulatorOf(join(dist, fileNamed(index, 'opts')))
  let size = { cols: 80, rows: 24 }
  const vt = await Vt.build(size.cols, size.rows, false, logger)
  core.addEventListener('reset', (event: { size: { cols: number; rows: number }; init?: string }) => {
    size = event.size
    vt.reset(size.cols, size.rows, event.init)
  })
  core.addEventListener('resize', (event: { cols: number; rows: number }) => {
    size = event
    vt.resize(size.cols, size.rows)
  })
  // Several at once where it jumps.
  core.addEventListener(
    'output',
    (data: string | readonly string[]) => void vt.feed(typeof data === 'string' ? data : data.join('')),
  )
  core.terminalReady()
  await core.init()
  await core.seek('100%')
  const durationS = await core.getDuration()
  const rowText = (row: number): string =>
    String.fromCodePoint(...vt.getUint32Array(vt.getLine(row, false).codepoints)).trimEnd()
  return { ...size, text: Array.from({ length: size.rows }, (_, row) => rowText(row)), durationS }
}

function fileNamed(index: string, part: string): string {
  const name = new RegExp(`'\\./(${part}-[\\w-]+\\.js)'`).exec(index)?.[1]
  if (name === undefined) throw new Error(`asciinema-player has no ${part} of its own any more`)
  return name
}

async function newCore(file: string, cast: string): Promise<Core> {
  const { C: CoreOfPlayer }: { C: new (src: object, options: object) => Core } = await import(
    pathToFileURL(file).href
  )
  const silent = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    log: () => undefined,
  }
  return new CoreOfPlayer({ data: cast }, { logger: silent, preload: true, speed: 1 })
}

async function emulatorOf(
  file: string,
): Promise<{ Vt: { build(cols: number, rows: number, bold: boolean, logger: object): Promise<Vt> } }> {
  const text = readFileSync(file, 'utf8')
  const from = text.indexOf('let wasm;')
  const build = text.indexOf('class Vt {\n  static async build')
  const to = text.indexOf('\n}\n', build)
  if (from < 0 || build < 0 || to < 0)
    throw new Error('asciinema-player bundles its emulator in another way than expected')
  const own = join(tempFolder(), 'emulator.mjs')
  writeFileSync(own, `${text.slice(from, to)}\n}\nexport { Vt }\n`)
  return import(pathToFileURL(own).href)
}
