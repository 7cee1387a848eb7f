/** A subprocess that is started with other options is another one, and the field is named. */
import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withoutFeatures } from '../../../test/support/older-tape.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { record, replay } from '../library/in-process.ts'

const ran = async (options: SpawnOptions): Promise<unknown> => once(spawn('true', [], options), 'close')
const withEnv = (env: object): SpawnOptions => ({ env: { ...process.env, ...env } })

const withoutHome = (): SpawnOptions => {
  const { HOME, ...env } = process.env
  return { env }
}
const onlyPath = (): SpawnOptions => ({ env: { PATH: process.env.PATH } })
const ranSync = (options: object): unknown => spawnSync('true', [], options)

const rows: readonly (readonly [
  what: string,
  body: () => unknown,
  other: () => unknown,
  path: string,
  expected: string,
  actual: string,
])[] = [
  [
    'another value',
    () => ran(withEnv({ MODE: 'a' })),
    () => ran(withEnv({ MODE: 'b' })),
    'env.MODE',
    '"a"',
    '"b"',
  ],
  ['a variable more', () => ran({}), () => ran(withEnv({ MODE: 'b' })), 'env.MODE', 'nothing', '"b"'],
  [
    'a variable less',
    () => ran({ env: { PATH: process.env.PATH, A: '1' } }),
    () => ran({ env: { PATH: process.env.PATH } }),
    'env.A',
    '"1"',
    'nothing',
  ],
  [
    'a variable withheld',
    () => ran(withEnv({})),
    () => ran(withoutHome()),
    'env.HOME',
    'inherited',
    'nothing',
  ],
  [
    'a variable passed on',
    () => ran(withoutHome()),
    () => ran(withEnv({})),
    'env.HOME',
    'nothing',
    'inherited',
  ],
  [
    'all but one withheld',
    () => process.env.PATH !== '' && ran({}),
    () => ran(onlyPath()),
    'env',
    'all variables',
    'only PATH',
  ],
  ['no variables', () => ran(withoutHome()), () => ran({ env: {} }), 'env', 'all without HOME', 'nothing'],
  [
    'one more of few',
    async () => {
      await ran({ env: { HOME: process.env.HOME, PATH: process.env.PATH } })
      await ran(onlyPath())
    },
    async () => {
      await ran({ env: { HOME: process.env.HOME, PATH: process.env.PATH } })
      await ran({ env: { HOME: process.env.HOME, PATH: process.env.PATH } })
    },
    'env.HOME',
    'nothing',
    'inherited',
  ],
  [
    'a variable withheld from one that is waited for',
    () => ranSync(withEnv({})),
    () => ranSync(withoutHome()),
    'env.HOME',
    'inherited',
    'nothing',
  ],
  [
    'a variable passed on to one that is waited for',
    () => ranSync(withoutHome()),
    () => ranSync({}),
    'env.HOME',
    'nothing',
    'inherited',
  ],
  ['streams', () => ran({ stdio: ['ignore', 'pipe', 'pipe'] }), () => ran({}), 'stdio[0]', 'ignore', 'pipe'],
  [
    'inherited output',
    () => ran({ stdio: ['pipe', 'inherit', 'pipe'] }),
    () => ran({}),
    'stdio[1]',
    'inherit',
    'pipe',
  ],
  ['detached', () => ran({ detached: true }), () => ran({}), 'detached', 'true', 'nothing'],
  [
    'the owner',
    () => ran({ uid: process.getuid?.() ?? 0 }),
    () => ran({}),
    'uid',
    String(process.getuid?.()),
    'nothing',
  ],
  ['the name it is called by', () => ran({ argv0: 'one' }), () => ran({}), 'argv0', '"one"', 'nothing'],
  [
    'a variable of one that is waited for',
    () => spawnSync('true', [], { env: { ...process.env, MODE: 'a' } }),
    () => spawnSync('true'),
    'env.MODE',
    '"a"',
    'nothing',
  ],
  [
    'streams of one that is waited for',
    () => spawnSync('true', [], { stdio: 'ignore' }),
    () => spawnSync('true'),
    'stdio[0]',
    'ignore',
    'pipe',
  ],
  [
    'the time limit of one that is waited for',
    () => spawnSync('true', [], { timeout: 5000 }),
    () => spawnSync('true'),
    'timeout',
    '5000',
    'nothing',
  ],
  [
    'the signal that ends one that is waited for',
    () => spawnSync('true', [], { killSignal: 'SIGKILL' }),
    () => spawnSync('true', [], { killSignal: 'SIGINT' }),
    'killSignal',
    '9',
    '2',
  ],
  [
    'the limit of output of one that is waited for',
    () => spawnSync('true', [], { maxBuffer: Number.POSITIVE_INFINITY }),
    () => spawnSync('true', [], { maxBuffer: 10 }),
    'maxBuffer',
    'null',
    '10',
  ],
]

test.for(rows)('%s', async ([, body, other, path, expected, actual]) => {
  const tape = join(tempFolder(), 'run.tape')
  await record(tape, body)
  expect((await replay(tape, body)).report.verdict).toBe('faithful')
  await expect(replay(tape, other)).rejects.toMatchObject({
    code: 'replay-diverged',
    details: { path, expected, actual },
  })
})

test('a variable that the program sets for itself counts where it is handed on', async () => {
  const body = (value: string) => async (): Promise<void> => {
    process.env.REPRISE_TEST_SET = value
    await ran({ env: { ...process.env } })
    delete process.env.REPRISE_TEST_SET
  }
  const tape = join(tempFolder(), 'run.tape')
  await record(tape, body('a'))
  expect((await replay(tape, body('a'))).report.verdict).toBe('faithful')
  await expect(replay(tape, body('b'))).rejects.toMatchObject({
    details: { path: 'env.REPRISE_TEST_SET', expected: '"a"', actual: '"b"' },
  })
})

test('an environment that is handed on is no choice, also where there is another one', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const body = async (): Promise<void> => {
    await ran({ env: { ...process.env } })
    await ran({ env: { HOME: process.env.HOME } })
    await ran({})
  }
  await record(tape, body)
  const { HOME } = process.env
  process.env.HOME = '/elsewhere'
  try {
    expect((await replay(tape, body)).report).toMatchObject({ verdict: 'faithful', divergences: [] })
  } finally {
    process.env.HOME = HOME
  }
})

test('reads of the environment around it do not change what a child inherits', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const body = (reads: boolean) => async (): Promise<void> => {
    await ran(onlyPath())
    if (reads) JSON.stringify(process.env)
    await ran(onlyPath())
    ranSync(onlyPath())
    await ran({})
    ranSync({})
  }
  await record(tape, body(true))
  expect(readFileSync(tape, 'utf8').match(/"env_only":\["PATH"\]/g)).toHaveLength(3)
  expect(readFileSync(tape, 'utf8')).not.toContain('env_without')
  for (const reads of [true, false])
    expect((await replay(tape, body(reads))).report).toMatchObject({ verdict: 'faithful', divergences: [] })
})

test('a secret that is handed to a child reaches no tape, and another one there is no difference', async () => {
  const tape = join(tempFolder(), 'run.tape')
  const body = (token: string) => async (): Promise<void> => {
    await ran(withEnv({ SOME_TOKEN: token }))
    execFileSync('sh', ['-c', 'echo $SOME_TOKEN'], { env: { ...process.env, SOME_TOKEN: token } })
  }
  await record(tape, body('Zx81-first-value'))
  expect(readFileSync(tape, 'utf8')).not.toContain('Zx81-first')
  expect((await replay(tape, body('Qy92-other-value'))).report.divergences).toEqual([])
})

test('a tape from before these were told is replayed without them', async () => {
  const tape = join(tempFolder(), 'run.tape')
  await record(tape, () => ran({ detached: true }))
  withoutFeatures(tape)
  expect((await replay(tape, () => ran(withEnv({ A: '1' })))).report.divergences).toEqual([])
})
