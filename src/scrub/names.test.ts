import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nameRules } from './names.ts'

/** The same rule as an expression: slow to compile, easy to read. */
const SECRET =
  /(?:^|_)(?:TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|PASS|PWD|APIKEY|KEY|SK|PAT|CREDENTIAL|CREDENTIALS|CREDS|AUTH|BEARER|WEBHOOK|WEBHOOK_URL|JWT|COOKIE|COOKIES|DSN)$|API_?KEY|ACCESS_?KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|PRIVATE_?KEY|AUTH_?TOKEN|ACCESS_?TOKEN|TOKEN$|CONNECTION_STRING|_KEY_ID$/i
const PLAIN =
  /(?:_FILE|_PATH|_DIR|_NAME|_HOST|_PORT|_TYPE|_SOCK|_ENABLED|_LIFETIME|_TTL|_EXPIRY|_EXPIRES|_VERSION|_PREFIX|_HEADER)$|^(?:PWD|OLDPWD|SSH_AUTH_SOCK|GPG_KEY_ID|INIT_CWD)$/i

test('a variable is secret by its name exactly as the expression says', () => {
  const words = [...new Set(`${SECRET.source}|${PLAIN.source}`.match(/[A-Z]+/g) ?? [])]
  const word = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, fc.constantFrom('MY', 'X', 'ID', 'URL', 'a', '1', 'S'))
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
      expect(isSecretVariable(text), text).toBe(SECRET.test(text) && !PLAIN.test(text))
    }),
    { numRuns: 20_000 },
  )
})

test('what the user says of a variable comes first', () => {
  const { isSecretVariable } = nameRules({ variables: ['MY_PLACE'], allowVariables: ['PUBLIC_KEY'] })
  expect(['MY_PLACE', 'PUBLIC_KEY', 'OPENAI_API_KEY', 'HOME'].map(isSecretVariable)).toEqual([true, false, true, false])
})
