/**
 * Detects by the endings of names that a JSON field with a secret name may be in the text. Only then is the
 * structure of the JSON parsed.
 */
import { RANK, type Rule } from './rule.ts'
import { anyCase } from './shapes-structured.ts'

const ENDS = ['ken', 'ret', 'ord', 'swd', 'pwd', 'key', 'kie', 'ies', 'ial', 'als', 'ase', 'ode', 'ing']

export function fieldHints(extra: readonly string[] = []): Rule {
  const ends = (): string[] => [
    ...ENDS,
    'ion',
    ...extra.map((name) => name.slice(-3)).filter((end) => end.length === 3),
  ]
  return {
    name: 'field-name',
    rank: RANK.hint,
    probes: () => [...new Set(ends().flatMap((end) => anyCase(`${end}"`).map((probe) => `${probe}\\`)))],
    check: () => null,
  }
}
