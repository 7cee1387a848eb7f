/**
 * `--bundle`: the page and its data as files that any static web server can show, as long as it answers range
 * requests.
 */
import { dirname } from 'node:path'
import { fromSystemError, isRepriseError, RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import type { OpenViewer } from '../items/open-viewer.ts'
import { type PageFile, withBoot } from './page-files.ts'
import { filesOf, type Part } from './parts.ts'

export { PARTS, type Part } from './parts.ts'

export type OutOptions = { readonly force: boolean; readonly without: ReadonlySet<Part> }

const PAGE_PARTS = new Set(['index.html', 'single.html'])

/** Returns the size of everything written. The folder must not exist, or be replaced with `force`. */
export async function writeBundle(
  viewer: OpenViewer,
  page: ReadonlyMap<string, PageFile>,
  folder: string,
  { force, without }: OutOptions,
): Promise<number> {
  if (fs.existsSync(folder)) {
    const isOurs = fs.existsSync(`${folder}/data/viewer.json`) || fs.readdirSync(folder).length === 0
    if (!force || !isOurs) {
      const hint = isOurs
        ? 'choose another name, or use --force to replace it'
        : 'choose another name: it holds something else than a bundle'
      throw new RepriseError('out-exists', `${folder} is there already`, { details: { folder }, hint })
    }
    fs.rmSync(folder, { recursive: true })
  }
  let sizeBytes = 0
  const write = (name: string, bytes: Uint8Array): void => {
    const path = `${folder}/${name}`
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    fs.writeFileSync(path, bytes, { mode: 0o600 })
    sizeBytes += bytes.byteLength
  }
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const html = page.get('index.html')?.bytes.toString('utf8') ?? ''
    write('index.html', Buffer.from(withBoot(html, { source: 'bundle', files: './data/' })))
    for (const [name, { bytes }] of page) if (!PAGE_PARTS.has(name)) write(name, bytes)
    for await (const file of filesOf(viewer, 'bundle', without)) {
      if ('bytes' in file) write(`data/${file.name}`, file.bytes)
      else sizeBytes += copy(file.path, `${folder}/data/${file.name}`)
    }
    return sizeBytes
  } catch (error) {
    throw isRepriseError(error) ? error : fromSystemError(error, 'write', folder)
  }
}

function copy(from: string, to: string): number {
  fs.mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  fs.copyFileSync(from, to)
  fs.chmodSync(to, 0o600)
  return fs.statSync(to).size
}
