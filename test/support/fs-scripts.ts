/**
 * Random scripts of calls of node:fs, run step by step against any file system that has its synchronous face.
 * What a step gave is plain data that two of them can be compared by.
 */
import nodeFs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'

export type SyncFs = Pick<
  typeof nodeFs,
  | 'openSync'
  | 'closeSync'
  | 'readSync'
  | 'writeSync'
  | 'ftruncateSync'
  | 'fstatSync'
  | 'fchmodSync'
  | 'readFileSync'
  | 'writeFileSync'
  | 'appendFileSync'
  | 'truncateSync'
  | 'statSync'
  | 'lstatSync'
  | 'existsSync'
  | 'accessSync'
  | 'readlinkSync'
  | 'realpathSync'
  | 'chmodSync'
  | 'utimesSync'
  | 'lutimesSync'
  | 'mkdirSync'
  | 'readdirSync'
  | 'unlinkSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'renameSync'
  | 'linkSync'
  | 'symlinkSync'
  | 'copyFileSync'
  | 'cpSync'
>

const NAMES = ['a', 'b', 'c', 'd e', 'é']
const name = fc.constantFrom(...NAMES)
const part = fc.oneof({ weight: 12, arbitrary: name }, { weight: 1, arbitrary: fc.constantFrom('.', '..') })
export const anyPath: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom('/', '//', '/.')),
  )
  .map(([parts, end]) => parts.join('/') + end)
const anyTarget = fc.oneof(
  anyPath,
  fc.constantFrom('.', '..', 'a', '../a', 'b/c', 'missing', './c', ''),
  name.map((each) => `<root>/${each}`),
)
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.integer({ min: 0, max: 9 }).map((n) => Buffer.from(`line ${n}\n`.repeat(n))),
)
const anyFlags = fc.constantFrom(
  'r',
  'r+',
  'w',
  'w+',
  'wx',
  'wx+',
  'a',
  'a+',
  'ax',
  nodeFs.constants.O_RDONLY | nodeFs.constants.O_NOFOLLOW,
)
const anyMode = fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o666, 0o777, 0o444)
const anyTime = fc.integer({ min: 1, max: 1_000_000 })
const slot = fc.nat({ max: 3 })

const step = <const N extends string, T extends object>(
  call: N,
  model: { [K in keyof T]: fc.Arbitrary<T[K]> },
) => fc.record(model).map((values) => ({ call, ...values }) as { readonly call: N } & T)

export const anyStep = fc.oneof(
  step('writeFile', { path: anyPath, bytes: anyBytes, flag: anyFlags, mode: anyMode }),
  step('appendFile', { path: anyPath, bytes: anyBytes }),
  step('readFile', { path: anyPath }),
  step('truncate', { path: anyPath, size: fc.nat({ max: 60 }) }),
  step('open', { slot, path: anyPath, flag: anyFlags, mode: anyMode }),
  step('close', { slot }),
  step('read', { slot, length: fc.nat({ max: 30 }), position: fc.option(fc.nat({ max: 50 })) }),
  step('write', { slot, bytes: anyBytes, position: fc.option(fc.nat({ max: 50 })) }),
  step('ftruncate', { slot, size: fc.nat({ max: 60 }) }),
  step('fstat', { slot }),
  step('fchmod', { slot, mode: anyMode }),
  step('stat', { path: anyPath }),
  step('lstat', { path: anyPath }),
  step('exists', { path: anyPath }),
  step('access', { path: anyPath, mode: fc.nat({ max: 7 }) }),
  step('readlink', { path: anyPath }),
  step('realpath', { path: anyPath }),
  step('chmod', { path: anyPath, mode: anyMode }),
  step('utimes', { path: anyPath, atime: anyTime, mtime: anyTime }),
  step('lutimes', { path: anyPath, atime: anyTime, mtime: anyTime }),
  step('mkdir', { path: anyPath, recursive: fc.boolean(), mode: anyMode }),
  step('readdir', { path: anyPath }),
  step('unlink', { path: anyPath }),
  step('rmdir', { path: anyPath }),
  // Without `..` at the end, with or without slashes: there Node empties the parent without removing it and reports
  // success; the layer reports the failure (docs/limits.md).
  step('rm', {
    path: anyPath.filter((path) => !/\.\/*$/.test(path)),
    recursive: fc.boolean(),
    force: fc.boolean(),
  }),
  step('rename', { path: anyPath, to: anyPath }),
  step('rename', { path: anyPath, to: anyPath }),
  step('link', { path: anyPath, to: anyPath }),
  step('symlink', { target: anyTarget, path: anyPath }),
  step('copyFile', { path: anyPath, to: anyPath, exclusive: fc.boolean() }),
  // To a name of its own: what a copy that fails half-way leaves behind differs from Node to Node.
  step('cp', { path: name, to: fc.constantFrom('x', 'y', 'z') }),
)

export type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** Runs steps in a folder; each gives its result, or its error, with the folder's own path taken out. */
export function createRunner(
  fs: SyncFs,
  root: string,
  top = root,
): { run(step: Step): unknown; closeAll(): void } {
  const open = new Map<number, number>()
  const neutral = (text: string): string => text.replaceAll(root, '<root>').replaceAll(top, '<top>')
  const fd = (slot: number): number => open.get(slot) ?? -1
  const act = (each: Step): unknown => {
    if ('slot' in each && each.call !== 'open' && !open.has(each.slot)) return 'no such slot'
    const path = 'path' in each ? join2(root, each.path) : ''
    const to = 'to' in each ? join2(root, each.to) : ''
    switch (each.call) {
      case 'writeFile':
        return fs.writeFileSync(path, each.bytes, { flag: each.flag as string, mode: each.mode })
      case 'appendFile':
        return fs.appendFileSync(path, each.bytes)
      case 'readFile':
        return fs.readFileSync(path).toString('latin1')
      case 'truncate':
        return fs.truncateSync(path, each.size)
      case 'open': {
        const number = fs.openSync(path, each.flag, each.mode)
        if (open.has(each.slot)) fs.closeSync(fd(each.slot))
        open.set(each.slot, number)
        return 'opened'
      }
      case 'close':
        fs.closeSync(fd(each.slot))
        open.delete(each.slot)
        return
      case 'read': {
        const buffer = Buffer.alloc(30)
        const got = fs.readSync(fd(each.slot), buffer, 0, each.length, each.position)
        return [got, buffer.toString('latin1')]
      }
      case 'write':
        return fs.writeSync(fd(each.slot), each.bytes, 0, each.bytes.byteLength, each.position)
      case 'ftruncate':
        return fs.ftruncateSync(fd(each.slot), each.size)
      case 'fstat':
        return statFacts(fs.fstatSync(fd(each.slot)))
      case 'fchmod':
        return fs.fchmodSync(fd(each.slot), each.mode)
      case 'stat':
        return statFacts(fs.statSync(path))
      case 'lstat':
        return statFacts(fs.lstatSync(path))
      case 'exists':
        return fs.existsSync(path)
      case 'access':
        return fs.accessSync(path, each.mode)
      case 'readlink':
        return neutral(fs.readlinkSync(path))
      case 'realpath':
        return neutral(fs.realpathSync.native(path))
      case 'chmod':
        return fs.chmodSync(path, each.mode)
      case 'utimes':
        return fs.utimesSync(path, each.atime, each.mtime)
      case 'lutimes':
        return fs.lutimesSync(path, each.atime, each.mtime)
      case 'mkdir': {
        const made = fs.mkdirSync(path, { recursive: each.recursive, mode: each.mode })
        return made === undefined ? made : neutral(made)
      }
      case 'readdir':
        return fs
          .readdirSync(path, { withFileTypes: true })
          .map((entry) => [entry.name, entry.isDirectory(), entry.isSymbolicLink()].join())
          .sort()
      case 'unlink':
        return fs.unlinkSync(path)
      case 'rmdir':
        return fs.rmdirSync(path)
      case 'rm':
        return fs.rmSync(path, { recursive: each.recursive, force: each.force })
      case 'rename':
        return fs.renameSync(path, to)
      case 'link':
        return fs.linkSync(path, to)
      case 'symlink':
        return fs.symlinkSync(each.target.replace('<root>', root), path)
      case 'copyFile':
        return fs.copyFileSync(path, to, each.exclusive ? nodeFs.constants.COPYFILE_EXCL : 0)
      case 'cp':
        return fs.cpSync(path, to, { recursive: true, verbatimSymlinks: true })
    }
  }
  return {
    run(each) {
      try {
        return { gave: act(each) ?? null }
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error)) throw error
        const { code, syscall, errno, path, dest } = error as NodeJS.ErrnoException & { dest?: string }
        // Node's own recursive functions are made of others; which of them fails first is their affair.
        if (each.call === 'rm' || each.call === 'cp') return { failed: true }
        if (each.call === 'realpath') return { code }
        return {
          code,
          syscall,
          errno,
          path: path === undefined ? undefined : neutral(path),
          dest: dest === undefined ? undefined : neutral(dest),
          message: neutral(error.message),
        }
      }
    },
    closeAll() {
      for (const number of open.values()) fs.closeSync(number)
    },
  }
}

/** Every file below a folder: kind, mode, content, target. Times where they were set on purpose. */
export function treeFacts(fs: SyncFs, root: string): Record<string, string> {
  const found: Record<string, string> = {}
  const below = (folder: string, prefix: string): void => {
    for (const each of fs.readdirSync(folder).sort()) {
      const path = join(folder, each)
      const stat = fs.lstatSync(path)
      const mode = (stat.mode & 0o7777).toString(8)
      if (stat.isDirectory()) {
        found[`${prefix}${each}/`] = mode
        below(path, `${prefix}${each}/`)
      } else if (stat.isSymbolicLink())
        found[`${prefix}${each}`] = `-> ${fs.readlinkSync(path).replaceAll(root, '<root>')}`
      else {
        const set = stat.mtimeMs <= 1_000_000_000 ? ` ${stat.mtimeMs}` : ''
        found[`${prefix}${each}`] = `${mode} ${stat.nlink}${set} ${fs.readFileSync(path).toString('latin1')}`
      }
    }
  }
  below(root, '')
  return found
}

function statFacts(stat: nodeFs.Stats): unknown {
  const isFolder = stat.isDirectory()
  return {
    mode: stat.mode,
    uid: stat.uid,
    gid: stat.gid,
    ...(isFolder ? {} : { size: stat.size, nlink: stat.nlink }),
  }
}

/** Not `join`: dots and doubled slashes are for the file system. */
function join2(root: string, path: string): string {
  return path.startsWith('/') ? path : `${root}/${path}`
}
