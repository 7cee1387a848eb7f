import { describe, expect, test } from 'vitest'
import {
  compare,
  type FidelityReport,
  formatReport,
  judge,
  parseBudget,
  printScore,
  type ReportFormat,
} from '../../src/fidelity/index.ts'
import { kindsOf, sleep } from './records.ts'

const EVIL =
  '</failure><x a="1">&]]>\u0000\u001b[31m\r\n::error::boo %0A ##[error]x | `@root` ![i](http://e.vil/p.png) www.evil.com \u202e\ufffe'

function present(report: FidelityReport, format: ReportFormat, budget: readonly string[] = []): string {
  return formatReport(format, {
    report,
    judgement: judge(report, parseBudget(budget)),
    recordedName: `a${EVIL}.tape`,
    replayName: 'b.tape',
  })
}

const hostile = compare(
  kindsOf(sleep(1), { kind: 'file_delete', path: EVIL }, { kind: 'unknown', name: EVIL, json: '{}' }),
  kindsOf(
    sleep(1),
    { kind: 'file_delete', path: `${EVIL}2` },
    { kind: 'unknown', name: `${EVIL}x`, json: '{}' },
  ),
  'semantic',
)

describe('text from a tape is hostile', () => {
  test.each(['text', 'junit', 'github', 'markdown'] as const)('%s holds no control character', (format) => {
    expect(present(hostile, format)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  test('text: no value begins a line', () => {
    for (const line of present(hostile, 'text').split('\n')) expect(line).not.toMatch(/^::|^##\[/)
  })

  test('junit: only our own elements, every & an entity', () => {
    const xml = present(hostile, 'junit')
    expect(
      [...xml.matchAll(/<\/?([A-Za-z]+)/g)].map(([, name]) => name).filter((name) => !OURS.has(name ?? '')),
    ).toEqual([])
    expect(xml.replace(/&(amp|lt|gt|quot|apos);/g, '')).not.toContain('&')
    expect(xml).not.toContain(']]>')
    expect(xml).not.toContain('\ufffe')
    expect(xml.match(/<testcase /g)).toHaveLength(2)
    for (const line of xml.split('\n')) expect(line).not.toMatch(/^\s*(?:::|##)/)
  })

  test('github: one command a line, and none but ours', () => {
    const lines = present(hostile, 'github').trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line).toMatch(/^::error (file=[^:]*,line=\d+,)?title=[^:]*::[^\r\n]*$/)
      expect(line.replace(/%(25|0A|3A|2C)/g, '')).not.toContain('%')
    }
  })

  test('markdown: no link, image, mention, code span or cell of its own', () => {
    const page = present(hostile, 'markdown').replace(/<\/?code>/g, '')
    expect(page).not.toMatch(/[`@[\]<>]|www\.|http:|!\[/)
    for (const row of page.split('\n').filter((line) => line.startsWith('|')))
      expect([4, 5]).toContain(row.match(/\|/g)?.length)
  })

  test('json: one document, whatever is in it', () => {
    expect(JSON.parse(present(hostile, 'json')).recorded).toBe(`a${EVIL}.tape`)
  })
})

const OURS = new Set(['testsuites', 'testsuite', 'testcase', 'failure', 'system'])

describe('what the report says', () => {
  const same = compare(kindsOf(sleep(1)), kindsOf(sleep(1)), 'semantic')

  test('an empty tape is never called the same', () => {
    const empty = compare([], [], 'semantic')
    expect(empty.verdict).toBe('unverified')
    expect(present(empty, 'text')).toContain(
      'unverified: no divergence was seen, but the recorded tape holds no record',
    )
    expect(judge(empty).passed).toBe(false)
    expect(judge(empty, parseBudget(['empty=2'])).passed).toBe(true)
  })

  test('a tape with gaps is never called the same', () => {
    const gap = kindsOf(sleep(1), { kind: 'gap', boundary: 'network' as never, reason: 'dns' })
    const report = compare(gap, gap, 'semantic')
    expect([report.verdict, report.score, report.gaps]).toEqual([
      'unverified',
      1,
      { recorded: 1, replayed: 1 },
    ])
    for (const format of ['text', 'junit', 'github', 'markdown'] as const)
      expect(present(report, format).replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))).toContain(
        'gap(s)',
      )
    expect(judge(report, parseBudget(['gap=1'])).passed).toBe(true)
  })

  test('a budget allows so many and no more, and what it does not name is not allowed', () => {
    const report = compare(kindsOf(sleep(1), sleep(2)), kindsOf(sleep(3), sleep(4)), 'semantic')
    expect(judge(report, parseBudget(['clock_sleep_duration=2'])).passed).toBe(true)
    expect(judge(report, parseBudget(['clock_sleep_duration=1'])).passed).toBe(false)
    expect(judge(report, parseBudget(['file_read_hash=9'])).passed).toBe(false)
    expect(present(report, 'text', ['clock_sleep_duration=2'])).toContain('all within the budget')
    expect(judge(same, parseBudget(['clock_sleep_duration=2'])).lines).toEqual([
      { name: 'clock_sleep_duration', found: 0, allowed: 2 },
    ])
  })

  test.each([
    'clock_sleep_duration',
    'no_such_category=1',
    'clock_sleep_duration=-1',
    'clock_sleep_duration=x',
    '=1',
    '',
  ])('--budget %j is refused', (entry) => {
    expect(() => parseBudget([entry])).toThrowError(expect.objectContaining({ code: 'usage' }))
  })

  test('scores print as single precision floats do', () => {
    expect(
      [1, 0, 0.5, Math.fround(1 - 1 / 3), Math.fround(1 - 8 / 11), Math.fround(1e-7), Math.fround(0.1)].map(
        printScore,
      ),
    ).toEqual(['1.0', '0.0', '0.5', '0.6666667', '0.27272728', '1e-7', '0.1'])
  })
})

describe('where payloads differ', () => {
  const read = (text: string, digit: string) => ({
    form: 'inline' as const,
    contentHash: digit.repeat(64) as never,
    text,
  })
  const payloadOf = (expected: string, actual: string) =>
    compare(
      kindsOf({ kind: 'mcp_message', server: 's', direction: 'in', message: read(expected, '1') }),
      kindsOf({ kind: 'mcp_message', server: 's', direction: 'in', message: read(actual, '2') }),
    ).divergences[0]?.payload

  test('down to the JSON field', () => {
    expect(payloadOf('{"a":{"b":[1,2]},"c":1}', '{"a":{"b":[1,3]}}')).toMatchObject({
      form: 'json',
      differences: [
        { path: '$.a.b[1]', change: 'changed', expected: 2, actual: 3 },
        { path: '$.c', change: 'removed', expected: 1, actual: null },
      ],
    })
  })

  test('down to the line of text', () => {
    expect(payloadOf('one\ntwo\nthree\n', 'one\ntwx\nthree\n')).toEqual({
      form: 'text',
      line: 2,
      column: 3,
      expected: 'two',
      actual: 'twx',
    })
    expect(payloadOf('one\n', 'one\ntwo')).toEqual({
      form: 'text',
      line: 2,
      column: 1,
      expected: null,
      actual: 'two',
    })
    expect(payloadOf('', 'x')).toEqual({ form: 'text', line: 1, column: 1, expected: '', actual: 'x' })
  })

  test('the message of a request that changed, also where it is told as a difference', () => {
    const call = (request: object) =>
      kindsOf({
        kind: 'llm_call',
        requestDigest: 'd' as never,
        response: read('', '1'),
        request: request as never,
      })
    const messages = (last: string) => ({
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: last },
      ],
    })
    expect(compare(call(messages('a')), call(messages('b'))).divergences[0]?.payload).toMatchObject({
      changedMessage: { index: 1, role: 'user', path: '$.messages[1].content' },
    })
    const grown = (content: string) => ({ base: 0, keep: 7, append: [{ role: 'user', content }] })
    expect(compare(call(grown('a')), call(grown('b'))).divergences[0]?.payload).toMatchObject({
      changedMessage: { index: 7, role: 'user', path: '$.messages[7].content' },
    })
  })

  test('a payload that is named and missing, or too large, is said so', () => {
    const cas = (lenBytes: number) =>
      kindsOf({
        kind: 'mcp_message',
        server: 's',
        direction: 'in',
        message: { form: 'cas', contentHash: `${lenBytes}` as never, lenBytes },
      })
    expect(compare(cas(5), cas(6)).divergences[0]?.payload).toEqual({
      form: 'unavailable',
      side: 'recorded',
      reason: 'missing',
    })
    expect(compare(cas(2 ** 31), cas(6)).divergences[0]?.payload).toEqual({
      form: 'unavailable',
      side: 'recorded',
      reason: 'too-large',
    })
  })
})
