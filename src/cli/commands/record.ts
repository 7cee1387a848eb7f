/**
 * `reprise record -- <cmd…>`: runs a Node command and puts it on a tape. Ends with the program's own exit
 * code.
 */
import { dirname, resolve } from 'node:path'
import { RepriseError } from '../../errors/index.ts'
import type { Signer } from '../../real/signing.ts'
import type { TapeSummary } from '../../tape/inspect.ts'
import type { RecordSources } from '../../testbench/index.ts'
import {
  type Command,
  type CommandInput,
  flagOption,
  integerOption,
  listOption,
  textOption,
} from '../command.ts'
import { EXIT } from '../output.ts'
import { MOST_KEY, readTextFile } from '../read-text-file.ts'
import { writeReport } from '../write-report.ts'

export const record: Command = {
  name: 'record',
  arguments: '<cmd...>',
  help: 'run a Node command and put everything it takes in on a tape',
  options: [
    { flags: '--out <file>', help: 'the tape (default: a new one in .reprise/, see reprise list)' },
    { flags: '--force', help: 'replace an existing tape' },
    {
      flags: '--clock <source>',
      help: 'real (default), or paused: starts at --start-at, sleeping takes no time',
    },
    {
      flags: '--start-at <ms>',
      help: 'UNIX milliseconds at which a paused clock starts (default 1767225600000)',
    },
    { flags: '--seed <text>', help: 'draw randomness from this seed instead of the machine' },
    { flags: '--network <source>', help: 'real (default), or deny: only what --allow-host names is reached' },
    {
      flags: '--allow-host <host>',
      help: 'with --network deny: host, *.host or a range such as 127.0.0.0/8; may be given more than once',
      repeat: true,
    },
    {
      flags: '--root <folder>',
      help: 'files below it have relative names on the tape (default: the working directory); may be given more than once',
      repeat: true,
    },
    {
      flags: '--ignore <glob>',
      help: 'do not record files; a replay changes them in memory: name, folder/**, *.log; may be given more than once',
      repeat: true,
    },
    {
      flags: '--allow-addon <name>',
      help: 'vouch for a native addon, by the name of its package: a replay loads it; may be given more than once',
      repeat: true,
    },
    {
      flags: '--fs <source>',
      help: 'real (default), or overlay: what the program writes stays in a layer, and the disk as it is',
    },
    { flags: '--sign <file>', help: 'sign the seal with this Ed25519 private key (PEM); see verify --key' },
    {
      flags: '--children <how>',
      help: 'on (default): Node children are recorded too, each on a tape in <tape>.children; off: only the program',
    },
    { flags: '--emit-diff <file>', help: 'write what the program changed as a patch that git apply takes' },
    { flags: '--report <file>', help: 'write a JSON report' },
    { flags: '--quiet', help: 'do not print the summary on stderr' },
  ],
  failure: EXIT.reprise,
  async run(input) {
    const { fs } = await import('../../real/fs.ts')
    const { removeTape } = await import('../../tape/writer.ts')
    const { refuseLinks } = await import('../../tape/refuse-links.ts')
    const { inspectTape } = await import('../../tape/inspect.ts')
    const { childSummaries, unsealedChildren } = await import('../../tape/run-summary.ts')
    const { exitCodeOf, runProgram } = await import('../run-program.ts')
    const sources = await sourcesOf(input)
    const signer = await signerOf(input)
    const { refuseNativeProgram } = await import('../native-program.ts')
    refuseNativeProgram(input.arguments)
    const named = textOption(input, 'out') ?? (await import('../tape-names.ts')).newTapePath(input.arguments)
    const tape = resolve(named)
    refuseMissingFolder(fs, named)
    if (flagOption(input, 'force')) removeTape(tape)
    if (fs.existsSync(tape)) {
      throw new RepriseError('out-exists', `${tape} is there already`, {
        details: { path: tape },
        hint: 'choose another --out, or use --force to replace it',
      })
    }
    refuseLinks(tape)
    const end = await runProgram({
      command: input.arguments,
      mode: 'record',
      tape,
      settings: { command: input.arguments, sources },
    })
    if (!fs.existsSync(tape)) {
      throw new RepriseError(
        'record-unclaimed',
        `nothing was recorded: no Node program ran in ${input.arguments.join(' ')}`,
        {
          hint: 'give a command that ends in Node: node, tsx, npx, npm run',
        },
      )
    }
    if (signer !== null) (await import('../../tape/sign-tape.ts')).signTape(tape, signer)
    const summary = inspectTape(tape)
    // 1 is Node's own code for a program that it cannot load; any other is the program's answer.
    if (summary.records === 0 && end.code === 1) {
      removeTape(tape)
      input.output.note(`the program failed before it took anything in: no tape was kept`, 'warning')
      return exitCodeOf(end)
    }
    if (!flagOption(input, 'quiet')) await printSummary(input, named, tape, summary)
    await warnOfNoProgram(input, tape)
    const report = textOption(input, 'report')
    if (report !== undefined) {
      const { damage: _damage, header: _header, children: _children, unrecorded, ...facts } = summary
      const tree = { child_tapes: childSummaries(tape), unrecorded_children: unrecorded }
      const document = { tape, exit_code: end.code, signal: end.signal, ...facts, ...tree }
      await writeReport(report, `${JSON.stringify(document, null, 2)}\n`, [tape])
    }
    const diff = textOption(input, 'emitDiff')
    if (diff !== undefined) {
      const { emitDiff } = await import('../emit-diff.ts')
      await emitDiff(tape, resolve(diff), input.output)
    }
    if (sources.files?.source === 'overlay' && (summary.kinds.process_spawn ?? 0) > 0) {
      input.output.note(
        'the program started subprocesses: they saw the files on disk, not the layer, and what they wrote is on the disk',
      )
    }
    if (!summary.sealed && end.signal === null) {
      input.output.note(`the tape ${tape} was not written whole: it has no seal; see reprise verify`)
      return EXIT.reprise
    }
    const [torn] = unsealedChildren(tape, summary)
    if (torn !== undefined) {
      input.output.note(
        `the tape ${torn} of a child was not written whole: it has no seal; see reprise verify`,
      )
      return EXIT.reprise
    }
    return exitCodeOf(end)
  },
}

/** The key is read before the program runs, and only here: the recorded process does not have it. */
async function signerOf(input: CommandInput): Promise<Signer | null> {
  const file = textOption(input, 'sign')
  if (file === undefined) return null
  const { ed25519Signer } = await import('../../real/signing.ts')
  const pem = await readTextFile(file, MOST_KEY)
  try {
    return ed25519Signer(pem)
  } catch (cause) {
    throw new RepriseError('usage', `${file} is not an Ed25519 private key in PEM`, {
      details: { path: file },
      hint: 'make one: openssl genpkey -algorithm ed25519 -out key.pem',
      cause,
    })
  }
}

/** The writer would create it; a mistyped path is more likely than a folder that is not there yet. */
function refuseMissingFolder(fs: typeof import('../../real/fs.ts').fs, out: string): void {
  const folder = dirname(resolve(out))
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  throw new RepriseError('not-found', `cannot write ${out}: there is no folder ${dirname(out)}`, {
    details: { path: folder },
    hint: `create it: mkdir -p ${dirname(out)}`,
  })
}

/** One line on stderr; stdout is the program's. */
async function printSummary(
  input: CommandInput,
  named: string,
  tape: string,
  found: TapeSummary,
): Promise<void> {
  const { runSummary } = await import('../../tape/run-summary.ts')
  const { summaryLine } = await import('../summary-line.ts')
  const { needsTrust } = await import('../recorded-command.ts')
  const { recordedProgram } = await import('../program-folder.ts')
  input.output.note(summaryLine(named, runSummary(tape, found), needsTrust(recordedProgram(tape))))
}

/** A script that came through stdin is gone when it has run. */
async function warnOfNoProgram(input: CommandInput, tape: string): Promise<void> {
  const { readTapeEvents } = await import('../../tape/index.ts')
  const { isEvaluated } = await import('../../testbench/program/program-facts.ts')
  const [first] = readTapeEvents(tape)
  const program = first?.type === 'header' ? first.header.program : undefined
  if (
    program === undefined ||
    (program.script !== '' && program.script !== '-') ||
    isEvaluated(program.execArgs)
  )
    return
  input.output.note(
    'the program has no file and no -e: replay it with a command of its own, reprise replay <tape> -- node <script>',
  )
}

/** A layer needs a folder to lie over. */
async function checkRoots(roots: readonly string[]): Promise<void> {
  const { fs } = await import('../../real/fs.ts')
  for (const root of roots) {
    if (fs.statSync(root, { throwIfNoEntry: false })?.isDirectory() === true) continue
    throw new RepriseError('usage', `--root ${root} is no folder`, {
      details: { root },
      hint: 'name a folder that is there',
    })
  }
}

async function sourcesOf(input: CommandInput): Promise<RecordSources> {
  const { wrongHost } = await import('../../boundaries/network/policy.ts')
  const startAt = integerOption(input, 'startAt')
  if (startAt !== undefined && textOption(input, 'clock') !== 'paused')
    throw new RepriseError('usage', '--start-at needs --clock paused', { hint: 'see reprise record --help' })
  const seed = textOption(input, 'seed')
  const allowHosts = listOption(input, 'allowHost')
  if (allowHosts.length > 0 && textOption(input, 'network') !== 'deny')
    throw new RepriseError('usage', '--allow-host needs --network deny', {
      hint: 'see reprise record --help',
    })
  for (const host of allowHosts) {
    const wrong = wrongHost(host)
    if (wrong !== null)
      throw new RepriseError('usage', `--allow-host ${JSON.stringify(host)}: ${wrong}`, {
        hint: 'see reprise record --help',
      })
  }
  const source = choice(input, 'fs', ['real', 'overlay'])
  const roots = listOption(input, 'root').map((folder) => resolve(folder))
  if (source === 'overlay') await checkRoots(roots)
  return {
    clock: choice(input, 'clock', ['real', 'paused']),
    network: choice(input, 'network', ['real', 'deny']),
    allowHosts,
    files: {
      source: choice(input, 'fs', ['real', 'overlay']),
      roots: listOption(input, 'root').map((folder) => resolve(folder)),
      ignore: listOption(input, 'ignore'),
    },
    addons: listOption(input, 'allowAddon'),
    children: choice(input, 'children', ['on', 'off']),
    ...(startAt === undefined ? {} : { startAt }),
    ...(seed === undefined ? {} : { seed }),
  }
}

function choice<const T extends string>(input: CommandInput, name: string, values: readonly [T, ...T[]]): T {
  const text = textOption(input, name)
  if (text === undefined) return values[0]
  const found = values.find((value) => value === text)
  if (found !== undefined) return found
  throw new RepriseError('usage', `--${name} takes ${values.join(' or ')}, not ${JSON.stringify(text)}`, {
    hint: 'see reprise record --help',
  })
}
