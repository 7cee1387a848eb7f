/** Folders next to a new tape that are links: nothing is written through them. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

test.each(['cas', 'cassettes', 'children'])('record refuses a .%s that is a link', async (name) => {
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'away'))
  writeFileSync(join(cwd, 'agent.mjs'), "console.log('ran')")
  symlinkSync(join(cwd, 'away'), join(cwd, `run.tape.${name}`))
  const command = ['record', '--quiet', '--force', '--out', 'run.tape', '--', 'node', 'agent.mjs']
  const refused = await reprise(command, { cwd })
  expect([refused.code, refused.stdout]).toEqual([125, ''])
  expect(refused.stderr).toContain(`run.tape.${name} is a link [out-exists]; hint: remove it`)
  expect([readdirSync(join(cwd, 'away')), readdirSync(cwd)]).toEqual([
    [],
    ['agent.mjs', 'away', `run.tape.${name}`],
  ])
  rmSync(join(cwd, `run.tape.${name}`))
  expect(await reprise(command, { cwd })).toMatchObject({ code: 0, stdout: 'ran\n' })
})
