import { expect, test } from 'vitest'
import { createTextScrubber } from './text-scrubber.ts'

const scrubber = createTextScrubber({
  home: '/home/me',
  worktree: '/home/me/work/repo',
  accountIdentifiers: ['acct-9'],
  envAllowlist: ['PATH', 'HOME'],
})

test.each([
  ['Authorization: bearer abcdefghijk', 'Authorization: Bearer <redacted>'],
  ['Bearer x', 'Bearer <redacted>'],
  ['BEARER SECRET', 'Bearer <redacted>'],
  ['"authorization": "bearer xy"', '"authorization": "Bearer <redacted>"'],
  ['API_KEY: abcdefgh1234', 'API_KEY=<redacted>'],
  ['token=abcdefgh1234', 'token=<redacted>'],
  ['mail me@example.com', 'mail <account>'],
  ['in /home/me/work/repo/src and /home/me/x', 'in $WORKTREE/src and $HOME/x'],
  ['as acct-9', 'as <account>'],
  // What the flat rules elsewhere take for a secret or a time.
  ['the secretary-general, bearer of news', 'the secretary-general, bearer of news'],
  ['5h limit at 12:00:01, pid 7', '5h limit at 12:00:01, pid 7'],
  ['\x1b[0m \x1b[38;5;246m \x1b[?25h', '\x1b[0m \x1b[38;5;246m \x1b[?25h'],
])('scrubString: %j', (text, expected) => {
  expect(scrubber.scrubString(text).text).toBe(expected)
})

test.each([
  ['at 2026-01-02T03:04:05.123+02:00 or 3:04:05', 'at <timestamp> or <time>'],
  ['pid=123 PID: 9', 'pid=<pid> pid=<pid>'],
  ['took 1.5s, 20ms, 3h', 'took <duration>, <duration>, <duration>'],
  ['id 123e4567-E89B-12d3-a456-426614174000', 'id <uuid>'],
  ['/tmp/x/agent.sock /tmp/abc-tmp-1/f frame=12', '<socket> <tmpfile> frame=<n>'],
])('normalizeVolatile: %j', (text, expected) => {
  expect(scrubber.normalizeVolatile(text)).toBe(expected)
})

// The values of upstream's test of its scrubber, one row per replacement that it expects.
test.each([
  ['Bearer SECRET', 'Bearer <redacted>', 'bearer-token'],
  ['token=abcdefghi', 'token=<redacted>', 'api-token'],
  ['alice@example.com', '<account>', 'account-identifier'],
  ['/home/alice', '$HOME', 'home-path'],
  ['/src/project', '$WORKTREE', 'worktree-path'],
  ['2026-04-21T02:00:00Z', '<timestamp>', 'rfc3339'],
  ['12:01:02', '<time>', 'local-time'],
  ['pid=123', 'pid=<pid>', 'pid'],
  ['42ms', '<duration>', 'elapsed-duration'],
  ['/tmp/test.sock', '<socket>', 'socket-file'],
  ['/tmp/my-temp-file', '<tmpfile>', 'transient-file'],
  ['frame=9', 'frame=<n>', 'animation-counter'],
  ['6f9619ff-8b86-d011-b42d-00cf4fc964ff', '<uuid>', 'uuid'],
])('scrubString with volatile: %j', (text, expected, rule) => {
  const upstream = createTextScrubber({
    home: '/home/alice',
    worktree: '/src/project',
    accountIdentifiers: ['alice@example.com'],
    volatile: true,
  })
  const { text: scrubbed, report } = upstream.scrubString(`before ${text} after`)
  expect(scrubbed).toBe(`before ${expected} after`)
  expect(report).toMatchObject({ status: 'redacted', hitCounts: { [rule]: 1 } })
  expect(report.rules).toContain(rule)
})

test.each(['/home/me', '/home/me/', '/home/me//'])('the home folder is given as %s', (home) => {
  const { text } = createTextScrubber({ home }).scrubString('in /home/me/y, cd /home/me')
  expect(text).toBe('in $HOME/y, cd $HOME')
})

test('the report counts paths too, and lists every rule that ran', () => {
  const { report } = scrubber.scrubString('/home/me and me@example.com')
  expect(report).toEqual({
    status: 'redacted',
    rules: ['account-identifier', 'api-token', 'bearer-token', 'email', 'home-path', 'worktree-path'],
    hitCounts: { 'home-path': 1, email: 1 },
    envAllowlist: ['PATH', 'HOME'],
    intentionallyPreserved: [],
  })
  expect(scrubber.scrubString('nothing').report.status).toBe('clean')
})

test('scrubEnv keeps the names on the list and scrubs their values', () => {
  const { env, report } = scrubber.scrubEnv({
    PATH: '/home/me/bin',
    HOME: '/home/me',
    AWS_SECRET: 'x',
    OTHER: 'y',
  })
  expect(env).toEqual({ PATH: '$HOME/bin', HOME: '$HOME' })
  expect(report.hitCounts).toEqual({ 'env-removed': 2, 'home-path': 2 })
})
