/**
 * Programs that use files in every way, through the built command line: as in plain Node, and again from the
 * tape with their data gone.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { newerNode } from '../support/newer-node.ts'
import { type ChildRun, runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const programs = fileURLToPath(new URL('programs', import.meta.url))
const NAMES = ['whole-files.mjs', 'names.mjs', 'handles.mjs', 'watching.mjs'] as const
/**
 * Which of several things comes first is not the same in every run; the tape has it, plain Node need not
 * agree.
 */
const ORDER_ON_STDERR = 'handles.mjs'

function fill(folder: string): void {
  cpSync(programs, folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  const data = join(folder, 'data')
  mkdirSync(join(data, 'sub'), { recursive: true })
  writeFileSync(join(data, 'text.txt'), 'The quick brown fox\njumps over the lazy dog. ünïcode\n')
  writeFileSync(join(data, 'binary.bin'), Buffer.from([0, 255, 254, 1, 128, 10, 13, 0]))
  writeFileSync(join(data, 'big.txt'), Array.from({ length: 9000 }, (_, n) => `line ${n} of many`).join('\n'))
  writeFileSync(join(data, 'empty.txt'), '')
  writeFileSync(join(data, 'sub/inner.txt'), 'inner')
  symlinkSync('text.txt', join(data, 'link'))
}

type Runs = { readonly folder: string; readonly plain: ChildRun; readonly recorded: ChildRun }

async function record(program: string, node: string, options: readonly string[] = []): Promise<Runs> {
  const folder = tempFolder()
  fill(folder)
  const plain = await runChild(node, [program], { cwd: folder })
  rmSync(folder, { recursive: true })
  fill(folder)
  const recorded = await reprise(['record', '--out', 'run.tape', ...options, '--', node, program], {
    cwd: folder,
  })
  return { folder, plain, recorded }
}

/** The oldest and the newest have them all. */
function programsOn(node: string): readonly string[] {
  return node === 'node22' || node === 'node24' ? ['handles.mjs', 'names.mjs'] : NAMES
}

for (const name of ['this Node', 'node22', 'node24', 'node26']) {
  test.for(programsOn(name))(
    `%s on ${name}: as in plain Node, and from the tape with the data gone`,
    async (program, context) => {
      const node = name === 'this Node' ? process.execPath : newerNode(name)
      if (node === null) return context.skip(name)
      const { folder, plain, recorded } = await record(program, node)
      expect(recorded.stdout).toBe(plain.stdout)
      expect(recorded.code).toBe(0)
      if (program !== ORDER_ON_STDERR) expect(recorded.stderr).toBe('')
      rmSync(join(folder, 'data'), { recursive: true })
      const replayed = await reprise(['replay', 'run.tape', '--report', 'report.json', '--', node, program], {
        cwd: folder,
      })
      expect(replayed).toEqual(recorded)
      expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).verdict).toBe('faithful')
      expect(existsSync(join(folder, 'data'))).toBe(false)
    },
  )
}

for (const name of ['this Node', 'node26']) {
  test.for(['whole-files.mjs', 'names.mjs', 'handles.mjs'])(
    `%s on ${name} under --fs overlay: as in plain Node, and the data stays`,
    async (program, context) => {
      const node = name === 'this Node' ? process.execPath : newerNode(name)
      if (node === null) return context.skip(name)
      const { folder, plain, recorded } = await record(program, node, ['--fs', 'overlay'])
      expect(recorded.stdout).toBe(plain.stdout)
      expect(recorded.code).toBe(0)
      const untouched = tempFolder()
      fill(untouched)
      for (const each of ['run.tape', 'run.tape.cas'])
        rmSync(join(folder, each), { recursive: true, force: true })
      expect(contents(folder)).toEqual(contents(untouched))
    },
  )
}

function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const path of readdirSync(folder, { recursive: true }).map(String)) {
    const stat = lstatSync(join(folder, path))
    found[path] =
      `${stat.mode.toString(8)} ${stat.isFile() ? readFileSync(join(folder, path)).toString('latin1') : ''}`
  }
  return found
}
