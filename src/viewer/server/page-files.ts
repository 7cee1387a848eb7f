/** The built page: a fixed list of files, read once. Nothing outside it can be named. */
import { extname } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import { fs } from '../../real/fs.ts'
import { BOOT_ELEMENT_ID, BOOT_MARKER, type Boot } from '../protocol/boot.ts'

export type PageFile = { readonly bytes: Buffer; readonly type: string }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** The folder of the built page, next to the built server. */
export function builtPageFolder(): URL {
  return new URL('../web/', import.meta.url)
}

/** `index.html` and everything that it loads, by path; `single.html` is for exports. */
export function readPage(folder: URL): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>()
  const add = (path: string): void => {
    const type = TYPES[extname(path)]
    if (type !== undefined) files.set(path, { bytes: fs.readFileSync(new URL(path, folder)), type })
  }
  for (const entry of listing(folder)) {
    if (entry.isFile()) add(entry.name)
    else if (entry.isDirectory()) {
      for (const inner of listing(new URL(`${entry.name}/`, folder)))
        if (inner.isFile()) add(`${entry.name}/${inner.name}`)
    }
  }
  if (!files.has('index.html')) throw pageMissing()
  return files
}

function listing(folder: URL): ReturnType<typeof entriesOf> {
  try {
    return entriesOf(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw pageMissing()
    throw error
  }
}

function entriesOf(folder: URL) {
  return fs.readdirSync(folder, { withFileTypes: true })
}

function pageMissing(): RepriseError {
  return new RepriseError('view-page-missing', 'the page of the viewer is not part of this installation', {
    hint: 'install the package again, or run npm run build',
  })
}

/** The page with the element that names its source. */
export function withBoot(html: string, boot: Boot): string {
  const element = `<script type="application/json" id="${BOOT_ELEMENT_ID}">${safeJson(JSON.stringify(boot))}</script>`
  if (html.includes(BOOT_MARKER)) return html.replace(BOOT_MARKER, () => element)
  if (!html.includes('</head>')) throw pageMissing()
  return html.replace('</head>', () => `${element}</head>`)
}

/** JSON that is safe inside a script element: no `<` is left in it. */
function safeJson(json: string): string {
  return json.replaceAll('<', '\\u003c')
}
