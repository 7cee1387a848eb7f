/**
 * Tapes that version 0.1 wrote, of every kind of effect, and tapes of 0.2 in forms that later features replaced:
 * each replays with the verdict, exit code and output that it had then. The second recording, made from what was
 * delivered, has the same lines between header and seal, byte for byte.
 */
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { reprise } from './support/cli.ts'
import { tempFolder } from './support/temp-folder.ts'

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))
const modules = fileURLToPath(new URL('../node_modules', import.meta.url))

/** What differs from a faithful run that ends with 0. */
const ends: Readonly<Record<string, { readonly verdict: string; readonly code: number }>> = {
  gap: { verdict: 'unverified', code: 2 },
  killed: { verdict: 'faithful', code: 143 },
  throws: { verdict: 'faithful', code: 1 },
}

describe.each(['0.1', '0.2'])('a tape of version %s replays as it did then', (version) => {
  const tapes = join(fixtures, `tapes-${version}`)
  it.each(readdirSync(tapes))('%s', async (name) => {
    const folder = join(tempFolder(), name)
    cpSync(join(tapes, name), folder, { recursive: true })
    symlinkSync(modules, join(folder, 'node_modules'))
    const { verdict, code } = ends[name] ?? { verdict: 'faithful', code: 0 }
    // Another key than when recorded: the tape has only a placeholder.
    const env = { ...process.env, MY_API_KEY: 'sk-test-0123456789abcdef0123' }
    const run = await reprise(
      ['replay', 'run.tape', '--report', 'report.json', '--emit-tape', 'second.tape'],
      { cwd: folder, env },
    )
    const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))
    expect(report.verdict).toBe(verdict)
    expect(run.code).toBe(code)
    if (name === 'gap') {
      // Version 0.1 started the worker for real. A replay touches nothing: it is refused, by name.
      expect(report.divergences[0]).toMatchObject({ category: 'gap' })
      expect(run.stdout).toBe('')
      return
    }
    expect(report.divergences).toEqual([])
    expect(run.stdout).toBe(readFileSync(join(folder, 'stdout.txt'), 'utf8'))
    const [recorded, second] = [linesOf(join(folder, 'run.tape')), linesOf(join(folder, 'second.tape'))]
    const differing = recorded.flatMap((line, at) => (line === second[at] ? [] : [at]))
    expect(second).toHaveLength(recorded.length)
    // The request with the key in its body: its content-length is that of another key.
    expect(differing).toEqual(name === 'secrets' ? [10] : [])
  })
})

/** Between header and seal. */
function linesOf(tape: string): string[] {
  return readFileSync(tape, 'utf8').trimEnd().split('\n').slice(1, -1)
}
