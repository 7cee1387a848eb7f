/**
 * `--export`: the page and its data in one HTML file that opens from disk and reaches for nothing else. Data
 * is base64, so no text of a tape can end an element; the policy of the file allows its own scripts and
 * styles by their hashes, and no connection at all.
 */
import { fromSystemError, isRepriseError, RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { realPid } from '../../real/process.ts'
import { sha256 } from '../../real/sha256.ts'
import type { OpenViewer } from '../items/open-viewer.ts'
import { PART_ATTRIBUTE } from '../protocol/boot.ts'
import type { OutOptions } from './bundle.ts'
import { type PageFile, withBoot } from './page-files.ts'
import { filesOf, type OutFile } from './parts.ts'

const PARTS_MARKER = '<!--reprise-parts-->'
/** A multiple of three, so that pieces of base64 can be joined. */
const PIECE_BYTES = 3 * 256 * 1024

/** Returns the size of the file. It appears whole or not at all. */
export async function writeExport(
  viewer: OpenViewer,
  page: ReadonlyMap<string, PageFile>,
  file: string,
  { force, without }: OutOptions,
): Promise<number> {
  if (fs.existsSync(file) && !force) {
    throw new RepriseError('out-exists', `${file} is there already`, {
      details: { file },
      hint: 'choose another name, or use --force to replace it',
    })
  }
  const html = withBoot(page.get('single.html')?.bytes.toString('utf8') ?? '', { source: 'export' })
  const [before = '', after] = html.split(PARTS_MARKER, 2)
  if (after === undefined) {
    throw new RepriseError('view-page-missing', 'the page for exports is not part of this installation', {
      hint: 'run npm run build',
    })
  }
  const partial = `${file}.partial-${realPid}`
  try {
    const descriptor = fs.openSync(partial, 'wx', 0o600)
    try {
      fs.writeFileSync(descriptor, withPolicy(before, after))
      for await (const part of filesOf(viewer, 'export', without)) writePart(descriptor, part)
      fs.writeFileSync(descriptor, after)
    } finally {
      fs.closeSync(descriptor)
    }
    fs.renameSync(partial, file)
    return fs.statSync(file).size
  } catch (error) {
    fs.rmSync(partial, { force: true })
    throw isRepriseError(error) ? error : fromSystemError(error, 'write', file)
  }
}

function writePart(descriptor: number, part: OutFile): void {
  fs.writeFileSync(descriptor, `<script type="application/octet-stream" ${PART_ATTRIBUTE}="${part.name}">`)
  if ('bytes' in part) fs.writeFileSync(descriptor, Buffer.from(part.bytes).toString('base64'))
  else writeFile64(descriptor, part.path)
  fs.writeFileSync(descriptor, '</script>\n')
}

function writeFile64(descriptor: number, path: string): void {
  const source = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  try {
    const buffer = Buffer.alloc(PIECE_BYTES)
    for (let at = 0; ; ) {
      let filled = 0
      for (let read = -1; read !== 0 && filled < buffer.length; filled += read) {
        read = fs.readSync(source, buffer, filled, buffer.length - filled, at + filled)
      }
      if (filled === 0) return
      fs.writeFileSync(descriptor, buffer.toString('base64', 0, filled))
      at += filled
    }
  } finally {
    fs.closeSync(source)
  }
}

/** The policy comes first in the head, so it holds for everything after it. */
function withPolicy(before: string, after: string): string {
  const all = before + after
  const hashes = (pattern: RegExp): string =>
    [...all.matchAll(pattern)]
      .map(([, text = '']) => `'sha256-${Buffer.from(sha256(Buffer.from(text)), 'hex').toString('base64')}'`)
      .join(' ') || "'none'"
  const scripts = hashes(/<script(?![^>]*type="application\/)[^>]*>([\s\S]*?)<\/script>/g)
  const styles = hashes(/<style[^>]*>([\s\S]*?)<\/style>/g)
  const policy = `default-src 'none'; script-src ${scripts}; style-src ${styles}; img-src data:; font-src data:; base-uri 'none'; form-action 'none'`
  return before.replace(
    /<head[^>]*>/,
    (head) => `${head}<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  )
}
