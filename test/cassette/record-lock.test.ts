/**
 * One recording per account: exclusive between processes, taken over from the dead, and silent about who the
 * account is.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acquireRecordLock } from '../../src/cassette/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ACCOUNT = 'claude:someone@example.com'

test('a second holder is told who holds it, and gets it after the release', () => {
  const root = tempFolder()
  const lock = acquireRecordLock(root, ACCOUNT)
  expect(() => acquireRecordLock(root, ACCOUNT)).toThrow(
    expect.objectContaining({
      code: 'cassette-lock-held',
      details: expect.objectContaining({ pid: process.pid, host: hostname() }),
    }),
  )
  acquireRecordLock(root, 'another account').release()
  lock.release()
  lock.release()
  using again = acquireRecordLock(root, ACCOUNT)
  expect(existsSync(again.path)).toBe(true)
})

test('the account is in neither the name, the text nor the message', () => {
  const root = tempFolder()
  using _ = acquireRecordLock(root, ACCOUNT)
  const names = readdirSync(join(root, 'locks'))
  const all = [...names, ...names.map((name) => readFileSync(join(root, 'locks', name), 'utf8'))].join('\n')
  expect(all).not.toMatch(/someone|example|claude/)
  expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.lock$/)])
})

test('a lock whose process has ended is taken over; one of another host is respected', () => {
  const root = tempFolder()
  const lock = acquireRecordLock(root, ACCOUNT)
  const dead = spawnSync('true').pid
  const holder = JSON.parse(readFileSync(lock.path, 'utf8'))
  writeFileSync(lock.path, JSON.stringify({ ...holder, pid: dead, nonce: 'x' }))
  acquireRecordLock(root, ACCOUNT).release()
  // The number lives on as another process: it began at another time.
  writeFileSync(lock.path, JSON.stringify({ ...holder, start: '1', nonce: 'x' }))
  acquireRecordLock(root, ACCOUNT).release()
  writeFileSync(lock.path, '')
  acquireRecordLock(root, ACCOUNT).release()
  writeFileSync(lock.path, JSON.stringify({ ...holder, pid: dead, host: 'elsewhere', nonce: 'x' }))
  expect(() => acquireRecordLock(root, ACCOUNT)).toThrow(/held by process \d+ on elsewhere/)
})

test('a lock of Fizeau is respected while its process has it open, and taken over afterwards', () => {
  const root = tempFolder()
  const lock = acquireRecordLock(root, ACCOUNT)
  lock.release()
  const descriptor = openSync(lock.path, 'wx')
  writeSync(descriptor, `account=${ACCOUNT}\n`)
  let message = ''
  try {
    acquireRecordLock(root, ACCOUNT)
  } catch (error) {
    message = String(error)
  }
  expect(message).toMatch(/record lock already held by another program/)
  expect(message).not.toMatch(/someone/)
  closeSync(descriptor)
  acquireRecordLock(root, ACCOUNT).release()
  expect(existsSync(lock.path)).toBe(false)
})

test('of many processes that want it at once, over a dead lock, one gets it', async () => {
  const root = tempFolder()
  const lock = acquireRecordLock(root)
  writeFileSync(
    lock.path,
    JSON.stringify({ pid: spawnSync('true').pid, host: hostname(), since: '', start: null, nonce: 'x' }),
  )
  const program = `
    import { acquireRecordLock } from ${JSON.stringify(join(import.meta.dirname, '../../dist/cassette/index.js'))}
    process.stdin.once('data', () => {
      try { acquireRecordLock(${JSON.stringify(root)}); process.stdout.write('got') } catch (error) { process.stdout.write(error.code) }
      process.stdin.once('end', () => process.exit())
    })
    process.stdout.write('ready ')
  `
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const said = children.map(() => '')
  let look: () => void = () => undefined
  children.forEach((child, at) => {
    child.stdout.on('data', (text) => {
      said[at] += String(text)
      look()
    })
  })
  const heard = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (said.every((text) => pattern.test(text))) resolve()
      }
      look()
    })
  await heard(/ready/)
  for (const child of children) child.stdin.write('go')
  await heard(/got|held/)
  for (const child of children) child.stdin.end()
  expect(said.map((text) => text.replace('ready ', '')).sort()).toEqual([
    ...Array(5).fill('cassette-lock-held'),
    'got',
  ])
})
