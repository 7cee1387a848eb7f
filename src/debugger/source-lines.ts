/** Positions in the user's sources: through a source map where the script has one (TypeScript, tsx). */
import { SourceMap, type SourceMapPayload } from 'node:module'
import { isObject } from '../base/index.ts'
import { fs } from '../real/fs.ts'
import { asFileUrl, shownUrl } from './user-code.ts'

export type Script = { readonly url: string; readonly sourceMapUrl: string }

/** Lines and columns begin at 0, as the protocol counts. */
export type Position = { readonly url: string; readonly line: number; readonly column: number }

export function createSourceLines(): (script: Script, line: number, column: number) => Position {
  const maps = new Map<string, SourceMap | null>()
  return (script, line, column) => {
    const key = script.sourceMapUrl
    let map = maps.get(`${script.url} ${key}`)
    if (map === undefined) {
      map = key === '' ? null : readMap(script)
      maps.set(`${script.url} ${key}`, map)
    }
    const entry = map?.findEntry(line, column)
    if (entry === undefined || !('originalSource' in entry))
      return { url: shownUrl(script.url), line, column }
    const source = new URL(entry.originalSource, asFileUrl(script.url)).href
    return { url: shownUrl(source), line: entry.originalLine, column: entry.originalColumn }
  }
}

/** A map that cannot be read is left out: the position of the generated code is still true. */
function readMap({ url, sourceMapUrl }: Script): SourceMap | null {
  try {
    const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/s.exec(sourceMapUrl)
    const text =
      inline === null
        ? fs.readFileSync(new URL(sourceMapUrl, asFileUrl(url)), 'utf8')
        : Buffer.from(
            decodeURIComponent(inline[2] ?? ''),
            inline[1] === undefined ? 'utf8' : 'base64',
          ).toString()
    const payload: unknown = JSON.parse(text)
    return isPayload(payload) ? new SourceMap(payload) : null
  } catch {
    return null
  }
}

function isPayload(value: unknown): value is SourceMapPayload {
  return isObject(value) && typeof value.mappings === 'string' && Array.isArray(value.sources)
}
