/** How the audit commands speak of damage: on stderr, one line each, the first twenty of them. */
import { FirstOfMany } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import type { DamageListener } from '../../journal/file/read-journal.ts'
import type { CommandInput } from '../command.ts'

type Damage = Parameters<DamageListener>[0]

export type DamageNotes = {
  readonly listen: DamageListener
  /** The first 10,000, and the number of all. */
  readonly found: Pick<FirstOfMany<Damage>, 'listed' | 'count'>
  /** Reports what was left out, and refuses a file without a whole record. */
  finish(path: string, wholeEvents: number): void
}

const SHOWN = 20

export function damageNotes(output: CommandInput['output']): DamageNotes {
  const found = new FirstOfMany<Damage>()
  return {
    found,
    listen(damage) {
      found.add(() => damage)
      if (found.count <= SHOWN) output.note(sentence(damage))
    },
    finish(path, wholeEvents) {
      if (found.count > SHOWN) output.note(`${path}: ${found.count - SHOWN} more damaged lines`)
      const first = found.listed[0]
      if (wholeEvents > 0 || first === undefined) return
      throw new RepriseError(
        first.reason === 'invalid' ? 'event-invalid' : 'audit-input',
        `${path} holds no whole event: ${sentence(first)}`,
        {
          hint: 'docs/format/journal.md describes session logs',
        },
      )
    },
  }
}

export function sentence({ path, line, reason, recovered, detail }: Damage): string {
  const kept = recovered > 0 ? `, ${recovered} whole records in it were read` : ''
  return `${path}: line ${line} is damaged (${reason})${kept}${detail === null ? '' : `: ${detail}`}`
}
