// A repository of its own, through simple-git: commits, a branch, a diff, a log, a failure.
import { mkdirSync, writeFileSync } from 'node:fs'
import { simpleGit } from 'simple-git'

const say = (step, ...what) => console.log(step, JSON.stringify(what))
mkdirSync('repository')
const git = simpleGit('repository')
await git.init(['--initial-branch=main'])
await git.addConfig('user.name', 'A Name').addConfig('user.email', 'name@example.com')
writeFileSync('repository/one.txt', 'one\n')
await git.add('one.txt')
const commit = await git.commit('the first')
say('commit', commit.branch, commit.summary)
await git.checkoutLocalBranch('side')
writeFileSync('repository/one.txt', 'one\ntwo\n')
const status = await git.status()
say('status', status.current, status.modified)
say('diff', await git.diff())
await git.commit('the second', ['one.txt'])
const { all, latest } = await git.log()
say(
  'log',
  all.map(({ message, hash }) => [message, hash]),
  latest.author_name,
)
say('branches', (await git.branchLocal()).all)
say('failure', await git.checkout('nowhere').catch((error) => error.message.trim()))
say(
  'together',
  await Promise.all([git.revparse(['HEAD']), git.raw('rev-list', '--count', 'HEAD'), git.tags()]).then(
    ([head, count, tags]) => [head.length, count.trim(), tags.all],
  ),
)
