import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  annotationRow,
  checkAnnotations,
  frictionEvent,
  loadAnnotations,
  tapeFile,
} from '../../src/fidelity/index.ts'
import { tempFolder } from '../support/temp-folder.ts'

const HEADER =
  '{"type":"header","schema_version":1,"tape_path":"run.tape","tape_content_hash":null,"harn_version":"0.8.26"}'
const TAPE_HEADER =
  '{"type":"header","version":1,"harn_version":"0.8.26","started_at_unix_ms":null,"script_path":null,"argv":[]}'

function record(seq: number, kind = '{"kind":"clock_sleep","duration_ms":1}', rest = ''): string {
  return `{"type":"record","seq":${seq},"phase":"user_script","virtual_time_ms":0,"monotonic_ms":0,"kind":${kind}${rest}}`
}

function check(
  annotations: readonly object[],
  tapeLines: readonly string[] = [record(0), record(1), record(2)],
  header = HEADER,
) {
  const folder = tempFolder()
  const [tape, sidecar] = [join(folder, 'run.tape'), join(folder, 'run.tape.annotations.jsonl')]
  writeFileSync(tape, `${[TAPE_HEADER, ...tapeLines].join('\n')}\n`)
  writeFileSync(
    sidecar,
    `# by hand\n${[header, '', ...annotations.map((each) => JSON.stringify(each))].join('\n')}\n`,
  )
  return checkAnnotations(loadAnnotations(sidecar), tapeFile(tape))
}

const note = { type: 'annotation', id: 'n', event_id: 0, kind: 'note' }

describe('check: one row for each problem, and none for a sound one', () => {
  test.each([
    ['unknown_event_id', { ...note, event_id: 9 }, { event_id: 9 }],
    ['hypothesis_status_missing', { ...note, kind: 'hypothesis' }, {}],
    ['hypothesis_status_unexpected', { ...note, hypothesis_status: 'active' }, {}],
    ['friction_kind_missing', { ...note, kind: 'friction' }, {}],
    ['friction_kind_unexpected', { ...note, friction_kind: 'tool_gap' }, {}],
    ['friction_kind_unknown', { ...note, kind: 'friction', friction_kind: 'odd' }, { friction_kind: 'odd' }],
    [
      'invalid_span',
      { ...note, span: { start_event_id: 1, end_event_id: 1 } },
      { message: 'the span starts at 1, the annotation is about 0' },
    ],
    [
      'invalid_span',
      { ...note, event_id: 1, span: { start_event_id: 1, end_event_id: 0 } },
      { message: 'the span ends at 0, before its start at 1' },
    ],
    [
      'invalid_span',
      { ...note, span: { start_event_id: 0, end_event_id: 3 } },
      { message: 'the span ends at 3, the tape at 2' },
    ],
    ['unknown_kind', { ...note, kind: 'shout' }, {}],
  ])('%s', (code, annotation, facts) => {
    expect(check([annotation]).problems).toEqual([{ code, annotation_id: 'n', ...facts }])
  })

  test('duplicate_id, but not of empty ids', () => {
    expect(check([note, note]).problems).toEqual([{ code: 'duplicate_id', annotation_id: 'n' }])
    const nameless = { ...note, id: undefined }
    expect(check([nameless, nameless]).problems).toEqual([])
  })

  test('schema: a line of a wrong shape is named and the rest is checked', () => {
    const report = check([
      { ...note, event_id: 'x' },
      { ...note, id: '', event_id: 9 },
      { ...note, author: { kind: 'robot' } },
    ])
    expect(report).toEqual({
      annotations_checked: 1,
      problems: [
        { code: 'schema', annotation_id: 'line 4', message: 'event_id: expected a whole number' },
        { code: 'schema', annotation_id: 'line 6', message: 'author.kind: expected human, agent or system' },
        { code: 'unknown_event_id', annotation_id: 'ann@event_9', event_id: 9 },
      ],
      kind_counts: { note: 1 },
    })
  })

  test('sound annotations of every kind', () => {
    const kinds = ['correct', 'incorrect', 'alternative', 'note', 'marker', 'mute', 'crystallize_here'].map(
      (kind) => ({ ...note, id: kind, kind }),
    )
    const hypothesis = {
      ...note,
      id: 'h',
      kind: 'hypothesis',
      hypothesis_status: 'confirmed',
      span: { start_event_id: 0, end_event_id: 2 },
    }
    const friction = { ...note, id: 'f', kind: 'friction', friction_kind: 'human_hypothesis' }
    const report = check([...kinds, hypothesis, friction])
    expect(report.problems).toEqual([])
    expect(report.annotations_checked).toBe(9)
    expect(Object.keys(report.kind_counts)).toEqual([
      'alternative',
      'correct',
      'crystallize_here',
      'friction',
      'hypothesis',
      'incorrect',
      'marker',
      'mute',
      'note',
    ])
  })
})

describe('tape_digest_mismatch', () => {
  const hashed = (hash: string): string =>
    HEADER.replace('"tape_content_hash":null', `"tape_content_hash":"${hash}"`)
  const VECTOR = 'ca19f5bc964f7a6829fc44069f9af731438f8bdac1a2c00146a04ffed44157c3'

  test("upstream's vector", () => {
    expect(check([], [record(0)], hashed(VECTOR)).problems).toEqual([])
    expect(check([], [record(0)], hashed('abc')).problems).toEqual([
      { code: 'tape_digest_mismatch', expected: 'abc', actual: VECTOR },
    ])
  })

  test('what only we write does not change it: other words, fields of ours, a count of secrets', () => {
    const spaced =
      '{"type":"record","monotonic_ms":0,"seq":0,"virtual_time_ms":0,"kind":{"kind":"clock_sleep","duration_ms":1,"later":true}}'
    expect(check([], [spaced], hashed(VECTOR)).problems).toEqual([])
    expect(check([], [record(0, undefined, ',"scrubbed":1')], hashed(VECTOR)).problems).toEqual([])
  })

  test('a kind of ours is what upstream would read: unknown', () => {
    const digest = (line: string): unknown => check([], [line], hashed('x')).problems
    expect(digest(record(0, '{"kind":"timer_fire","id":1}'))).toEqual(digest(record(0, '{"kind":"unknown"}')))
  })
})

describe('load', () => {
  const load = (text: string) => {
    const path = join(tempFolder(), 'a.jsonl')
    writeFileSync(path, text)
    return loadAnnotations(path)
  }

  test.each([
    ['', 'annotations-invalid'],
    ['# only a comment\n', 'annotations-invalid'],
    ['{"type":"annotation","event_id":0,"kind":"note"}\n', 'annotations-invalid'],
    ['not json\n', 'annotations-invalid'],
    ['{"type":"header"}\n', 'annotations-invalid'],
    ['{"type":"header","schema_version":2}\n', 'annotations-version'],
  ])('%j is refused', (text, code) => {
    expect(() => load(text)).toThrowError(expect.objectContaining({ code }))
  })

  test('comments and blank lines anywhere, a last line without its break', () => {
    const { annotations, badLines } = load(
      `\n  # c\n${HEADER}\r\n\n{"type":"annotation","event_id":3,"kind":"later","new":1}`,
    )
    expect(badLines).toEqual([])
    expect(annotations).toMatchObject([{ id: '', eventId: 3, kind: 'later', links: [], metadata: '{}' }])
  })

  test('a second header is a bad line', () => {
    expect(load(`${HEADER}\n${HEADER}\n`).badLines).toEqual([{ line: 2, message: 'a second header' }])
  })
})

describe('export', () => {
  const path = (annotation: object): string => {
    const file = join(tempFolder(), 'a.jsonl')
    writeFileSync(file, `${HEADER}\n${JSON.stringify(annotation).replace('"BIG"', '12345678901234567890')}\n`)
    return file
  }

  test('a row holds every key, in order, without its type', () => {
    const { annotations } = loadAnnotations(path({ ...note, suggested_fix: { b: 'BIG', a: 1 } }))
    expect(annotationRow(annotations[0]!)).toBe(
      '{"id":"n","event_id":0,"kind":"note","evidence":null,"suggested_fix":{"a":1,"b":12345678901234567890},"author":null,"timestamp":null,"span":null,"hypothesis_status":null,"friction_kind":null,"links":[],"metadata":{}}',
    )
  })

  test('a friction event', () => {
    const friction = {
      ...note,
      id: '',
      kind: 'friction',
      friction_kind: 'tool_gap',
      author: { id: 'a', kind: 'agent' },
      links: [{ reference: 'X-1' }],
    }
    const { annotations, header } = loadAnnotations(path(friction))
    expect(JSON.parse(frictionEvent(annotations[0]!, header, '2026-01-01T00:00:00Z') ?? '')).toMatchObject({
      schema_version: 1,
      id: 'annotation_0',
      kind: 'tool_gap',
      source: 'run.tape',
      actor: 'a',
      redacted_summary: 'annotation  on event 0',
      links: [{ label: null, url: null, trace_id: 'X-1' }],
      timestamp: '2026-01-01T00:00:00Z',
    })
  })

  test('only frictions with a known kind become friction events', () => {
    for (const annotation of [
      note,
      { ...note, kind: 'friction' },
      { ...note, kind: 'friction', friction_kind: 'odd' },
    ]) {
      const { annotations, header } = loadAnnotations(path(annotation))
      expect(frictionEvent(annotations[0]!, header, '')).toBeNull()
    }
  })
})
