import { describe, expect, it } from 'vitest'
import { readProcessTape, writeProcessTape } from './process-tape.ts'

const GIT = {
  program: 'git',
  args: ['status'],
  cwd: null,
  env: {},
  stdout: 'On branch main nothing to commit',
  stderr: '',
  exitCode: 0,
  durationMs: 42,
}

describe('a process tape', () => {
  it('is read as upstream writes it', () => {
    const text =
      '[{"program":"git","args":["status"],"cwd":null,"env":{},"stdout":"On branch main nothing to commit","stderr":"","exit_code":0,"duration_ms":42}]'
    expect(readProcessTape(text, 'p.json')).toEqual({ entries: [GIT], unknownFields: [] })
  })

  it('has a default for everything but the program', () => {
    const { entries } = readProcessTape('[{"program":"ls"}]', 'p.json')
    expect(entries).toEqual([
      { program: 'ls', args: [], cwd: null, env: {}, stdout: '', stderr: '', exitCode: 0, durationMs: 0 },
    ])
  })

  it.each(['', '  \n', '\uFEFF'])('has no entries in a blank file: %j', (text) => {
    expect(readProcessTape(text, 'p.json').entries).toEqual([])
  })

  it('is written with two blanks and no newline at the end, and read again', () => {
    const text = writeProcessTape([GIT, { ...GIT, cwd: '/w', args: [], env: { A: '1' }, exitCode: -1 }])
    expect(text).toBe(`[
  {
    "program": "git",
    "args": [
      "status"
    ],
    "cwd": null,
    "env": {},
    "stdout": "On branch main nothing to commit",
    "stderr": "",
    "exit_code": 0,
    "duration_ms": 42
  },
  {
    "program": "git",
    "args": [],
    "cwd": "/w",
    "env": {
      "A": "1"
    },
    "stdout": "On branch main nothing to commit",
    "stderr": "",
    "exit_code": -1,
    "duration_ms": 42
  }
]`)
    expect(writeProcessTape(readProcessTape(text, 'p.json').entries)).toBe(text)
  })

  it('names fields that it does not have', () => {
    expect(
      readProcessTape('[{"program":"ls","stdin":"x"},{"program":"ls","pid":3,"stdin":"y"}]', 'p.json')
        .unknownFields,
    ).toEqual(['stdin', 'pid'])
  })

  it.each([
    ['{"program":"ls"}', 'p.json is no process tape: it is no JSON array'],
    ['[1]', 'p.json is no process tape: entry 0 is no object'],
    ['[{"program":"ls"},{}]', 'p.json is no process tape: entry 1: program is not a string'],
    ['[{"program":"ls","args":[1]}]', 'p.json is no process tape: entry 0: args is not a list of strings'],
    ['[{"program":"ls","cwd":3}]', 'p.json is no process tape: entry 0: cwd is not a string'],
    [
      '[{"program":"ls","exit_code":1.5}]',
      'p.json is no process tape: entry 0: exit_code is no whole number',
    ],
    [
      '[{"program":"ls","duration_ms":-1}]',
      'p.json is no process tape: entry 0: duration_ms is no whole number',
    ],
    ['[{"program":"ls","env":{"A":1}}]', 'p.json is no process tape: entry 0: env is not a map of strings'],
  ])('is refused where it is none: %s', (text, message) => {
    expect(() => readProcessTape(text, 'p.json')).toThrow(message)
  })
})
