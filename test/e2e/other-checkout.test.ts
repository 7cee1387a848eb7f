/** A tape that is replayed in another folder than it was recorded in: a second checkout, another machine. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { reseal } from '../support/reseal.ts'
import { tempFolder } from '../support/temp-folder.ts'

const SOURCE = `
import { readFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
const own = new URL('plan.txt', import.meta.url).pathname
console.log(process.cwd(), process.argv.slice(2), readFileSync(own, 'utf8'))
console.log(spawnSync('cat', [own]).stdout.toString(), readFileSync(process.argv[2], 'utf8'))
`

type Checkouts = { readonly first: string; readonly second: string; readonly stdout: string }

/** The program and its tape in `first`, and a copy of both in `second`. */
async function twoCheckouts(source = SOURCE, options: readonly string[] = []): Promise<Checkouts> {
  const base = tempFolder()
  const [first, second] = [join(base, 'first'), join(base, 'second')]
  mkdirSync(first)
  writeFileSync(join(first, 'agent.mjs'), source)
  writeFileSync(join(first, 'plan.txt'), 'one')
  const command = ['node', ...options, join(first, 'agent.mjs'), join(first, 'plan.txt'), '$ROOT']
  const { stdout, stderr } = await reprise(['record', '--out', 'run.tape', '--', ...command], { cwd: first })
  expect(stderr).toBe('')
  cpSync(first, second, { recursive: true })
  return { first, second, stdout }
}

async function replay(
  cwd: string,
  tape = 'run.tape',
): Promise<[code: number | null, stdout: string, verdict: string]> {
  const { code, stdout } = await reprise(['replay', tape, '--report', 'report.json'], { cwd })
  return [code, stdout, JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).verdict]
}

test('the header has no folder of the machine, and the seal has them', async () => {
  const { first } = await twoCheckouts()
  const lines = readFileSync(join(first, 'run.tape'), 'utf8').trimEnd().split('\n')
  for (const folder of [first, tmpdir(), homedir()]) expect(lines[0]).not.toContain(folder)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    roots: ['$ROOT'],
    home: '$HOME',
    temp: '$TMP',
    command: ['node', '$ROOT/agent.mjs', '$ROOT/plan.txt', '$$ROOT'],
  })
  expect(JSON.parse(lines.at(-1) ?? '').kind.places).toEqual({ root: first, home: homedir(), temp: tmpdir() })
})

test('two folders give equal headers', async () => {
  const [one, other] = [await twoCheckouts(), await twoCheckouts()]
  const header = ({ first }: Checkouts): string =>
    readFileSync(join(first, 'run.tape'), 'utf8').split('\n')[0] ?? ''
  expect(header(one)).toBe(header(other))
})

test('a copy replays faithfully, while the first folder is there and when it is gone', async () => {
  const { first, second, stdout } = await twoCheckouts()
  expect(await replay(second)).toEqual([0, stdout, 'faithful'])
  renameSync(first, `${first}-gone`)
  expect(await replay(second)).toEqual([0, stdout, 'faithful'])
})

test('the program of the working directory runs, not that of the first folder', async () => {
  const { second } = await twoCheckouts()
  writeFileSync(join(second, 'agent.mjs'), 'console.log("changed here")')
  expect(await replay(second)).toMatchObject([2, 'changed here\n', 'diverged'])
})

test('from any folder without the script, the tape is replayed where it was recorded', async () => {
  const { first, stdout } = await twoCheckouts()
  const elsewhere = tempFolder()
  expect(await replay(elsewhere, join(first, 'run.tape'))).toEqual([0, stdout, 'faithful'])
})

test('a script outside the recorded root is replayed from its own folder when that root is gone', async () => {
  const [program, workspace] = [tempFolder(), tempFolder()]
  const script = join(program, 'agent.mjs')
  writeFileSync(script, SOURCE)
  writeFileSync(join(program, 'plan.txt'), 'one')
  const recorded = await reprise(
    ['record', '--out', join(program, 'run.tape'), '--', 'node', script, join(program, 'plan.txt')],
    { cwd: workspace },
  )
  renameSync(workspace, `${workspace}-gone`)
  expect(await replay(program)).toEqual([0, recorded.stdout, 'faithful'])
})

test('a script of the same name with other content does not stand in for the recorded one', async () => {
  const { first, stdout } = await twoCheckouts()
  const elsewhere = tempFolder()
  writeFileSync(join(elsewhere, 'agent.mjs'), 'console.log("another program")')
  expect(await replay(elsewhere, join(first, 'run.tape'))).toEqual([0, stdout, 'faithful'])
})

test('a killed run, which has no seal, replays in another folder', async () => {
  const { first, second, stdout } = await twoCheckouts()
  const tape = join(second, 'run.tape')
  writeFileSync(tape, `${readFileSync(tape, 'utf8').trimEnd().split('\n').slice(0, -1).join('\n')}\n`)
  renameSync(first, `${first}-gone`)
  // The recorded root is known from what the program read; its arguments are those of this folder.
  const given = stdout.replace(join(first, 'plan.txt'), join(second, 'plan.txt'))
  expect(await replay(second)).toEqual([2, given, 'unverified'])
})

test('the second recording has the names and folders of the first', async () => {
  const { first, second } = await twoCheckouts()
  await reprise(['replay', 'run.tape', '--emit-tape', 'again.tape'], { cwd: second })
  const lines = (tape: string): string[] => readFileSync(join(second, tape), 'utf8').trimEnd().split('\n')
  expect(lines('again.tape')[0]).toBe(lines('run.tape')[0])
  expect(JSON.parse(lines('again.tape').at(-1) ?? '').kind.places.root).toBe(first)
})

test('children run where they ran, seen from the program', async () => {
  const base = tempFolder()
  const [first, second] = [join(base, 'first'), join(base, 'second')]
  mkdirSync(join(first, 'tools'), { recursive: true })
  writeFileSync(
    join(first, 'agent.mjs'),
    `import { spawnSync } from 'node:child_process'
     process.stdout.write(spawnSync(process.execPath, ['tool.mjs'], { cwd: 'tools' }).stdout)`,
  )
  writeFileSync(join(first, 'tools', 'tool.mjs'), 'console.log("tool", Date.now() > 0)')
  await reprise(['record', '--out', 'run.tape', '--', 'node', 'agent.mjs'], { cwd: first })
  cpSync(first, second, { recursive: true })
  renameSync(first, `${first}-gone`)
  const { code, stdout } = await reprise(['replay', 'run.tape', '--tree', '--json'], { cwd: second })
  const { tree_verdict, children } = JSON.parse(stdout)
  expect([code, tree_verdict, children.length]).toEqual([0, 'faithful', 1])
})

test('a name that leads to another folder is judged like any path', async () => {
  const { second } = await twoCheckouts()
  const mark = join(second, 'ran')
  writeFileSync(
    join(second, '..', 'evil.data'),
    `import('node:fs').then((fs) => fs.writeFileSync('${mark}', ''))`,
  )
  const edited = async (edit: (program: Record<string, unknown>) => void): Promise<string> => {
    reseal(join(second, 'run.tape'), ([header = '', ...records]) => {
      const value = JSON.parse(header)
      edit(value.program)
      return [JSON.stringify(value), ...records]
    })
    const { code, stderr } = await reprise(['replay', 'run.tape'], { cwd: second })
    expect(code).toBe(125)
    return stderr
  }
  expect(await edited((program) => Object.assign(program, { script: '$ROOT/../../gone.mjs' }))).toContain(
    '[replay-untrusted]',
  )
  expect(
    await edited((program) =>
      Object.assign(program, { script: 'agent.mjs', exec_args: ['--import', '$ROOT/../evil.data'] }),
    ),
  ).toContain('[replay-untrusted]')
  expect(existsSync(mark)).toBe(false)
})

test('inspect, list and view show the names', async () => {
  const { first } = await twoCheckouts()
  expect((await reprise(['inspect', '--raw', 'run.tape'], { cwd: first })).stdout).toContain(
    '$ROOT/agent.mjs',
  )
  expect((await reprise(['list', '--json'], { cwd: first })).stdout).toContain(
    'node $ROOT/agent.mjs $ROOT/plan.txt $ROOT',
  )
})
