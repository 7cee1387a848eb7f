/**
 * `--fs overlay`, `--emit-diff` and `apply` through the built command line: the disk stays as it was, and the
 * changes can be taken over.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Edits in every way that `node:fs` has, then prints the tree that it sees. */
const EDITOR = `
import fs, { promises } from 'node:fs'
import { join } from 'node:path'
fs.writeFileSync('src/plan.txt', fs.readFileSync('src/plan.txt', 'utf8').replace('two', 'TWO'))
fs.appendFileSync('src/plan.txt', 'no newline')
fs.rmSync('old', { recursive: true })
console.log(fs.existsSync('old/gone'), fs.existsSync('old/deep/er'))
fs.mkdirSync('old')
fs.writeFileSync('old/fresh', '')
console.log(fs.readdirSync('old').join())
fs.renameSync('lib', 'moved/here')
fs.chmodSync('moved/here/tool.sh', 0o755)
await promises.writeFile('image.bin', Buffer.from([0, 1, 2, 255, 254]))
await promises.mkdir('made/by/promise', { recursive: true })
const handle = await promises.open('made/by/promise/é "quoted"\\tname', 'w+')
await handle.write('hello ')
await handle.write('world\\n')
console.log((await handle.stat()).size, (await handle.readFile()).length)
await handle.close()
const stream = fs.createWriteStream('streamed.txt')
stream.write('a\\n')
stream.end('b\\n')
await new Promise((resolve) => stream.on('close', resolve))
fs.symlinkSync('moved/here/tool.sh', 'new-link')
fs.unlinkSync('link')
fs.cpSync('src', 'copied', { recursive: true })
const descriptor = fs.openSync('src/data.bin', 'r+')
fs.writeSync(descriptor, Buffer.from([9]), 0, 1, 1)
fs.closeSync(descriptor)
await new Promise((resolve, reject) => fs.truncate('src/long.txt', 5, (error) => (error ? reject(error) : resolve())))
fs.linkSync('streamed.txt', 'second-name')
for await (const entry of await promises.opendir('moved/here')) console.log(entry.name, entry.isFile())
const seen = {}
const walk = (folder) => {
  for (const name of fs.readdirSync(folder).sort()) {
    const path = join(folder, name)
    const stat = fs.lstatSync(path)
    if (stat.isDirectory()) walk(path)
    else if (stat.isSymbolicLink()) seen[path] = '-> ' + fs.readlinkSync(path)
    else seen[path] = (stat.mode & 0o100 ? 'x ' : '') + fs.readFileSync(path).toString('latin1')
  }
}
walk('.')
console.log('tree ' + JSON.stringify(seen))
`

type Project = { readonly folder: string; readonly base: string }

function makeProject(program: string): Project {
  const base = tempFolder()
  const folder = join(base, 'project')
  for (const each of ['src', 'old/deep', 'lib', 'moved']) mkdirSync(join(folder, each), { recursive: true })
  writeFileSync(join(folder, 'src/plan.txt'), 'one\ntwo\nthree\n')
  writeFileSync(join(folder, 'src/data.bin'), Buffer.from([0, 1, 2, 3]))
  writeFileSync(join(folder, 'src/long.txt'), 'a long line\n')
  writeFileSync(join(folder, 'old/gone'), 'bye')
  writeFileSync(join(folder, 'old/deep/er'), 'bye too\n')
  writeFileSync(join(folder, 'lib/tool.sh'), '#!/bin/sh\necho hi\n')
  writeFileSync(join(folder, 'lib/untouched'), 'u')
  chmodSync(join(folder, 'lib/untouched'), 0o755)
  symlinkSync('src/plan.txt', join(folder, 'link'))
  writeFileSync(join(base, 'agent.mjs'), program)
  return { folder, base }
}

function seenOnDisk(folder: string): Record<string, string> {
  const seen: Record<string, string> = {}
  const walk = (prefix: string): void => {
    for (const name of readdirSync(join(folder, prefix)).sort()) {
      const path = join(prefix, name)
      const stat = lstatSync(join(folder, path))
      if (stat.isDirectory()) walk(path)
      else if (stat.isSymbolicLink()) seen[path] = `-> ${readlinkSync(join(folder, path))}`
      else
        seen[path] =
          ((stat.mode & 0o100) === 0 ? '' : 'x ') + readFileSync(join(folder, path)).toString('latin1')
    }
  }
  walk('')
  return seen
}

function everyStat(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const path of readdirSync(folder, { recursive: true }).map(String)) {
    const { ino, mode, size, mtimeMs, ctimeMs } = lstatSync(join(folder, path))
    found[path] = [ino, mode, size, mtimeMs, ctimeMs].join()
  }
  return found
}

async function recordOverlay(project: Project, options: readonly string[] = []) {
  const tape = join(project.base, 'run.tape')
  const run = await reprise(
    ['record', '--out', tape, '--fs', 'overlay', ...options, '--', process.execPath, '../agent.mjs'],
    { cwd: project.folder },
  )
  return { ...run, tape }
}

describe('--fs overlay', () => {
  test('leaves the folder as it was; git apply, reprise apply and the program agree on the result', async (context) => {
    needs(context, 'git')
    const project = makeProject(EDITOR)
    const before = everyStat(project.folder)
    const patch = join(project.base, 'out.patch')
    const { code, stdout, stderr, tape } = await recordOverlay(project, ['--emit-diff', patch])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(everyStat(project.folder)).toEqual(before)
    const [first, second, third, ...rest] = stdout.trimEnd().split('\n')
    expect([first, second, third]).toEqual(['false false', 'fresh', '12 0'])
    const seen: Record<string, string> = JSON.parse(String(rest.at(-1)).slice('tree '.length))
    expect(seen['moved/here/tool.sh']).toBe('x #!/bin/sh\necho hi\n')
    expect(seen['src/data.bin']).toBe('\u0000\u0009\u0002\u0003')

    const byGit = join(project.base, 'by-git')
    cpSync(project.folder, byGit, { recursive: true, verbatimSymlinks: true })
    execFileSync('git', ['apply', patch], {
      cwd: byGit,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: project.base },
    })
    expect(seenOnDisk(byGit)).toEqual(seen)

    const byApply = join(project.base, 'by-apply')
    cpSync(project.folder, byApply, { recursive: true, verbatimSymlinks: true })
    const applied = await reprise(['apply', tape, '--to', byApply, '--yes'])
    expect({ code: applied.code, stderr: applied.stderr }).toEqual({ code: 0, stderr: '' })
    expect(seenOnDisk(byApply)).toEqual(seen)
    expect(applied.stdout).toContain(
      readFileSync(patch, 'utf8')
        .split('\n')
        .find((line) => line.startsWith('rename from')),
    )
    expect(everyStat(project.folder)).toEqual(before)
  }, 60_000)

  test('a replay gives the same output, with the folder gone, and the same patch', async () => {
    const project = makeProject(EDITOR)
    const { stdout, tape } = await recordOverlay(project, [
      '--emit-diff',
      join(project.base, 'recorded.patch'),
    ])
    const elsewhere = tempFolder()
    writeFileSync(join(elsewhere, 'agent.mjs'), EDITOR)
    execFileSync('rm', ['-r', project.folder])
    const replayed = await reprise(
      ['replay', tape, '--emit-diff', join(elsewhere, 'replayed.patch'), '--', process.execPath, 'agent.mjs'],
      {
        cwd: elsewhere,
      },
    )
    expect(replayed).toMatchObject({ code: 0, stdout })
    expect(readdirSync(elsewhere).sort()).toEqual(['agent.mjs', 'replayed.patch'])
    expect(readFileSync(join(elsewhere, 'replayed.patch'), 'utf8')).toBe(
      readFileSync(join(project.base, 'recorded.patch'), 'utf8'),
    )
  }, 60_000)

  test('a write outside of the roots is refused, by whatever link it is reached; --root lets it in', async () => {
    const program = `
import fs from 'node:fs'
const attempt = (act) => { try { act(); console.log('done') } catch (error) { console.log(error.code) } }
fs.symlinkSync('..', 'up')
attempt(() => fs.writeFileSync('../beside', 'x'))
attempt(() => fs.writeFileSync('up/beside', 'x'))
attempt(() => fs.rmSync('up/agent.mjs'))
attempt(() => fs.mkdirSync('up/folder'))
attempt(() => fs.renameSync('src/plan.txt', '../plan.txt'))
attempt(() => fs.chmodSync('../agent.mjs', 0o600))
attempt(() => fs.writeFileSync('/dev/null', 'x'))
attempt(() => fs.readFileSync('up/agent.mjs'))
`
    const project = makeProject(program)
    const { stdout } = await recordOverlay(project)
    expect(stdout.trimEnd().split('\n')).toEqual([
      'EROFS',
      'EROFS',
      'EROFS',
      'EROFS',
      'EROFS',
      'EROFS',
      'done',
      'done',
    ])
    expect(readdirSync(project.base).sort()).toEqual(['agent.mjs', 'project', 'run.tape'])
    const wider = await recordOverlay(project, ['--force', '--root', project.base])
    expect(wider.stdout.trimEnd().split('\n')).toEqual([
      'done',
      'done',
      'done',
      'done',
      'done',
      'ENOENT',
      'done',
      'ENOENT',
    ])
    expect(existsSync(join(project.base, 'agent.mjs'))).toBe(true)
    expect(existsSync(join(project.base, 'beside'))).toBe(false)
  }, 60_000)

  test('a subprocess sees the disk and not the layer, and a note says so', async () => {
    const program = `
import fs from 'node:fs'
import { execFileSync } from 'node:child_process'
fs.writeFileSync('new.txt', 'in the layer')
console.log(execFileSync('ls', { encoding: 'utf8' }).includes('new.txt'))
`
    const { stdout, stderr } = await recordOverlay(makeProject(program))
    expect(stdout).toBe('false\n')
    expect(stderr).toContain('the program started subprocesses: they saw the files on disk, not the layer')
  }, 60_000)

  test('a program that throws leaves nothing behind, neither in the folder nor among the temporary files', async () => {
    const program = `
import fs from 'node:fs'
for (let part = 0; part < 40; part += 1) fs.writeFileSync('big-' + part, Buffer.alloc(2 * 1024 * 1024, part))
console.log(fs.readFileSync('big-39')[5], fs.readFileSync('big-0').length)
throw new Error('in the middle')
`
    const project = makeProject(program)
    const temp = join(project.base, 'temp')
    mkdirSync(temp)
    const before = everyStat(project.folder)
    const tape = join(project.base, 'run.tape')
    const run = await reprise(
      ['record', '--out', tape, '--fs', 'overlay', '--', process.execPath, '../agent.mjs'],
      {
        cwd: project.folder,
        env: { ...process.env, TMPDIR: temp },
      },
    )
    expect(run).toMatchObject({ code: 1, stdout: '39 2097152\n' })
    expect(everyStat(project.folder)).toEqual(before)
    expect(readdirSync(temp)).toEqual([])
  }, 60_000)
})

describe('--fs real', () => {
  test('changes the disk, and the patch takes a copy of the old folder to the new one', async (context) => {
    needs(context, 'git')
    const project = makeProject(EDITOR)
    const copy = join(project.base, 'copy')
    cpSync(project.folder, copy, { recursive: true, verbatimSymlinks: true })
    const patch = join(project.base, 'out.patch')
    const tape = join(project.base, 'run.tape')
    const run = await reprise(
      ['record', '--out', tape, '--emit-diff', patch, '--', process.execPath, '../agent.mjs'],
      { cwd: project.folder },
    )
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
    execFileSync('git', ['apply', patch], {
      cwd: copy,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: project.base },
    })
    expect(seenOnDisk(copy)).toEqual(seenOnDisk(project.folder))
  }, 60_000)

  test('a secret in a file is not in the patch', async () => {
    const program = `
import fs from 'node:fs'
fs.writeFileSync('.env', 'KEY=' + process.env.SERVICE_API_KEY + '\\n')
`
    const project = makeProject(program)
    const patch = join(project.base, 'out.patch')
    const secret = 'sk-live-0123456789abcdefghij'
    const run = await reprise(
      [
        'record',
        '--out',
        join(project.base, 'run.tape'),
        '--emit-diff',
        patch,
        '--',
        process.execPath,
        '../agent.mjs',
      ],
      {
        cwd: project.folder,
        env: { ...process.env, SERVICE_API_KEY: secret },
      },
    )
    expect(run.stderr).toContain('.env holds placeholders where secrets were')
    expect(readFileSync(patch, 'utf8')).not.toContain(secret)
    expect(readFileSync(patch, 'utf8')).toContain('<redacted:env:SERVICE_API_KEY>')
  }, 60_000)
})
