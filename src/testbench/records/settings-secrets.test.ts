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
    ['.env', `PASSWORD=correct ${VALUE} staple\n`],
    ['.env', `PASSWORD=word#${VALUE}\r\n`],
    ['.env', `PASSWORD=${VALUE}#word # a comment\n`],
    ['.env', `PASSWORD="quote \\" ${VALUE}"\n`],
    ['.env', `PASSWORD=\`${VALUE} "and" more\`\n`],
    ['.env', `NOTE='it\nPASSWORD='${VALUE}'\n`],
    ['deploy/production.env', `API_KEY=${VALUE}\n`],
    ['.envrc', `export API_KEY=${VALUE}\n`],
    ['app.properties', `db.password=${VALUE}\n`],
    ['my.cnf', `[client]\npassword = ${VALUE}\n`],
    ['prod.tfvars', `db_password = "${VALUE}"\n`],
    ['$HOME/.kube/config', `users:\n- user:\n    token: ${VALUE}\n`],
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

test.each(['PASSWORD=horse battery staple', "PASSWORD='horse battery staple' # mine"])(
  'a password of several words is known as a whole: %s',
  (line) => {
    const scrubber = createScrubber()
    learnFromSettings('.env', Buffer.from(`${line}\nOTHER=horse\n`), scrubber)
    expect(scrubber.text('I say: horse battery staple. A horse!', 'sent')).toBe(
      'I say: <redacted:env:PASSWORD>. A horse!',
    )
  },
)

describe('is left as it is', () => {
  test.for([
    ['locale/de.json', '{"password": "Passwort1 eingeben", "token": "Zeichen"}'],
    ['page.json', '{"nextPageToken": "abc123def456", "total_tokens": "12345678"}'],
    [
      'settings.yaml',
      'password: $DB_PASSWORD_1\nprivateKey: /run/secrets/key1\ntokenUrl: https://example.com/v1/token\n',
    ],
    ['notes.txt', `password: ${VALUE}`],
    ['environment', `PASSWORD=${VALUE}`],
    ['.npmrc', 'registry=https://registry.npmjs.org/\n'],
    ['plain.json', `{"version": "${VALUE}"}`],
  ] as const)('in %s: %s', ([path, text]) => {
    expect(scrubbed(path, text)).toBe(text)
  })
})
