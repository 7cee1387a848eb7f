/**
 * Finds out, without starting it, that a command is a binary other than Node: nothing it does could be
 * recorded, and it would have run for nothing. Scripts, package runners and the usual launchers are not
 * refused.
 */
import { basename, delimiter, join } from 'node:path'
import { RepriseError } from '../errors/index.ts'
import { fs } from '../real/fs.ts'
import { realEnv } from '../real/process.ts'
import { startedAs } from '../real/program.ts'

/** Binaries that start another program, which may be Node. */
const LAUNCHERS = new Set(
  `env sh bash dash zsh ksh fish busybox time timeout nice ionice nohup setsid stdbuf script sudo doas xargs
  make ninja just task strace ltrace perf unshare npm npx pnpm pnpx yarn corepack volta fnm mise asdf proto nodenv
  direnv dotenv dotenvx op doppler aws-vault chamber infisical tmux screen watchexec entr`.split(/\s+/),
)

/** ELF, Mach-O (both byte orders, 32 and 64 bits, universal), Windows. */
const MAGIC = ['7f454c46', 'feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabe']

export function refuseNativeProgram(command: readonly string[]): void {
  const [word = ''] = command
  const program = locateProgram(word)
  if (program === null || mayStartNode(word) || mayStartNode(program) || !isBinary(program)) return
  throw new RepriseError('record-unclaimed', `${word} is a native program, not Node: it was not started`, {
    details: { program },
    hint: 'give a command that runs Node; if it starts Node itself, use a shell: sh -c "…"',
  })
}

function mayStartNode(program: string): boolean {
  const name = basename(program).replace(/\.exe$/, '')
  return /^node(?:js)?(?:[-_.\d]|$)/.test(name) || LAUNCHERS.has(name) || isThisNode(program)
}

function isThisNode(program: string): boolean {
  const [ours, theirs] = [startedAs.execPath, program].map((path) =>
    fs.statSync(path, { throwIfNoEntry: false, bigint: true }),
  )
  return ours !== undefined && theirs !== undefined && ours.dev === theirs.dev && ours.ino === theirs.ino
}

export function locateProgram(word: string): string | null {
  if (word.includes('/')) return fs.existsSync(word) ? word : null
  const folders = (realEnv.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, word)).find((file) => fs.existsSync(file)) ?? null
}

function isBinary(program: string): boolean {
  if (fs.statSync(program, { throwIfNoEntry: false })?.isFile() !== true) return false
  let descriptor: number
  try {
    descriptor = fs.openSync(program, 'r')
  } catch {
    // A program that may be run but not read: starting it shows what it is.
    return false
  }
  try {
    const bytes = Buffer.alloc(4)
    fs.readSync(descriptor, bytes)
    return MAGIC.includes(bytes.toString('hex')) || bytes.toString('latin1', 0, 2) === 'MZ'
  } finally {
    fs.closeSync(descriptor)
  }
}
