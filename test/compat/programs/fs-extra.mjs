// A tree of its own, through fs-extra (and the graceful-fs below it): made, copied, moved, emptied, read as
// JSON, a failure.
import fs from 'fs-extra'

const say = (step, ...what) => console.log(step, JSON.stringify(what))
await fs.outputFile('data/deep/er/one.txt', 'one\n')
await fs.outputJson('data/settings.json', { at: Date.now(), list: [1, 2, 3] }, { spaces: 2 })
say('json', await fs.readJson('data/settings.json'), fs.readJsonSync('data/given.json'))
await fs.ensureDir('data/a/b/c')
await fs.ensureLink('data/deep/er/one.txt', 'data/a/hard.txt')
await fs.ensureSymlink('data/deep', 'data/link')
await fs.copy('data', 'copy', { filter: (path) => !path.endsWith('.log') })
await fs.move('copy/deep', 'copy/moved')
say(
  'there',
  await fs.pathExists('copy/moved/er/one.txt'),
  await fs.pathExists('copy/deep'),
  fs.pathExistsSync('data/skip.log'),
)
say(
  'copied',
  (await fs.readdir('copy')).sort(),
  (await fs.stat('copy/moved/er/one.txt')).size,
  (await fs.lstat('copy/link')).isSymbolicLink(),
)
await fs.emptyDir('copy/a')
await fs.remove('copy/moved')
say('left', (await fs.readdir('copy')).sort(), fs.readdirSync('copy/a'))
say(
  'failure',
  await fs.readJson('data/none.json').catch((error) => [error.code, error.message.includes('none.json')]),
)
say('broken', await fs.readJson('data/deep/er/one.txt').catch((error) => error.name))
