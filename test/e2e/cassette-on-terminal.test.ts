/** `cassette replay` and `cassette show` of a full-screen program, on a real terminal. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTerminal, startSession } from '../../src/cassette/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bin = fileURLToPath(new URL('../../bin/reprise.js', import.meta.url))
const FULL_SCREEN = "printf '\\033[?1049h\\033[2;3Hfull screen'; printf '\\033[?1049l'"

function recorded(program: string): string {
  const folder = join(tempFolder(), 'c')
  const args = [bin, 'cassette', 'record', '--quiet', '--out', folder, '--', 'bash', '-c', program]
  expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).status).toBe(0)
  return folder
}

test('replay leaves the terminal as it was: what was printed before is still there, and the next line comes after', async () => {
  const folder = recorded('echo replayed line')
  const command = `echo before; "${process.execPath}" "${bin}" cassette replay "${folder}"; echo after`
  const session = await startSession({ argv: ['bash', '-c', command], size: { rows: 10, cols: 60 } })
  const screen = createTerminal({ rows: 10, cols: 60 })
  let sent = ''
  for await (const event of session.events()) {
    if (event.kind !== 'output') continue
    sent += Buffer.from(event.bytes).toString('latin1')
    await screen.feed(event.bytes)
  }
  const rows = screen
    .rows()
    .map(({ text }) => text.trimEnd())
    .filter((text) => text !== '')
  screen.dispose()
  expect(rows).toEqual(['before', 'replayed line', 'after'])
  expect(sent).not.toContain('\u001b[?1049l')
})

test('show of a full-screen program shows its last screen, and says so', () => {
  const folder = recorded(FULL_SCREEN)
  const shown = spawnSync(process.execPath, [bin, 'cassette', 'show', folder], { encoding: 'utf8' })
  expect([shown.stdout, shown.stderr]).toEqual([
    '\n  full screen\n',
    'reprise: the screen is empty at the end; this is the last full screen\n',
  ])
})
