import { describe, expect, it } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { movingRoot, spawnKey } from './spawn-key.ts'

const key = (program: string, args: readonly string[], cwd: string | null = null): string =>
  spawnKey({ program, args, cwd }, createScrubber({})).key

describe('the key of a subprocess', () => {
  it.each([
    [key('git', ['status']), 'git status @ *'],
    [key('git', ['commit', '-m', 'a message'], '/w'), 'git commit -m "a message" @ /w'],
    [key('echo', ['', '@', '*']), 'echo "" "@" "*" @ *'],
    [key(process.execPath, ['x.js', process.execPath]), '$NODE x.js $NODE @ *'],
    [key('ls', [], '/a b'), 'ls @ "/a b"'],
  ])('%s', (made, expected) => {
    expect(made).toBe(expected)
  })

  it('is one for one command line only', () => {
    const keys = [
      key('a', ['b c']),
      key('a', ['b', 'c']),
      key('a b', ['c']),
      key('a', ['"b', 'c"']),
      key('a', ['b', 'c', '@', '*']),
      key('a', ['b', 'c'], '*'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('ends in a hash where a word is long, and differs where only its end does', () => {
    const [one, other] = [
      key('sh', ['-c', `${'x'.repeat(2000)}1`]),
      key('sh', ['-c', `${'x'.repeat(2000)}2`]),
    ]
    expect(one.length).toBeLessThan(300)
    expect(one).not.toBe(other)
  })

  it('holds no secret', () => {
    expect(key('curl', ['--api-key', 'hunter2hunter2'])).not.toContain('hunter2')
  })
})

describe('a root that has moved', () => {
  const moved = movingRoot('/b/project', '/a/project')
  it.each([
    ['/b/project', '/a/project'],
    ['/b/project/x.js', '/a/project/x.js'],
    ['--config=/b/project/c.json', '--config=/a/project/c.json'],
    ['/b/project-two/x', '/b/project-two/x'],
    ['/c/b/project/x', '/c/b/project/x'],
    ['cd /b/project && ls /b/project/y', 'cd /a/project && ls /a/project/y'],
  ])('%s', (here, recorded) => {
    expect(moved(here)).toBe(recorded)
  })
})
