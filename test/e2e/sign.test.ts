/** `record --sign`: the seal is signed, `verify --key` accepts that key only, and a change of the tape shows. */
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

function writeKeys(folder: string, name: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(folder, `${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(folder, `${name}.pub`), publicKey.export({ type: 'spki', format: 'pem' }))
}

test('a signed tape is verified with its key, and with no other', async () => {
  const cwd = tempFolder()
  writeKeys(cwd, 'mine')
  writeKeys(cwd, 'other')
  writeFileSync(join(cwd, 'agent.mjs'), 'console.log(Date.now() > 0, process.argv.length)')
  const recorded = await reprise(
    ['record', '--out', 'a.tape', '--sign', 'mine.pem', '--', 'node', 'agent.mjs'],
    { cwd },
  )
  expect(recorded).toMatchObject({ code: 0, stdout: 'true 2\n' })
  expect(await reprise(['verify', 'a.tape', '--key', 'mine.pub'], { cwd })).toMatchObject({
    code: 0,
    stdout: 'a.tape: whole, 1 records, sealed, signed with this key\n',
  })
  expect((await reprise(['verify', 'a.tape', '--key', 'other.pub'], { cwd })).code).toBe(2)
  expect((await reprise(['replay', 'a.tape', '--key', 'mine.pub'], { cwd })).code).toBe(0)
  const tape = readFileSync(join(cwd, 'a.tape'), 'utf8')
  expect(tape).not.toContain('PRIVATE')
  writeFileSync(join(cwd, 'a.tape'), tape.replace('"code":0', '"code":1'))
  expect((await reprise(['verify', 'a.tape', '--key', 'mine.pub'], { cwd })).code).toBe(2)
})

test('a file that is no private key is refused before the program runs', async () => {
  const cwd = tempFolder()
  writeKeys(cwd, 'mine')
  writeFileSync(join(cwd, 'agent.mjs'), "import { writeFileSync } from 'node:fs'\nwriteFileSync('ran', '')")
  const refused = await reprise(
    ['record', '--out', 'a.tape', '--sign', 'mine.pub', '--', 'node', 'agent.mjs'],
    { cwd },
  )
  expect(refused.stderr).toContain('mine.pub is not an Ed25519 private key in PEM')
  expect([existsSync(join(cwd, 'ran')), existsSync(join(cwd, 'a.tape'))]).toEqual([false, false])
})
