import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const fixture = (name: string): string =>
  new URL(`../fixtures/fidelity/${name}.tape`, import.meta.url).pathname
const [recorded, replay] = [fixture('recorded'), fixture('replay')]

describe('reprise fidelity', () => {
  test('0 for the same run, 2 for another, with the first divergence first', async () => {
    const same = await reprise(['fidelity', recorded, recorded])
    expect([same.code, same.stderr]).toEqual([0, ''])
    expect(same.stdout).toContain(
      'fidelity same: no divergence (semantic, lcs, 11 recorded and 11 replayed records)',
    )
    const other = await reprise(['fidelity', recorded, replay])
    expect(other.code).toBe(2)
    expect(other.stdout).toContain(
      'Replay diverged at record 1: expected clock_read wall, which the replay does not have\n  last match   #0 clock_read wall (line 2)',
    )
    expect(other.stdout).toContain('header argv differs: recorded=[] replay=["--fast"]')
  })

  test.each([
    'byte',
    'byte-identical',
    'byte_identical',
    'semantic',
    'outcome',
    'phase-aware',
    'phase_aware',
    'byte-user-semantic-runtime',
  ])('Harn spells this mode %s', async (mode) => {
    const { code, stdout } = await reprise([
      'fidelity',
      recorded,
      replay,
      '--mode',
      mode,
      '--json',
      '--align',
      'position',
    ])
    expect(code).toBe(2)
    expect(['byte_identical', 'semantic', 'outcome', 'phase_aware']).toContain(JSON.parse(stdout).mode)
  })

  test('--report writes the report, and says the rest in words', async () => {
    const file = join(tempFolder(), 'report.json')
    const { code, stdout } = await reprise(['fidelity', recorded, replay, '--report', file])
    expect(code).toBe(2)
    expect(stdout).toContain('fidelity diverged')
    const text = readFileSync(file, 'utf8')
    expect(JSON.parse(text).finding_count).toBe(4)
    expect(text.endsWith('}')).toBe(true)
    const junit = await reprise(['fidelity', recorded, replay, '--report', file, '--format', 'junit'])
    expect(junit.code).toBe(2)
    expect(readFileSync(file, 'utf8')).toContain('<testsuites ')
  })

  test('--report does not write over a tape, not even by another name', async () => {
    const folder = tempFolder()
    const [tape, link] = [join(folder, 'a.tape'), join(folder, 'link')]
    writeFileSync(tape, readFileSync(recorded))
    symlinkSync(tape, link)
    const { code, stderr } = await reprise(['fidelity', tape, replay, '--report', link])
    expect([code, stderr]).toEqual([
      64,
      `reprise: --report ${link} would overwrite what it reports on [usage]; hint: choose another file\n`,
    ])
  })

  test('--budget, given more than once', async () => {
    const budget = [
      'missing_in_replay=1',
      'missing_in_recorded=1',
      'clock_sleep_duration=1',
      'process_exit_code=1',
      'process_stdout_hash=1',
    ]
    const options = budget.flatMap((entry) => ['--budget', entry])
    expect((await reprise(['fidelity', ...options, recorded, replay])).code).toBe(0)
    expect((await reprise(['fidelity', ...options.slice(2), recorded, replay])).code).toBe(2)
  })

  test.each([
    [['--mode', 'odd'], 64],
    [['--align', 'odd'], 64],
    [['--format', 'odd'], 64],
    [['--budget', 'odd=1'], 64],
    [['--json', '--format', 'text'], 64],
    [['--report', '/nowhere/at/all/report.json'], 1],
  ])('%j is one line on stderr, exit %i', async (options, code) => {
    const run = await reprise(['fidelity', recorded, replay, ...options])
    expect(run.code).toBe(code)
    expect(run.stderr).toMatch(/^reprise: [^\n]+ \[[a-z-]+\]; hint: [^\n]+\n$/)
  })

  test('a file that is no tape, a damaged one and a missing one: exit 1', async () => {
    const folder = tempFolder()
    const [noTape, damaged] = [join(folder, 'no.tape'), join(folder, 'damaged.tape')]
    writeFileSync(noTape, 'hello\n')
    writeFileSync(damaged, readFileSync(recorded, 'utf8').replace('"seq":3,', '"seq":,'))
    for (const path of [noTape, damaged, join(folder, 'missing.tape'), folder]) {
      const { code, stdout, stderr } = await reprise(['fidelity', recorded, path])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^reprise: [^\n]+\n$/)
    }
  })

  test('a torn tape, an empty one and one of ours without its seal are not called the same', async () => {
    const folder = tempFolder()
    const lines = readFileSync(recorded, 'utf8').split('\n')
    const ours = lines.with(
      0,
      (lines[0] ?? '').replace('"argv":[]', '"argv":[],"producer":{"name":"reprise","version":"0.1.0"}'),
    )
    const cases = {
      torn: `${lines.slice(0, 5).join('\n')}\n${lines[5]?.slice(0, 40)}`,
      empty: `${lines[0]}\n`,
      unsealed: ours.join('\n'),
    }
    for (const [code, text] of Object.entries(cases)) {
      const path = join(folder, `${code}.tape`)
      writeFileSync(path, text)
      const run = await reprise(['fidelity', path, path, '--json'])
      expect(run.code).toBe(2)
      const report = JSON.parse(run.stdout)
      expect(report.verdict).toBe('unverified')
      expect(report.warnings.map((warning: { code: string }) => warning.code)).toEqual([code, code])
      expect((await reprise(['fidelity', path, path, '--budget', `${code}=2`])).code).toBe(0)
    }
  })

  test('--verify-payloads finds a text that was changed under its hash', async () => {
    const path = join(tempFolder(), 'forged.tape')
    writeFileSync(path, readFileSync(recorded, 'utf8').replace('"On branch main\\n"', '"On branch evil\\n"'))
    const plain = await reprise(['fidelity', path, path])
    expect([plain.code, plain.stderr.includes(`${path} is damaged: `)]).toEqual([2, true])
    const { code, stdout } = await reprise(['fidelity', path, path, '--verify-payloads'])
    expect(code).toBe(2)
    expect(stdout).toContain(
      'Payload damaged at record 7: payload 82f5b96460e40dcbd3d3382b0b3a83a9ad5d97517fd42830deba565347c05846 of the recorded tape',
    )
    expect((await reprise(['fidelity', recorded, path])).stdout).toContain('payload_text')
  })
})

test('a broken chain is a finding of fidelity', async () => {
  const path = join(tempFolder(), 'cut.tape')
  const lines = readFileSync(recorded, 'utf8').split('\n')
  writeFileSync(path, lines.filter((_line, at) => at !== 3).join('\n'))
  const { code, stderr } = await reprise(['fidelity', path, path])
  expect([code, stderr.includes('is damaged: ')]).toEqual([2, true])
})

describe('reprise annotations', () => {
  const sidecarOf = (...annotations: object[]): string => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'run.tape'), readFileSync(recorded))
    const path = join(folder, 'run.tape.annotations.jsonl')
    writeFileSync(
      path,
      `${[{ type: 'header', schema_version: 1 }, ...annotations].map((each) => JSON.stringify(each)).join('\n')}\n`,
    )
    return path
  }
  const note = {
    type: 'annotation',
    id: 'n1',
    event_id: 3,
    kind: 'note',
    evidence: 'slow here\u001b[31m\nmore',
  }

  test('check: 0 when sound, 2 with a problem, 1 when it cannot be read', async () => {
    expect((await reprise(['annotations', 'check', sidecarOf(note)])).code).toBe(0)
    const bad = await reprise(['annotations', 'check', sidecarOf({ ...note, event_id: 99 }), '--json'])
    expect(bad.code).toBe(2)
    expect(JSON.parse(bad.stdout)).toEqual({
      annotations_checked: 1,
      problems: [{ code: 'unknown_event_id', annotation_id: 'n1', event_id: 99 }],
      kind_counts: { note: 1 },
    })
    expect((await reprise(['annotations', 'check', recorded, '--tape', recorded])).code).toBe(1)
    expect((await reprise(['annotations', 'check', recorded])).code).toBe(64)
  })

  test('export: rows, by kind, to a file that is not there yet', async () => {
    const path = sidecarOf(note, { ...note, id: 'm', kind: 'marker' })
    const { code, stdout } = await reprise(['annotations', 'export', path, '--kind', 'marker'])
    expect([code, stdout.split('\n').length]).toEqual([0, 2])
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'm',
      event_id: 3,
      kind: 'marker',
      evidence: note.evidence,
    })
    const out = join(tempFolder(), 'rows.jsonl')
    expect((await reprise(['annotations', 'export', path, '--out', out])).code).toBe(0)
    expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(3)
    expect((await reprise(['annotations', 'export', path, '--out', out])).code).toBe(1)
    expect((await reprise(['annotations', 'export', path, '--kind', 'odd'])).code).toBe(64)
  })

  test('inspect shows them', async () => {
    const tape = sidecarOf(note).replace('.annotations.jsonl', '')
    const { code, stdout } = await reprise(['inspect', tape])
    expect(code).toBe(0)
    expect(stdout).toContain('  annotation at 3: [note] n1: slow here\\x1b[31m\n')
    expect(JSON.parse((await reprise(['inspect', tape, '--json'])).stdout).annotations).toEqual([
      { id: 'n1', event_id: 3, kind: 'note', evidence: note.evidence },
    ])
  })
})
