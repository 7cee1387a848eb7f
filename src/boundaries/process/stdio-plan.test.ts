import { describe, expect, it } from 'vitest'
import { givenDescriptors, planStdio, sharesTerminal } from './stdio-plan.ts'

const pipe = { type: 'pipe' }
const inherit = (fd: number) => ({ type: 'inherit', fd })
const never = (): boolean => false
const always = (): boolean => true

describe('the streams of a child', () => {
  it.each([
    ['pipes', [pipe, pipe, { type: 'overlapped' }], never, ['pipe', 'pipe', 'pipe']],
    [
      'a channel',
      [{ type: 'ignore' }, pipe, pipe, { type: 'pipe', ipc: true }],
      never,
      ['passed', 'pipe', 'pipe', 'channel'],
    ],
    ['inherited', [inherit(0), inherit(1), inherit(2)], never, ['passed', 'copied', 'copied']],
    [
      'by number, crossed',
      [pipe, { type: 'fd', fd: 2 }, { type: 'fd', fd: 1 }],
      never,
      ['pipe', 'copied', 'copied'],
    ],
    ['a file', [pipe, { type: 'fd', fd: 7 }, { type: 'ignore' }], never, ['pipe', 'passed', 'passed']],
    ['an output that is a terminal', [pipe, inherit(1), inherit(2)], always, ['pipe', 'copied', 'copied']],
    ['the terminal for itself', [inherit(0), inherit(1), inherit(2)], always, ['passed', 'passed', 'passed']],
  ])('%s', (_name, entries, terminal, uses) => {
    expect(planStdio(entries, terminal).map(({ use }) => use)).toEqual(uses)
  })

  it('go to the output that was named', () => {
    expect(planStdio([pipe, { type: 'fd', fd: 2 }, inherit(2)], never)).toEqual([
      { use: 'pipe' },
      { use: 'copied', to: 'stderr' },
      { use: 'copied', to: 'stderr' },
    ])
  })

  it('share the terminal only with input and an output', () => {
    expect(sharesTerminal([inherit(0), inherit(1)], always)).toBe(true)
    expect(sharesTerminal([inherit(0), pipe, inherit(2)], always)).toBe(true)
    expect(sharesTerminal([inherit(0), pipe, pipe], always)).toBe(false)
    expect(sharesTerminal([pipe, inherit(1)], always)).toBe(false)
    expect(sharesTerminal([inherit(0), inherit(1)], never)).toBe(false)
  })

  it('name the descriptors that are the program’s own', () => {
    expect(givenDescriptors([inherit(0), { type: 'fd', fd: 9 }, { type: 'fd', fd: 2 }, pipe])).toEqual([9])
  })
})
