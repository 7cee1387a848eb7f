/**
 * Checks that Harn would load every tape that a test has left in its folder. A tape that a test damaged or
 * made by hand is none that a writer wrote: only lines under a header of this version count, and of a sealed
 * tape only those that its seal still covers.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentHash } from '../../src/base/index.ts'
import { version } from '../../src/base/version.ts'
import { serdeProblem } from './serde-rules.ts'

const MAX_BYTES = 8 * 1024 * 1024
const BEGINS = '{"type":"header",'

/** Throws for the first line that Harn would refuse. */
export function checkTapesIn(folder: string): void {
  for (const path of filesIn(folder)) {
    const text = tapeText(path)
    if (text === null || !isIntact(text)) continue
    for (const [at, line] of wholeLines(text).entries()) {
      const problem = serdeProblem(line)
      if (problem !== null)
        throw new Error(`Harn refuses line ${at + 1} of ${path}: ${problem}\n${line.slice(0, 300)}`)
    }
  }
}

function filesIn(folder: string): string[] {
  const paths: string[] = []
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) paths.push(path)
    }
  }
  try {
    walk(folder)
  } catch (error) {
    // The test removed the folder, closed it to itself, or a process of it still does.
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'EACCES', 'ENOTDIR'].includes(String(error.code))
    )
      return paths
    throw error
  }
  return paths
}

/** Null for what is no tape of this version. */
function tapeText(path: string): string | null {
  try {
    const { size } = lstatSync(path)
    if (size < BEGINS.length || size > MAX_BYTES) return null
    const text = readFileSync(path, 'utf8')
    if (!text.startsWith(BEGINS)) return null
    return text.slice(0, text.indexOf('\n')).includes(`"producer":{"name":"reprise","version":"${version}"}`)
      ? text
      : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'EACCES'].includes(String(error.code)))
      return null
    throw error
  }
}

function isIntact(text: string): boolean {
  const seal =
    /\n(\{"type":"record",[^\n]*"kind":\{"kind":"tape_seal",[^\n]*"chain":"([0-9a-f]{64})"[^\n]*\})\n$/.exec(
      text,
    )
  if (seal === null) return !text.includes('"kind":"tape_seal"')
  return contentHash(new Uint8Array(Buffer.from(text.slice(0, seal.index + 1)))) === seal[2]
}

/** Without a last line that was cut off. */
function wholeLines(text: string): string[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.trim() !== '')
}
