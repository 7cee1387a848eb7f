/**
 * What a tape says of files, and what a replay says when the program does something else with them: through
 * the built command line.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { needs } from '../support/outside.ts'
import { runChild } from '../support/run-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const VARIANTS = `
import fs from 'node:fs'
const [variant] = process.argv.slice(2)
const swallowing = (what) => { try { what() } catch (error) { if (error.code !== 'replay-diverged') throw error } }
console.log(fs.readFileSync('data/a.txt', 'utf8').trim())
if (variant !== 'less') fs.readFileSync('data/a.txt')
if (variant === 'more') swallowing(() => fs.readFileSync('data/b.txt'))
swallowing(() => fs.writeFileSync('data/out.txt', 'line one\\n' + (variant === 'other content' ? 'line TWO\\n' : 'line two\\n') + 'line three\\n'))
if (variant === 'other content') console.error(fs.readFileSync('data/out.txt', 'utf8').split('\\n')[1])
else fs.readFileSync('data/out.txt', 'utf8')
swallowing(() => fs.appendFileSync('data/log.txt', variant === 'other appended' ? 'two?\\n' : 'two\\n'))
const stream = fs.createWriteStream('data/stream.txt')
stream.on('error', (error) => console.error(error.code))
stream.write('abc\\n')
stream.end(variant === 'other stream' ? 'DEF\\n' : 'def\\n')
`

async function recorded(): Promise<string> {
  const folder = tempFolder()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/a.txt'), 'hello\n')
  writeFileSync(join(folder, 'data/b.txt'), 'b\n')
  writeFileSync(join(folder, 'data/log.txt'), 'one\n')
  writeFileSync(join(folder, 'agent.mjs'), VARIANTS)
  const run = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs', 'same'], {
    cwd: folder,
  })
  expect(run).toMatchObject({ code: 0, stderr: '', stdout: 'hello\n' })
  rmSync(join(folder, 'data'), { recursive: true })
  return folder
}

test.each([
  ['same', 0, ''],
  ['less', 2, 'unused: #1 readFile data/a.txt'],
  ['more', 2, 'got readFile data/b.txt'],
  ['other content', 2, 'writeFile data/out.txt has another content, first at line 2'],
  ['other content', 2, 'line TWO'],
  ['other appended', 2, 'appendFile data/log.txt has another content, first at line 2'],
  ['other stream', 2, 'close data/stream.txt has another content, first at line 2'],
])('a program that does %s ends with %i', async (variant, code, words) => {
  const folder = await recorded()
  const run = await reprise(['replay', 'run.tape', '--', process.execPath, 'agent.mjs', variant], {
    cwd: folder,
  })
  expect(run.stderr).toContain(words)
  expect(run.code).toBe(code)
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

type Line = { readonly kind: { readonly kind: string; readonly [field: string]: unknown } }

function kindsOf(folder: string): Line['kind'][] {
  const lines = readFileSync(join(folder, 'run.tape'), 'utf8').trim().split('\n').slice(1)
  return lines.map((line) => (JSON.parse(line) as Line).kind)
}

test('a tape has reads with their bytes, writes with the whole content, deletions, and the rest as calls', async () => {
  const folder = await recorded()
  const kinds = kindsOf(folder)
  expect(kinds.find(({ kind }) => kind === 'file_read')).toMatchObject({
    path: 'data/a.txt',
    len_bytes: 6,
    payload: { text: 'hello\n' },
  })
  const written = kinds
    .filter(({ kind }) => kind === 'file_write')
    .map(({ path, payload }) => [path, payload])
  expect(written).toMatchObject([
    ['data/out.txt', { text: 'line one\nline two\nline three\n' }],
    ['data/log.txt', { text: 'one\ntwo\n' }],
    ['data/stream.txt', { text: 'abc\ndef\n' }],
  ])
  expect(kinds.at(-1)).toMatchObject({ kind: 'tape_seal', boundaries: { filesystem: 'captured' } })
})

test('a tape replays in another folder, where its files have other absolute names', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/a.txt'), 'hello\n')
  const source = `
    import fs from 'node:fs'
    import { dirname, join } from 'node:path'
    import { fileURLToPath } from 'node:url'
    const here = dirname(fileURLToPath(import.meta.url))
    const texts = [join(here, 'data/a.txt'), join(process.cwd(), 'data/a.txt'), 'data/a.txt', new URL('data/a.txt', import.meta.url)].map((path) => fs.readFileSync(path, 'utf8'))
    console.log(texts.join(''), fs.realpathSync(here) === here, fs.realpathSync('data') === join(process.cwd(), 'data'))
    try { fs.readFileSync(join(here, 'none')) } catch (error) { console.log(error.message === "ENOENT: no such file or directory, open '" + join(here, 'none') + "'", error.path === join(here, 'none')) }
    fs.writeFileSync(join(here, 'data/b.txt'), 'b')
    console.log(fs.readdirSync(join(here, 'data')).sort())`
  writeFileSync(join(folder, 'agent.mjs'), source)
  const run = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
  })
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(run.stdout).toBe("hello\nhello\nhello\nhello\n true true\ntrue true\n[ 'a.txt', 'b.txt' ]\n")
  const other = join(tempFolder(), 'elsewhere')
  mkdirSync(other)
  for (const name of ['agent.mjs', 'run.tape']) cpSync(join(folder, name), join(other, name))
  rmSync(folder, { recursive: true })
  expect(await reprise(['replay', 'run.tape'], { cwd: other })).toEqual(run)
  expect(readFileSync(join(other, 'run.tape'), 'utf8').split('\n').slice(1).join('\n')).not.toContain(
    `"path":"${folder}`,
  )
})

test('a secret reaches no byte of the tape, also if it goes over the edge of two reads', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'data'))
  const secret = 'sk-ant-api03-QmFzZTY0U2VjcmV0RmlsZXNTdHJhZGRsZVRlc3Q-0123456789abcdefghijklmnopqrstuvwxyzAB'
  writeFileSync(join(folder, 'data/key.txt'), `${'x'.repeat(30)} ${secret} end\n`)
  const source = `
    import fs from 'node:fs'
    let text = ''
    for await (const part of fs.createReadStream('data/key.txt', { highWaterMark: 16, encoding: 'utf8' })) text += part
    const fd = fs.openSync('data/key.txt')
    const buffer = Buffer.alloc(40)
    let again = ''
    for (let read = fs.readSync(fd, buffer); read > 0; read = fs.readSync(fd, buffer)) again += buffer.toString('utf8', 0, read)
    fs.closeSync(fd)
    fs.writeFileSync('data/copy.txt', text)
    console.log(text.length, again.length, text.startsWith('xxx'), text.endsWith(' end\\n'), again.endsWith(' end\\n'))`
  writeFileSync(join(folder, 'agent.mjs'), source)
  const run = await reprise(['record', '--out', 'run.tape', '--', process.execPath, 'agent.mjs'], {
    cwd: folder,
  })
  expect(run).toMatchObject({
    code: 0,
    stdout: `${36 + secret.length} ${36 + secret.length} true true true\n`,
  })
  const tape = readFileSync(join(folder, 'run.tape'), 'utf8')
  const stored = existsSync(join(folder, 'run.tape.cas'))
    ? readdirSync(join(folder, 'run.tape.cas')).map((name) =>
        readFileSync(join(folder, 'run.tape.cas', name), 'latin1'),
      )
    : []
  for (const text of [tape, ...stored])
    for (let at = 0; at + 24 <= secret.length; at += 1)
      expect(text.includes(secret.slice(at, at + 24))).toBe(false)
  rmSync(join(folder, 'data'), { recursive: true })
  expect(await reprise(['replay', 'run.tape'], { cwd: folder })).toEqual(run)
})

test('what is ignored is read as ever, and so is what a program is made of', async () => {
  const folder = tempFolder()
  mkdirSync(join(folder, 'cache'))
  mkdirSync(join(folder, 'node_modules/dep'), { recursive: true })
  writeFileSync(join(folder, 'cache/a.txt'), 'one')
  writeFileSync(join(folder, 'node_modules/dep/package.json'), '{"name":"dep","main":"index.js"}')
  writeFileSync(
    join(folder, 'node_modules/dep/index.js'),
    "module.exports = require('fs').readFileSync(__dirname + '/data.txt', 'utf8')",
  )
  writeFileSync(join(folder, 'node_modules/dep/data.txt'), 'of a package')
  writeFileSync(join(folder, 'lib.cjs'), "module.exports = require('./table.json').word")
  writeFileSync(join(folder, 'table.json'), '{"word":"table"}')
  const source = `
    import fs from 'node:fs'
    import dep from 'dep'
    import lib from './lib.cjs'
    const later = await import('./later.mjs')
    console.log(dep, lib, later.default, fs.readFileSync('cache/a.txt', 'utf8'), fs.readFileSync('lib.cjs', 'utf8').length)`
  writeFileSync(join(folder, 'later.mjs'), 'export default 1')
  writeFileSync(join(folder, 'agent.mjs'), source)
  const run = await reprise(
    ['record', '--out', 'run.tape', '--ignore', 'cache/**', '--', process.execPath, 'agent.mjs'],
    { cwd: folder },
  )
  expect(run).toMatchObject({ code: 0, stderr: '', stdout: 'of a package table 1 one 45\n' })
  expect(
    kindsOf(folder)
      .filter(({ path }) => path !== undefined)
      .map(({ kind, path }) => [kind, path]),
  ).toEqual([['file_read', 'lib.cjs']])
  expect(await reprise(['replay', 'run.tape'], { cwd: folder })).toEqual(run)
  writeFileSync(join(folder, 'cache/a.txt'), 'two')
  const changed = await reprise(['replay', 'run.tape'], { cwd: folder })
  expect(changed.stdout).toContain('1 two 45')
  expect(changed.code).toBe(2)
})

test('a replay opens no file of the program', async (context) => {
  needs(context, 'strace')
  const folder = await recorded()
  mkdirSync(join(folder, 'data'))
  for (const name of ['a.txt', 'b.txt', 'log.txt'])
    writeFileSync(join(folder, 'data', name), 'not to be read')
  const cli = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
  const watch = ['-f', '-qq', '-e', 'trace=open,openat,creat,rename,unlink,mkdir', '-o', 'calls.txt']
  const run = await runChild('strace', [...watch, process.execPath, cli, 'replay', 'run.tape'], {
    cwd: folder,
  })
  expect(run).toMatchObject({ code: 0, stdout: 'hello\n' })
  const calls = readFileSync(join(folder, 'calls.txt'), 'utf8')
  expect(calls).toContain('agent.mjs')
  expect(calls.split('\n').filter((line) => line.includes('data/'))).toEqual([])
})
