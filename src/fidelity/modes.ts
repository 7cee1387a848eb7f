/**
 * How strictly two runs are compared. The names in reports are Harn's; every spelling that Harn's command
 * line takes is taken here.
 *
 * `byte_identical`: everything but `seq`, the numbering of effects and the header. `semantic`: the same
 * without times and lengths of time. `phase_aware`: `user_script` records strictly, then `runtime_finalize`
 * records without their clock reads semantically. `outcome`: only what is left at the end.
 */
import { RepriseError } from '../errors/index.ts'

export const fidelityModes = ['byte_identical', 'semantic', 'outcome', 'phase_aware'] as const
export type FidelityMode = (typeof fidelityModes)[number]

export const DEFAULT_MODE: FidelityMode = 'semantic'

/** `strict`: also times, phase and lengths. */
export type Strictness = 'strict' | 'semantic'

const spellings: ReadonlyMap<string, FidelityMode> = new Map([
  ['byte', 'byte_identical'],
  ['byte-identical', 'byte_identical'],
  ['byte_identical', 'byte_identical'],
  ['semantic', 'semantic'],
  ['outcome', 'outcome'],
  ['phase-aware', 'phase_aware'],
  ['phase_aware', 'phase_aware'],
  ['byte-user-semantic-runtime', 'phase_aware'],
])

export function parseMode(label: string): FidelityMode {
  const mode = spellings.get(label)
  if (mode !== undefined) return mode
  throw new RepriseError(
    'usage',
    `unknown fidelity mode \`${label}\` — expected \`byte-identical\`, \`semantic\`, \`outcome\`, or \`phase-aware\``,
    {
      details: { mode: label },
      hint: 'the default is semantic',
    },
  )
}

/**
 * `lcs` pairs records by content, so that one inserted record is one finding; `position` is Harn's pairing.
 */
export const alignments = ['lcs', 'position'] as const
export type Alignment = (typeof alignments)[number]

export const DEFAULT_ALIGNMENT: Alignment = 'lcs'

export function parseAlignment(label: string): Alignment {
  const alignment = alignments.find((known) => known === label)
  if (alignment !== undefined) return alignment
  throw new RepriseError('usage', `unknown alignment \`${label}\` — expected \`lcs\` or \`position\``, {
    details: { align: label },
    hint: 'the default is lcs',
  })
}
