/**
 * The terminal agents that people drive, `claude` and `codex`: one scripted conversation each. Under `npm run
 * campaign` they are installed and recorded live, offline against a mock; under `npm test` the cassettes that
 * such a run left in test/fixtures are judged by the same measure.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type CassetteReader,
  createStandInPty,
  open,
  screenAt,
  verifyCassette,
} from '../../src/cassette/index.ts'
import { AGENT_KEY, type Agent, ANSWER, installAgents, recordAgent } from '../cassette/agents.ts'
import { partsUpTo, tmuxScreen } from '../cassette/second-emulator.ts'
import { needs } from '../support/outside.ts'
import { tempFolder } from '../support/temp-folder.ts'

const isFull = process.env.REPRISE_CAMPAIGN === 'full'

async function cassetteOf(agent: Agent): Promise<string> {
  if (!isFull) return join(import.meta.dirname, '../fixtures/cassette/agents', agent)
  const out = join(tempFolder(), agent)
  await recordAgent(agent, installAgents(), out, tempFolder())
  return out
}

/** Plays it to a driver that types what was typed. */
async function replayed(
  reader: CassetteReader,
): Promise<{ bytes: Uint8Array; findings: readonly unknown[] }> {
  const pty = createStandInPty(reader, { encoding: null })
  const said: Uint8Array[] = []
  pty.onData((data) => void said.push(typeof data === 'string' ? Buffer.from(data) : data))
  for (const input of reader.inputs().filter(({ reply }) => !reply)) {
    if (input.kind === 'resize' && input.size !== null) pty.resize(input.size.cols, input.size.rows)
    else if (input.bytes !== null) pty.write(input.bytes)
  }
  const findings = await pty.done
  return { bytes: Buffer.concat(said), findings }
}

describe.each<Agent>(['claude', 'codex'])('%s', (agent) => {
  test('recorded, scrubbed, every screen intact, replayed', { timeout: 600_000 }, async (context) => {
    needs(context, 'tmux')
    const folder = await cassetteOf(agent)
    expect((await verifyCassette(folder)).findings).toEqual([])
    const reader = await open(folder)
    const all = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('\n')
    expect([all.includes(AGENT_KEY), all.includes(AGENT_KEY.slice(20))]).toEqual([false, false])
    expect(reader.frames().some((frame) => frame.text.some((row) => row.includes(ANSWER)))).toBe(true)
    // Every screen that was recorded holds no remains of a sequence: the marks of a stream that was scrubbed
    // as if it were text.
    for (const frame of reader.frames())
      expect(frame.text.join('\n')).not.toMatch(/uration>|\[\d+(;\d+)*m|\[\?\d+[hl]/)
    const typed = reader.inputs().filter((input) => !input.reply && input.kind === 'input')
    const seq = (typed.at(-1)?.seq ?? 1) - 1
    const ours = await screenAt(reader, { seq })
    const { size, parts } = partsUpTo(reader, seq)
    const theirs = tmuxScreen(
      size,
      parts.filter((part) => part instanceof Uint8Array || part.rows > 0),
      (screen) => screen.rows.join('\n') === ours.text.join('\n'),
    )
    expect(ours.text).toEqual(theirs.rows)
    const { bytes, findings } = await replayed(reader)
    expect([Buffer.from(bytes).equals(Buffer.from(reader.rawOutput())), findings]).toEqual([true, []])
  })
})
