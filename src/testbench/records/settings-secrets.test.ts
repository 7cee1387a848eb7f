/**
 * Values under telling names in files of settings are known as secrets; words and paths under such names are
 * not.
 */
import { describe, expect, test } from 'vitest'
import { createScrubber } from '../../scrub/index.ts'
import { learnFromSettings } from './settings-secrets.ts'

const VALUE = 'Zx81vQ-tteR7'

const scrubbed = (path: string, text: string): string => {
  const scrubber = createScrubber()
  learnFromSettings(path, Buffer.from(text), scrubber)
  return Buffer.from(scrubber.bytes(Buffer.from(text), 'received')).toString()
}

describe('is known', () => {
  test.for([
    ['.env', `TOKEN=${VALUE}`],
    ['config/.env.local', `export API_KEY="${VALUE}"`],
    ['config.json', `{ "port": 8080, "db": { "password": "${VALUE}" } }`],
    ['deep/secrets.json', `{"clientSecret":"${VALUE}"}`],
    ['settings.yaml', `db:\n  password: ${VALUE}\n`],
    ['settings.yml', `keys:\n  - apiKey: "${VALUE}" # mine\n`],
    ['app.toml', `[db]\npassword = "${VALUE}"\n`],
    ['app.ini', `secret_key=${VALUE}`],
    ['$HOME/.npmrc', `//registry.npmjs.org/:_authToken=${VALUE}\n`],
    ['$HOME/.netrc', `machine example.com\n  login me\n  password ${VALUE}\n`],
    ['$HOME/.pgpass', `localhost:5432:*:me:${VALUE}\n`],
    ['$HOME/.aws/credentials', `[default]\naws_secret_access_key = ${VALUE}\n`],
  ] as const)('in %s: %s', ([path, text]) => {
    expect(text).toContain(VALUE)
    expect(scrubbed(path, text)).not.toContain(VALUE)
    expect(scrubbed(path, text)).toContain('<redacted:')
  })
})

describe('is left as it is', () => {
  test.for([
    ['locale/de.json', '{"password": "Passwort1 eingeben", "token": "Zeichen"}'],
    ['page.json', '{"nextPageToken": "abc123def456", "total_tokens": "12345678"}'],
    [
      'settings.yaml',
      'password: $DB_PASSWORD_1\nprivateKey: /run/secrets/key1\ntokenUrl: https://example.com/v1/token\n',
    ],
    ['notes.txt', `password: ${VALUE}`],
    ['.npmrc', 'registry=https://registry.npmjs.org/\n'],
    ['plain.json', `{"version": "${VALUE}"}`],
  ] as const)('in %s: %s', ([path, text]) => {
    expect(scrubbed(path, text)).toBe(text)
  })
})
