/**
 * The running frame of the program: the nearest one that is neither ours nor Node's, as `name
 * (agent.mjs:4:33)`. Null if the program is not on the stack.
 */
import { realCwd } from '../real/process.ts'
import { framesBelow, ownFolder } from './caller.ts'

const DEPTH = 40

export function userFrame(): string | null {
  const own = ownFolder(framesBelow(userFrame, 1, fileOf)[0] ?? '')
  const frames = framesBelow(userFrame, DEPTH, (site) => ({ file: fileOf(site), text: textOf(site) }))
  return frames.find(({ file }) => isOfProgram(file, own))?.text ?? null
}

function isOfProgram(file: string, own: string): boolean {
  return file !== '' && !file.startsWith('node:') && (own === '' || !file.startsWith(own))
}

function fileOf(site: NodeJS.CallSite): string {
  return site.getFileName() ?? ''
}

function textOf(site: NodeJS.CallSite): string {
  const file = fileOf(site).replace(/^file:\/\//, '')
  const folder = `${realCwd()}/`
  const place = `${file.startsWith(folder) ? file.slice(folder.length) : file}:${site.getLineNumber()}:${site.getColumnNumber()}`
  const name = site.getFunctionName()
  return name === null || name === '' ? place : `${name} (${place})`
}
