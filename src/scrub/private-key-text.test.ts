import vm from 'node:vm'
import { expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const BEGIN = '-----BEGIN PRIVATE KEY-----'
const END = '-----END PRIVATE KEY-----'
const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7'

/** The search runs in a context with a time limit: it must end for any text. */
function scrubbed(text: string): string {
  const call = { run: () => createScrubber().text(text, 'received') }
  return vm.runInNewContext('call.run()', { call }, { timeout: 5000 })
}

test.each([
  ['a colon after a long line', `${BEGIN}\n${LINE}: rest`, '<redacted:private_key_block>: rest'],
  ['a dash after a long line', `${BEGIN}\n${LINE}- rest`, '<redacted:private_key_block>- rest'],
  ['a dash after the second line', `${BEGIN}\n${LINE}\n${LINE}-`, '<redacted:private_key_block>-'],
  ['a colon after a word with a slash', `${BEGIN}\nab/cd: rest`, `${BEGIN}\nab/cd: rest`],
  ['a dash after a padded word', `${BEGIN}\nab==- rest`, `${BEGIN}\nab==- rest`],
  ['a short key in one line', `${BEGIN}abc${END} rest`, '<redacted:private_key_block> rest'],
  ['a key in one line', `${BEGIN}${LINE}${END} rest`, '<redacted:private_key_block> rest'],
  ['a short padded key', `${BEGIN}ab==${END} rest`, '<redacted:private_key_block> rest'],
  [
    'headers',
    `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${LINE}\n${END}`,
    '<redacted:private_key_block>',
  ],
])('the text of a private key: %s', (_, text, expected) => {
  expect(scrubbed(text)).toBe(expected)
})
