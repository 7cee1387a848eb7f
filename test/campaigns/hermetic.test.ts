/**
 * A replay touches nothing. A program is recorded, then changed into one that makes every call of the table that a replay refuses, each swallowed. Under
 * strace: after the changed module is loaded nothing is connected, bound, sent or executed, and nothing is written outside the replay's own files. The exit
 * code is 2, and each call is named.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namesOfNode } from '../../src/real/ask-node.ts'
import { campaignSeed, campaignSize, scaled } from '../support/campaign.ts'
import { reprise } from '../support/cli.ts'
import { type HostileCall, hostileCalls, hostileSource } from '../support/hostile-calls.ts'
import { newerNode } from '../support/newer-node.ts'
import { needs } from '../support/outside.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = new URL('../../bin/reprise.js', import.meta.url).pathname
const namesProgram = new URL('../../dist/real/print-node-names.js', import.meta.url).pathname
const AGENT = `
  import { readFileSync } from 'node:fs'
  console.log(readFileSync('input.txt', 'utf8'))
  await import(['./', 'changed', '.mjs'].join(''))`

async function recorded(node: string): Promise<string> {
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'agent.mjs'), AGENT)
  writeFileSync(join(cwd, 'input.txt'), 'input')
  writeFileSync(join(cwd, 'changed.mjs'), '')
  const run = await reprise(['record', '--quiet', '--out', 'run.tape', '--', node, 'agent.mjs'], { cwd })
  expect(run).toMatchObject({ code: 0, stderr: '' })
  return cwd
}

/** The exit code, what the verdict names, and what strace saw after the changed module was opened. */
async function attack(cwd: string, calls: readonly HostileCall[], ...options: string[]) {
  writeFileSync(join(cwd, 'changed.mjs'), hostileSource(calls))
  const trace = join(cwd, 'trace.txt')
  const strace = [
    '-f',
    '-qq',
    '-s',
    '300',
    '-e',
    'trace=network,process,file',
    '-o',
    trace,
    process.execPath,
    bin,
  ]
  const run = await runChild(
    'strace',
    [...strace, 'replay', 'run.tape', '--report', 'report.json', ...options],
    {
      cwd,
    },
  )
  const lines = readFileSync(trace, 'utf8').split('\n')
  const from = lines.findIndex((line) => line.includes('changed.mjs') && line.includes('open'))
  expect(from).toBeGreaterThan(0)
  const { verdict, divergences } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
  const messages: string[] = divergences.map(({ message }: { message: string }) => message)
  return { code: run.code, verdict, messages, escaped: lines.slice(from).filter(isEscape) }
}

/** The result for the command line, and the report that it writes. */
const OWN_FILES = /reprise-replay-|report\.json|\/dev\/(?:null|tty|urandom)/

function isEscape(line: string): boolean {
  if (/ = -1 |resumed>/.test(line)) return false
  if (/\b(?:connect|bind|sendto|sendmsg|listen)\(/.test(line)) return /AF_INET|AF_UNIX|listen\(/.test(line)
  if (/\b(?:execve|vfork)\(/.test(line)) return true
  const writes =
    /\bopen(?:at)?\(.*O_(?:WRONLY|RDWR|CREAT)|\b(?:unlink|rename|mkdir|rmdir|symlink|link|truncate|chmod|chown)(?:at)?2?\(/
  return writes.test(line) && !OWN_FILES.test(line)
}

const nodes = campaignSize === 'short' ? ['this Node'] : ['this Node', 'node22', 'node24', 'node26']

test.each(nodes)(
  '%s: every refused function of the table, in one program',
  { timeout: 900_000 },
  async (name) => {
    const node = name === 'this Node' ? process.execPath : newerNode(name)
    const calls = hostileCalls(namesOfNode(node ?? '', namesProgram) ?? {})
    expect(calls.length).toBeGreaterThan(50)
    const cwd = await recorded(node ?? '')
    const before = readdirSync(cwd).length
    const walled = await attack(cwd, calls)
    expect([walled.escaped, walled.code, walled.verdict]).toEqual([[], 2, 'diverged'])
    // The patches alone: behind the wall Node denies some of the objects that the calls are made on.
    const { code, verdict, messages, escaped } = await attack(cwd, calls, '--no-wall')
    expect(escaped).toEqual([])
    expect([code, verdict]).toEqual([2, 'diverged'])
    expect(calls.filter(({ named }) => !messages.some((message) => message.includes(named)))).toEqual([])
    // The trace and the report.
    expect(readdirSync(cwd)).toHaveLength(before + 2)
  },
)

test.each(nodes)('%s: one refused function in a program of its own', { timeout: 3_600_000 }, async (name) => {
  const node = name === 'this Node' ? process.execPath : newerNode(name)
  const calls = hostileCalls(namesOfNode(node ?? '', namesProgram) ?? {})
  const cwd = await recorded(node ?? '')
  for (let at = 0; at < scaled(calls.length, 1); at += 1) {
    const call = calls[(campaignSeed + at) % calls.length]
    if (call === undefined) throw new Error('no row')
    const { code, messages, escaped } = await attack(cwd, [call], '--no-wall')
    expect([call.row, code, escaped, messages.some((message) => message.includes(call.named))]).toEqual([
      call.row,
      2,
      [],
      true,
    ])
  }
})

test('strace is there', (context) => {
  needs(context, 'strace')
  expect(nodes.length).toBeGreaterThan(0)
})
