// Walks a tree by patterns, in every style of fast-glob.
import glob from 'fast-glob'

const say = (step, what) => console.log(step, JSON.stringify(what))
say('all', (await glob('data/**/*', { dot: true })).sort())
say('text', (await glob(['data/**/*.txt', '!**/skip.*'])).sort())
say('at once', glob.sync('data/**', { onlyDirectories: true }).sort())
const streamed = []
for await (const entry of glob.stream('data/**/*.json', { stats: true }))
  streamed.push([entry.path, entry.stats.size])
say('streamed', streamed.sort())
say('nothing', await glob('nowhere/**'))
say(
  'objects',
  (await glob('data/*', { objectMode: true })).map(({ name, dirent }) => [name, dirent.isFile()]).sort(),
)
