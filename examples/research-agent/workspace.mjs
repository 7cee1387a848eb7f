/** Makes the folder that the agent works in: a few notes, in a git repository where there is a git. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const notes = {
  'clocks.md': 'Clocks drift.\nEvery read is another value.\n',
  'tapes.md': 'A tape does not drift.\nWhat is on the tape comes back as it was.\n',
  'races.md': 'Two answers race, and the tape knows who won.\n',
}

export function makeWorkspace(folder) {
  mkdirSync(join(folder, 'notes'), { recursive: true })
  for (const [name, text] of Object.entries(notes)) writeFileSync(join(folder, 'notes', name), text)
  if (spawnSync('git', ['--version']).error !== undefined) return
  const git = (...args) => {
    const { error, status, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
    if (error !== undefined || status !== 0) throw new Error(`git ${args[0]}: ${error?.message ?? stderr}`)
  }
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Research Agent')
  git('config', 'user.email', 'agent@example.com')
  git('add', '.')
  git('commit', '-q', '-m', 'Take notes')
}
