// What files are, where they are, what lies in a folder.
import fs from 'node:fs'
import promises from 'node:fs/promises'
import util from 'node:util'

const say = (...words) => console.log(...words)
const failing = async (what) => {
  try {
    say('no failure', await what())
  } catch (error) {
    say(error.message, error.code, error.path, error.dest)
  }
}
const types = (stats) =>
  Object.entries(stats)
    .map(([key, value]) => `${key}:${value instanceof Date ? 'date' : typeof value}`)
    .join()

const stats = fs.statSync('data/text.txt')
say(
  stats instanceof fs.Stats,
  stats.isFile(),
  stats.size,
  stats.mode.toString(8),
  types(stats),
  stats.mtime instanceof Date,
  Math.abs(stats.mtime - stats.mtimeMs) <= 1,
)
const big = await promises.stat('data/text.txt', { bigint: true })
say(
  big.isFile(),
  big.size,
  types(big),
  big.mtimeNs / 1000000n === big.mtimeMs,
  big.constructor.name,
  big.mtime instanceof Date,
)
say(
  (await util.promisify(fs.lstat)('data/link')).isSymbolicLink(),
  fs.statSync('data/none', { throwIfNoEntry: false }),
  types(fs.statfsSync('data')),
)
say(
  fs.existsSync('data'),
  fs.existsSync('data/none'),
  await util.promisify(fs.exists)('data'),
  await new Promise((done) => fs.exists('data/none', done)),
)
await failing(() => fs.accessSync('data/none', fs.constants.R_OK))
say(await promises.access('data/text.txt', fs.constants.R_OK), fs.accessSync('data'))
say(fs.readdirSync('data').sort(), (await promises.readdir('data', { recursive: true })).sort())
const entries = fs.readdirSync('data', { withFileTypes: true, recursive: true })
say(
  entries
    .map((entry) =>
      [
        entry.name,
        entry.parentPath,
        entry.isFile(),
        entry.isDirectory(),
        entry.isSymbolicLink(),
        entry instanceof fs.Dirent,
      ].join(' '),
    )
    .sort(),
)
say((await util.promisify(fs.readdir)('data', 'buffer')).every(Buffer.isBuffer))
await failing(() => fs.readdirSync('data/text.txt'))
const dir = await promises.opendir('data')
const seen = []
for await (const entry of dir) seen.push(`${entry.name} ${entry.isFile()}`)
say(dir.path, dir instanceof fs.Dir, seen.sort())
const other = fs.opendirSync('data/sub')
say(other.readSync().name, other.readSync(), await new Promise((done) => other.close(done)))
await failing(() => other.readSync())
say(
  fs.readlinkSync('data/link'),
  fs.realpathSync('data/link').endsWith('/data/text.txt'),
  (await promises.realpath('data/sub/..')).endsWith('/data'),
)
say(
  fs.realpathSync.native('data').endsWith('/data'),
  (await util.promisify(fs.realpath.native)('data')).endsWith('/data'),
)

say(
  fs.mkdirSync('made/a/b', { recursive: true })?.endsWith('/made'),
  await promises.mkdir('made/a/b', { recursive: true }),
)
await failing(() => fs.mkdirSync('made'))
const temp = fs.mkdtempSync('made/temp-')
say(temp.startsWith('made/temp-'), temp.length, (await promises.mkdtemp('made/t-')).length)
fs.symlinkSync('../data/text.txt', 'made/to-text')
fs.linkSync('data/text.txt', 'made/hard')
await promises.copyFile('data/text.txt', 'made/copy.txt')
await failing(() => fs.copyFileSync('data/text.txt', 'made/copy.txt', fs.constants.COPYFILE_EXCL))
await promises.rename('made/copy.txt', 'made/moved.txt')
await failing(() => fs.renameSync('made/none', 'made/other'))
await promises.cp('data', 'made/all', { recursive: true })
fs.cpSync('data/sub', 'made/sub', { recursive: true })
fs.chmodSync('made/moved.txt', 0o640)
fs.truncateSync('made/moved.txt', 4)
fs.utimesSync('made/moved.txt', 1000, 2000)
say(
  fs.statSync('made/moved.txt').mode.toString(8),
  fs.statSync('made/moved.txt').mtimeMs,
  fs.readFileSync('made/moved.txt', 'utf8'),
  fs.readdirSync('made/all').sort(),
)
await promises.unlink('made/hard')
await failing(() => promises.unlink('made/hard'))
await failing(() => fs.rmdirSync('made'))
fs.rmSync('made', { recursive: true })
await failing(() => fs.rmSync('made'))
fs.rmSync('made', { force: true })
if (fs.globSync !== undefined) {
  const found = []
  for await (const name of promises.glob('data/**/*.txt')) found.push(name)
  say(
    found.sort().join() === fs.globSync('data/**/*.txt').sort().join(),
    await new Promise((done) => fs.glob('data/sub/*', (_error, names) => done(names))),
  )
}
if (fs.mkdtempDisposableSync !== undefined) {
  const { path, remove } = fs.mkdtempDisposableSync('data/d-')
  say(fs.existsSync(path))
  remove()
  say(fs.existsSync(path))
}
