/**
 * The modules of a program outside node_modules, with a digest of each. They are in a tape's header, so that
 * a replay can detect a changed program. Found by following relative imports from the script on; a computed
 * name, or an alias of the project's own, is not followed.
 *
 * Decision 0153.
 */
import { dirname, join, relative, sep } from 'node:path'
import { contentHash, textOrNull } from '../../base/index.ts'

export type ModuleDigests = { readonly [path: string]: string }

/** Null for what is no file. */
export type ReadModule = (path: string) => Uint8Array | null

/** Enough for any agent; of a larger program only these are read. */
const MAX_MODULES = 1000
const MAX_BYTES = 32 * 1024 * 1024

export type ProgramModules = {
  /** By paths relative to `root` if they are below it. */
  readonly digests: ModuleDigests
  /** Whether one of them imports the pid or a similar fact by name: `import { pid } from 'node:process'`. */
  readonly namesFacts: boolean
}

export function programModules(script: string, root: string, read: ReadModule): ProgramModules {
  const digests: Record<string, string> = {}
  let namesFacts = false
  const waiting = [script]
  const seen = new Set(waiting)
  let bytes = 0
  for (
    let path = waiting.shift();
    path !== undefined && seen.size <= MAX_MODULES && bytes < MAX_BYTES;
    path = waiting.shift()
  ) {
    const source = read(path)
    if (source === null) continue
    bytes += source.byteLength
    digests[shownAs(path, root)] = contentHash(source)
    const text = textOrNull(source) ?? ''
    namesFacts ||= NAMED_FACTS.test(text)
    for (const specifier of importsOf(text)) {
      const found = candidates(join(dirname(path), specifier)).find(
        (candidate) => seen.has(candidate) || read(candidate) !== null,
      )
      if (found === undefined || seen.has(found) || /[/\\]node_modules[/\\]/.test(found)) continue
      seen.add(found)
      waiting.push(found)
    }
  }
  return { digests, namesFacts }
}

const NAMED_FACTS =
  /\bimport\s*(?:[\w$]+\s*,\s*)?\{[^}]*\b(?:arch|pid|platform|ppid)\b[^}]*\}\s*from\s*['"](?:node:)?process['"]/

/** What has changed, in the order of the header. */
export function changedModules(digests: ModuleDigests, root: string, read: ReadModule): string[] {
  return Object.entries(digests).flatMap(([path, digest]) => {
    const source = read(join(root, path)) ?? read(path)
    return source !== null && contentHash(source) === digest ? [] : [path]
  })
}

const IMPORT = /\b(?:from|import|require)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, , specifier = '']) => specifier.replace(/[?#].*$/, ''))
}

/**
 * The file itself, the TypeScript file behind a JavaScript name, or the file that a name without an extension
 * may mean.
 */
function candidates(path: string): string[] {
  const typescript = path.replace(/\.([mc]?)js(x?)$/, '.$1ts$2')
  const endings = ['.js', '.ts', '.mjs', '.mts', '.cjs', '.cts', '.json', '.tsx', '.jsx']
  const named = typescript === path ? [] : [typescript, `${typescript}x`]
  return [
    path,
    ...named,
    ...endings.map((ending) => path + ending),
    ...endings.map((ending) => join(path, `index${ending}`)),
  ]
}

function shownAs(path: string, root: string): string {
  const inside = relative(root, path)
  return inside.startsWith(`..${sep}`) || inside === '' ? path : inside
}
