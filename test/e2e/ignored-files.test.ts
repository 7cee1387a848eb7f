/**
 * Files that are not on the tape: those that `--ignore` names, and all files of a tape whose header says so.
 * A replay changes none of them on the disk, by any function, and the program reads back what it wrote.
 */
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordProgram } from '../support/recorded-program.ts'
import { reseal } from '../support/reseal.ts'

/** Every changing function in each of its forms, below `logs`, and what is there after it. */
const AGENT = `
  import fs, { promises as fsp } from 'node:fs'
  import path from 'node:path'
  import { Readable } from 'node:stream'
  import { pipeline } from 'node:stream/promises'
  import { promisify } from 'node:util'
  const cp = promisify(fs.cp), append = promisify(fs.appendFile), write = promisify(fs.write)
  const print = async (name, call) => {
    try { console.log(name, await call()) } catch (error) { console.log(name, error.code) }
  }
  const text = (file) => fs.readFileSync(file, 'utf8')
  await print('mkdir', () => fs.mkdirSync('logs/a/b', { recursive: true }) !== '')
  await print('writeFile', () => fs.writeFileSync('logs/a/w', 'one '))
  await print('appendFile', async () => {
    fs.appendFileSync('logs/a/w', 'two ')
    await append('logs/a/w', 'three ')
    await fsp.appendFile('logs/a/w', 'four')
    return [text('logs/a/w'), await fsp.readFile('logs/a/w', 'utf8'), (await fsp.stat('logs/a/w')).size]
  })
  await print('streams', async () => {
    await pipeline(Readable.from(['x', 'y']), fs.createWriteStream('logs/a/s', { flush: true }))
    return text('logs/a/s') + Buffer.concat(await fs.createReadStream('logs/a/s').toArray())
  })
  await print('descriptor', async () => {
    const fd = fs.openSync('logs/a/fd', 'w+')
    fs.writeSync(fd, 'hello')
    await write(fd, Buffer.from('!'), 0, 1, 0)
    fs.writevSync(fd, [Buffer.from('a'), Buffer.from('b')])
    fs.ftruncateSync(fd, 6); fs.fchmodSync(fd, 0o600); fs.futimesSync(fd, 1, 1); fs.fsyncSync(fd)
    const { size, mode, mtimeMs } = fs.fstatSync(fd)
    fs.closeSync(fd)
    return [size, mode, mtimeMs, text('logs/a/fd')]
  })
  await print('handle', async () => {
    const handle = await fsp.open('logs/a/h', 'w+')
    await handle.write('abc'); await handle.writeFile('def'); await handle.appendFile('!')
    await handle.chmod(0o644); await handle.utimes(2, 2); await handle.truncate(5)
    const found = [(await handle.stat()).size, (await handle.read(Buffer.alloc(9), 0, 9, 0)).bytesRead]
    await handle.close()
    return found
  })
  await print('stream of a handle', async () => {
    await pipeline(Readable.from(['q', 'r']), (await fsp.open('logs/a/h2', 'w')).createWriteStream())
    const lines = []
    for await (const line of (await fsp.open('logs/a/h2')).readLines()) lines.push(line)
    return lines
  })
  await print('copy', async () => {
    fs.copyFileSync('logs/a/w', 'logs/a/copy')
    fs.copyFileSync('in.txt', 'logs/a/in')
    fs.cpSync('logs/a', 'logs/b', { recursive: true })
    await cp('folder', 'logs/c', { recursive: true })
    await fsp.cp('logs/b', 'logs/d', { recursive: true })
    return [fs.readdirSync('logs/b'), text('logs/c/in.txt'), text('logs/d/in')]
  })
  await print('rename', async () => {
    fs.renameSync('logs/a/copy', 'logs/a/moved')
    await fsp.rename('logs/b', 'logs/e')
    return [fs.existsSync('logs/a/copy'), fs.existsSync('logs/b'), text('logs/e/in')]
  })
  await print('links', () => {
    fs.linkSync('logs/a/moved', 'logs/a/link')
    fs.symlinkSync('moved', 'logs/a/sym')
    return [fs.readlinkSync('logs/a/sym'), fs.realpathSync('logs/a/sym').slice(-5), text('logs/a/link')]
  })
  await print('attributes', () => {
    fs.chmodSync('logs/a/moved', 0o640); fs.utimesSync('logs/a/moved', 5, 5); fs.lutimesSync('logs/a/sym', 5, 5)
    fs.truncateSync('logs/a/moved', 3)
    fs.accessSync('logs/a/moved', fs.constants.W_OK)
    const { mode, size } = fs.statSync('logs/a/link')
    return [mode, size, fs.lstatSync('logs/a/sym').mtimeMs]
  })
  await print('folders', async () => {
    const made = [fs.mkdtempSync('logs/tmp-'), await fsp.mkdtemp('logs/tmp-')]
    const names = []
    for await (const { name } of await fsp.opendir('logs/a')) names.push(name)
    return [made.map((name) => fs.statSync(name).isDirectory()), names.sort(), (await fsp.readdir('logs/d')).sort()]
  })
  await print('removed', async () => {
    fs.unlinkSync('logs/a/moved'); await fsp.rm('logs/d', { recursive: true }); fs.rmSync('logs/c', { recursive: true })
    fs.rmdirSync('logs/a/b')
    return [fs.existsSync('logs/a/moved'), fs.existsSync('logs/d'), fs.existsSync('logs/a/b')]
  })
  await print('exclusive', () => fs.writeFileSync('logs/lock', '1', { flag: 'wx' }))
  await print('exclusive again', () => fs.writeFileSync('logs/lock', '1', { flag: 'wx' }))
  await print('aborted', () => fsp.writeFile('logs/aborted', 'x', { signal: AbortSignal.abort() }))
  await print('paths', () => {
    fs.writeFileSync(path.join(process.cwd(), 'logs/absolute'), 'a')
    fs.writeFileSync(new URL('./logs/url', import.meta.url), 'u')
    return text('logs/absolute') + text(Buffer.from('logs/url'))
  })
  await print('moved to the tape', async () => {
    for (const flag of ['wx', 'wx']) {
      fs.writeFileSync('logs/out.tmp', 'out', { flag })
      await fsp.rename('logs/out.tmp', 'out.txt')
    }
    return [fs.existsSync('logs/out.tmp'), text('out.txt')]
  })
  await print('moved from the tape', () => { fs.writeFileSync('new.txt', ''); fs.renameSync('new.txt', 'logs/new') })
  await print('rejected', () => fs.writeFileSync('logs/rejected', undefined))
  await print('closed twice', () => { const fd = fs.openSync('logs/lock'); fs.closeSync(fd); fs.closeSync(fd) })
  fs.rmSync('logs', { recursive: true })`

const FILES = { 'in.txt': 'given' }

test('a replay repeats every change of ignored files without the disk', async () => {
  const prepared = `import { cpSync } from 'node:fs'\nif (process.env.MAKE) cpSync('in.txt', 'folder/in.txt')`
  const program = await recordProgram(
    `${prepared}\n${AGENT}`,
    { MAKE: '1' },
    'agent.mjs',
    ['--ignore', 'logs', '--ignore', 'logs/**'],
    FILES,
  )
  expect(program.recorded.code, program.recorded.stderr).toBe(0)
  const before = listing(program.folder)
  for (const args of [['--no-wall'], []]) {
    const replayed = await program.replay({ args })
    expect(replayed.report.verdict, replayed.stderr).toBe('faithful')
    expect(replayed.stdout).toBe(program.recorded.stdout)
    expect(listing(program.folder)).toEqual(before)
  }
})

const HOSTILE = {
  'ignores every file': (header: Header) => ({ ...header, ignore: ['**'] }),
  'has no file system': ({ boundaries: { filesystem: _, ...boundaries }, ...header }: Header) => ({
    ...header,
    boundaries,
  }),
  'passes the file system through': (header: Header) => ({
    ...header,
    boundaries: { ...header.boundaries, filesystem: { mode: 'passthrough', source: null } },
  }),
}

describe.each(Object.entries(HOSTILE))('a tape that %s', (_name, hostile) => {
  test('changes no file of the program', async () => {
    const program = await recordProgram(
      `
      import fs, { promises as fsp } from 'node:fs'
      if (process.argv.length === 2) {
        fs.writeFileSync('own.txt', 'changed')
        fs.renameSync('own.txt', 'renamed.txt')
        fs.copyFileSync('in.txt', 'own.txt')
        await fsp.appendFile('in.txt', 'more')
        fs.createWriteStream('stream.txt').end('x')
        fs.chmodSync('agent.mjs', 0o777)
        fs.utimesSync('in.txt', 1, 1)
        await (await fsp.open('in.txt', 'r')).chmod(0o777)
        fs.fchmodSync(fs.openSync('own.txt', 'r'), 0o777)
        fs.rmSync('folder', { recursive: true, force: true })
        fs.mkdirSync('folder')
        fs.linkSync('in.txt', 'linked.txt')
        fs.truncateSync('renamed.txt')
      }`,
      {},
      'agent.mjs',
      [],
      FILES,
    )
    expect(program.recorded.code, program.recorded.stderr).toBe(0)
    for (const made of ['linked.txt', 'own.txt', 'renamed.txt', 'stream.txt', 'folder'])
      rmSync(join(program.folder, made), { recursive: true })
    reseal(program.tape, ([header = '', ...records]) => [
      JSON.stringify(hostile(JSON.parse(header))),
      ...records,
    ])
    const before = listing(program.folder)
    const replayed = await program.replay({ args: ['--no-wall'] })
    expect(replayed.report.verdict).toBe('diverged')
    expect(listing(program.folder)).toEqual(before)
  })
})

test('a replay recognises every value that names a file for Node', async () => {
  const program = await recordProgram(
    "import fs from 'node:fs'\nfs.readFileSync('in.txt')",
    {},
    'agent.mjs',
    [],
    FILES,
  )
  program.change(`
    import fs from 'node:fs'
    import { createRequire } from 'node:module'
    import vm from 'node:vm'
    fs.readFileSync('in.txt')
    const pathname = process.cwd() + '/escaped-url'
    const bytes = vm.runInNewContext('new Uint8Array(' + JSON.stringify([...Buffer.from('escaped-bytes')]) + ')')
    const { extensions } = createRequire(import.meta.url)
    const calls = [
      () => fs.writeFileSync({ href: 'file://' + pathname, protocol: 'file:', hostname: '', pathname }, 'x'),
      () => fs.writeFileSync(bytes, 'x'),
      () => {
        extensions['.txt'] = fs.writeFileSync.bind(null, 'escaped-loader.json', 'x')
        createRequire(import.meta.url)('./in.txt')
      },
      () => { for (let fd = 3; fd < 30; fd += 1) try { fs.fchmodSync(fd, 0o777) } catch {} },
    ]
    for (const call of calls) try { call() } catch {}`)
  const before = listing(program.folder)
  const { report, code } = await program.replay({ args: ['--no-wall'] })
  expect(code).toBe(2)
  expect(report.divergences.map(({ message }) => message).join('\n')).toMatch(/escaped-url.*escaped-bytes/s)
  expect(listing(program.folder)).toEqual(before)
})

type Header = { readonly boundaries: { readonly [name: string]: unknown } }

/** Every file with its content, rights and times, apart from what the test itself writes. */
function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(?:run\.tape|report-|emitted-)/.test(name))
    .sort()
    .map((name) => {
      const { mode, mtimeMs, ctimeMs } = lstatSync(join(folder, name))
      const content = (mode & 0o170000) === 0o100000 ? readFileSync(join(folder, name), 'utf8') : ''
      return JSON.stringify([name, mode, mtimeMs, ctimeMs, content])
    })
}
