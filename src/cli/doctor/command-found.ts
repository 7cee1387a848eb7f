/**
 * Whether a command can be put on a tape: what its first word is, which Node runs it in the end, and with
 * which script. Looks only at files and at the version of that Node; the command itself is not started.
 * Wrappers (`env`, `npm run`, `npx`, `tsx`) are followed as `record` follows them.
 */
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'

export type Machine = {
  readonly cwd: string
  readonly path: string
  /** The beginning of a file as text; null if there is none. */
  read(file: string): string | null
  isProgram(file: string): boolean
  realPath(file: string): string
  /** `v22.1.0`; null if it is no Node. */
  nodeVersion(program: string): string | null
}

export type CommandFound = {
  /** What precedes the program, outermost first. */
  readonly wrappers: readonly string[]
  readonly node: { readonly path: string; readonly version: string } | null
  readonly script: string | null
  /** Options of Node that change what it has: `--expose-gc`, `--experimental-…`. */
  readonly nodeFlags: readonly string[]
  /** What prevents a recording; empty if it can be recorded. */
  readonly problems: readonly string[]
  readonly hints: readonly string[]
}

const MAX_STEPS = 10

export function findCommand(words: readonly string[], machine: Machine): CommandFound {
  const wrappers: string[] = []
  let rest = [...words]
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [word = ''] = rest
    const program = locate(word, machine)
    if (program === null)
      return stopped(wrappers, `${word}: there is no such program`, 'check the spelling and PATH')
    const name = basename(word).replace(/\.(?:exe|cmd)$/, '')
    const version = /^node/.test(name) ? machine.nodeVersion(program) : null
    if (version !== null) return withNode(wrappers, program, version, rest.slice(1), machine)
    const inner = innerCommand(name, rest.slice(1), machine)
    if (inner !== null) {
      wrappers.push(name)
      if ('problem' in inner) return stopped(wrappers, inner.problem, inner.hint)
      rest = inner.words
      continue
    }
    return throughShebang(wrappers, program, rest.slice(1), machine)
  }
  return stopped(wrappers, 'wrappers within wrappers', 'name the program itself')
}

function stopped(wrappers: readonly string[], problem: string, hint: string): CommandFound {
  return { wrappers, node: null, script: null, nodeFlags: [], problems: [problem], hints: [hint] }
}

type Inner = { readonly words: string[] } | { readonly problem: string; readonly hint: string }

/** What a wrapper starts; null if it is none that is known by name. */
function innerCommand(name: string, args: readonly string[], machine: Machine): Inner | null {
  switch (name) {
    case 'env': {
      const at = args.findIndex((word) => !word.startsWith('-') && !/^[^=]+=/.test(word))
      return at < 0 ? { problem: 'env starts nothing', hint: 'name a program' } : { words: args.slice(at) }
    }
    case 'npx': {
      const at = args.findIndex((word) => !word.startsWith('-'))
      return at < 0
        ? { problem: 'npx starts nothing', hint: 'name a package' }
        : { words: [localBin(args[at] ?? '', machine), ...args.slice(at + 1)] }
    }
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return scriptOf(name, args, machine)
    default:
      return null
  }
}

function scriptOf(name: string, args: readonly string[], machine: Machine): Inner {
  const words = args.filter((word) => !word.startsWith('-'))
  const wanted = words[0] === 'run' || words[0] === 'run-script' ? words[1] : words[0]
  const manifest = manifestAbove(machine)
  const line = manifest?.scripts?.[wanted ?? '']
  if (wanted === undefined || line === undefined) {
    return {
      problem: `${name}: package.json has no script ${JSON.stringify(wanted ?? '')}`,
      hint: 'see npm run',
    }
  }
  // What a shell does with more than one simple command is not known here.
  if (/[;&|<>()$`]/.test(line))
    return {
      problem: `${name} run ${wanted}: "${line}" is more than one simple command`,
      hint: 'name the program itself',
    }
  const [program = '', ...rest] = line.trim().split(/\s+/)
  return { words: [localBin(program, machine), ...rest] }
}

function manifestAbove(machine: Machine): { readonly scripts?: Readonly<Record<string, string>> } | null {
  for (let folder = machine.cwd; ; folder = dirname(folder)) {
    const text = machine.read(join(folder, 'package.json'))
    if (text !== null) return parsed(text)
    if (folder === dirname(folder)) return null
  }
}

function parsed(text: string): { readonly scripts?: Readonly<Record<string, string>> } | null {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: npm reports that; here it means that there is no script.
    return null
  }
}

function localBin(name: string, machine: Machine): string {
  for (let folder = machine.cwd; ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', '.bin', name)
    if (machine.isProgram(file)) return file
    if (folder === dirname(folder)) return name
  }
}

function throughShebang(
  wrappers: readonly string[],
  program: string,
  args: readonly string[],
  machine: Machine,
): CommandFound {
  const interpreter = /^#![^\n]*?([^/\s]+)[ \t]*(?:\n|$)/.exec(machine.read(program) ?? '')?.[1] ?? null
  if (interpreter === null || !/^node/.test(interpreter)) {
    const what = interpreter === null ? 'a native program' : `a script for ${interpreter}`
    return stopped(
      wrappers,
      `${basename(program)} is ${what}, not Node`,
      'if it starts Node in the end, record finds that; else there is nothing to tape',
    )
  }
  const node = locate('node', machine)
  const version = node === null ? null : machine.nodeVersion(node)
  if (node === null || version === null)
    return stopped(wrappers, 'there is no node on PATH', 'install Node 20.19 or newer')
  const real = machine.realPath(program)
  // tsx's launcher starts Node anew, with the script as its argument.
  if (/[/\\]tsx[/\\]dist[/\\]cli\.[cm]js$/.test(real))
    return withNode([...wrappers, 'tsx'], node, version, args, machine, true)
  return withNode(wrappers, node, version, [real, ...args], machine)
}

function withNode(
  wrappers: readonly string[],
  path: string,
  version: string,
  args: readonly string[],
  machine: Machine,
  loads = false,
): CommandFound {
  const problems: string[] = []
  const hints: string[] = []
  if (!isSupported(version)) {
    problems.push(`Node ${version} is too old`)
    hints.push('use Node 20.19 or newer')
  }
  if (args.some((word) => /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/.test(word)))
    return { wrappers, node: { path, version }, script: null, nodeFlags: [], problems, hints }
  const script = scriptAmong(args)
  const file = script === null ? null : existing(resolve(machine.cwd, script), machine)
  if (script === null) {
    problems.push('it names no script')
    hints.push('a program from stdin is recorded, but its replay needs a command of its own')
  } else if (file === null) {
    problems.push(`the script ${script} is not there`)
    hints.push(`paths are seen from ${machine.cwd}`)
  } else if (/\.[mc]?tsx?$/.test(file) && !loads && !hasLoader(args) && !stripsTypes(version, args)) {
    problems.push(`Node ${version} does not run TypeScript without a loader`)
    hints.push('start it by tsx, or with --import tsx')
  }
  const nodeFlags = args
    .slice(0, script === null ? 0 : args.indexOf(script))
    .filter((word) => FEATURES.test(word))
  return { wrappers, node: { path, version }, script: file ?? script, nodeFlags, problems, hints }
}

const FEATURES = /^--(?:no-)?(?:expose|harmony|experimental)-(?!loader|(?:strip|transform)-types|permission)/

/** Options of Node that take the next word as their value. */
const VALUED = new Set([
  '--import',
  '--require',
  '-r',
  '--loader',
  '--experimental-loader',
  '--conditions',
  '-C',
  '--env-file',
  '--input-type',
  '--title',
])

function scriptAmong(args: readonly string[]): string | null {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (word === '--') return args[at + 1] ?? null
    if (VALUED.has(word)) at += 1
    else if (!word.startsWith('-') || word === '-') return word === '-' ? null : word
  }
  return null
}

function existing(file: string, machine: Machine): string | null {
  return (
    [file, `${file}.js`, `${file}.mjs`, `${file}.cjs`, join(file, 'index.js')].find(
      (each) => machine.read(each) !== null,
    ) ?? null
  )
}

function hasLoader(args: readonly string[]): boolean {
  return args.some((word) => /^(?:--import|--require|-r|--loader|--experimental-loader)(?:=|$)/.test(word))
}

/** With a flag from 22.6 on, without one from 23.6 and 22.18 on. */
function stripsTypes(version: string, args: readonly string[]): boolean {
  const [major = 0, minor = 0] = numbersOf(version)
  if (major >= 24 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)) return true
  return (
    args.some((word) => /^--experimental-(?:strip|transform)-types$/.test(word)) &&
    (major === 23 || (major === 22 && minor >= 6))
  )
}

export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version)
  return major > 20 || (major === 20 && minor >= 19)
}

function numbersOf(version: string): number[] {
  return version.replace(/^v/, '').split('.').map(Number)
}

function locate(word: string, machine: Machine): string | null {
  if (isAbsolute(word) || word.includes('/'))
    return machine.isProgram(resolve(machine.cwd, word)) ? resolve(machine.cwd, word) : null
  for (const folder of machine.path.split(delimiter)) {
    const file = join(folder, word)
    if (word !== '' && folder !== '' && machine.isProgram(file)) return file
  }
  return null
}
