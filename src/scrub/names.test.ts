import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameRules } from './names.ts'

/** The same rule as an expression: slow to compile, easy to read. */
const SECRET =
  /(?:^|[_.-])(?:TOKEN|TOKENS|SECRET|SECRETS|PASSWORD|PASSWORDS|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD|APIKEY|APIKEYS|PAT|CREDENTIAL|CREDENTIALS|CREDS|BEARER|JWT|COOKIE|COOKIES|AUTHORIZATION|SSHPASS)\d*(?:[_.-]|$)|(?:^|[_.-])(?:KEY|KEYS|SK|AUTH|WEBHOOK|DSN)\d*$|^WEBHOOK_URL$|_WEBHOOK_URL$|API_?KEY|ACCESS_?KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|PRIVATE_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|(?:TOKEN|PASS)$|CONNECTION_STRING|_KEY_ID$/i
const PLAIN =
  /(?:_FILE|_PATH|_DIR|_NAME|_HOST|_PORT|_TYPE|_SOCK|_ENABLED|_LIFETIME|_TTL|_EXPIRY|_EXPIRES|_VERSION|_PREFIX|_HEADER|_COUNT|_LIMIT|_BUDGET|_LENGTH|_SIZE)$|^(?:PWD|OLDPWD|SSH_AUTH_SOCK|GPG_KEY_ID|INIT_CWD|COMPASS|BYPASS)$/i

/** Beside one of these, `TOKENS` are those of a model. */
const COUNTING =
  /(?:^|[_.-])(?:MAX|MIN|NUM|TOTAL|INPUT|OUTPUT|CONTEXT|COMPLETION|PROMPT|THINKING|BUDGET|LIMIT|COUNT|PER|CACHED|REASONING)\d*(?:[_.-]|$)/i

test.each([
  ...[
    'SERVICE_TOKEN_STAGING',
    'TOKEN1',
    'GITHUB_TOKENS',
    'SSHPASS',
    'DB_PASS_PROD',
    'AUTHORIZATION',
    'MY_API_KEYS',
    'PGPASS',
  ],
  ...['KEY2', 'ci.token', 'PROD-TOKEN-EU'],
])('%s is secret', (name) => {
  expect(nameRules().isSecretVariable(name)).toBe(true)
})

test.each([
  'MAX_OUTPUT_TOKENS',
  'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
  'TOKEN_LIMIT',
  'PATH',
  'KEYBOARD',
  'COMPASS',
])('%s is not', (name) => {
  expect(nameRules().isSecretVariable(name)).toBe(false)
})

test('a variable is secret by its name exactly as the expression says', () => {
  const words = [...new Set(`${SECRET.source}|${PLAIN.source}`.match(/[A-Z]+/g) ?? [])]
  const word = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...words) },
    fc.constantFrom('MY', 'X', 'ID', 'URL', 'a', '1', 'S'),
  )
  const name = fc
    .array(fc.tuple(word, fc.constantFrom('_', '_', '', '-')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([part, sign]) => part + sign).join(''))
  const names = fc.tuple(name, fc.boolean(), fc.boolean()).map(([text, cut, lower]) => {
    const whole = cut ? text.replace(/[_-]$/, '') : text
    return lower ? whole.toLowerCase() : whole
  })
  const { isSecretVariable } = nameRules()
  fc.assert(
    fc.property(names, (text) => {
      const read = COUNTING.test(text) ? text.replace(/(?<=^|[_.-])TOKENS\d*(?=[_.-]|$)/gi, 'TOKENX') : text
      expect(isSecretVariable(text), text).toBe(SECRET.test(read) && !PLAIN.test(text))
    }),
    { numRuns: 20_000 },
  )
})

test('what the user says of a variable comes first', () => {
  const { isSecretVariable } = nameRules({ variables: ['MY_PLACE'], allowVariables: ['PUBLIC_KEY'] })
  expect(['MY_PLACE', 'PUBLIC_KEY', 'OPENAI_API_KEY', 'HOME'].map(isSecretVariable)).toEqual([
    true,
    false,
    true,
    false,
  ])
})
