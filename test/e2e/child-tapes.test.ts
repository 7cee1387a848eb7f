/** Secrets that a program passes to its Node children: neither its tape nor theirs has them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contentHash, utf8 } from '../../src/base/index.ts'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

test('secrets that only the parent knows are not on the tape of the child', async () => {
  const secret = 'q7Zt41LmWx92KdPv83'
  const folder = tempFolder()
  const files = {
    '.env': `SERVICE_TOKEN=${secret}\n`,
    'child.mjs': `
      let input = ''
      for await (const chunk of process.stdin) input += chunk
      console.log(process.argv[2], process.env.PLACE, input)
      if (process.argv[3]) console.log(process.env[process.argv[3]])`,
    'main.mjs': `
      import { readFileSync } from 'node:fs'
      import { execSync, spawnSync } from 'node:child_process'
      const secret = readFileSync('.env', 'utf8').trim().split('=')[1]
      const run = (args, env, input) => spawnSync(process.execPath, ['child.mjs', ...args], { env, input, encoding: 'utf8' }).stdout
      console.log(run([secret], {}, ''), run(['x'], { PLACE: secret }, ''), run(['x'], {}, 'a' + secret + 'b'))
      console.log(execSync('node child.mjs shell PLACE', { env: { ...process.env, PLACE: secret }, input: '', encoding: 'utf8' }))`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const recorded = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'main.mjs'], {
    cwd: folder,
  })
  expect([recorded.code, recorded.stdout.split(secret).length - 1]).toEqual([0, 5])
  const names = readdirSync(join(folder, 'run.tape.children'))
  expect(names).toHaveLength(4)
  for (const name of names) {
    const text = readFileSync(join(folder, 'run.tape.children', name), 'utf8')
    expect([name, text.includes(secret), text.includes('<redacted:')]).toEqual([name, false, true])
  }
  const replay = await reprise(['replay', 'run.tape', '--tree'], { cwd: folder })
  expect([replay.code, replay.stderr]).toEqual([0, ''])
})

test('a long message over IPC is compared by the hash of its scrubbed text', async () => {
  const secret = 'q7Zt41LmWx92KdPv83'
  const folder = tempFolder()
  const pad = 'words '.repeat(17_000)
  const files = {
    'child.mjs': `
      const send = (pad) => new Promise((resolve) => process.send({ said: 'it is ' + process.env.SERVICE_TOKEN, pad }, resolve))
      await send('')
      await send('words '.repeat(17_000))
      process.disconnect()`,
    'main.mjs': `
      import { fork } from 'node:child_process'
      fork('child.mjs').on('message', ({ said, pad }) => console.log(said, pad.length))`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const recorded = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'main.mjs'], {
    cwd: folder,
    env: { PATH: process.env.PATH, SERVICE_TOKEN: secret },
  })
  expect([recorded.code, recorded.stdout]).toEqual([0, `it is ${secret} 0\nit is ${secret} ${pad.length}\n`])
  const [name = ''] = readdirSync(join(folder, 'run.tape.children'))
  const lines = readFileSync(join(folder, 'run.tape.children', name), 'utf8')
    .trim()
    .split('\n')
  const keys = lines.flatMap((line): string[] => JSON.parse(line).kind?.key ?? [])
  const [short = '', long] = keys.filter((key) => key.startsWith('process.send '))
  expect(short).toContain('<redacted:')
  const scrubbed = short.slice('process.send '.length).replace('"pad":""', `"pad":"${pad}"`)
  expect(long).toBe(`process.send ${contentHash(utf8(scrubbed))}`)
  const replay = await reprise(['replay', 'run.tape', '--tree'], { cwd: folder })
  expect([replay.code, replay.stderr]).toEqual([0, ''])
})
