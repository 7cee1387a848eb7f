/** What header and seal say about a run, as the overview shows it. */
import { fieldsOf, numberOf, textOf } from '../../base/index.ts'
import type { TapeHeader } from '../../tape/header.ts'
import type { Kind } from '../../tape/kinds.ts'
import type { TapeOverview } from '../protocol/overview.ts'

export type SeenHeader = { readonly value: TapeHeader; readonly text: string }

export function headerFacts(header: SeenHeader | null): Pick<TapeOverview, 'command' | 'origin'> {
  if (header === null) {
    return { command: [], origin: { writer: 'unknown', foreign: false, node: null, header: null } }
  }
  const { value, text } = header
  const script = value.scriptPath === null ? [] : [value.scriptPath]
  const { producer } = value
  return {
    command: [...(value.command ?? [...script, ...value.argv])],
    origin: {
      writer: producer === undefined ? value.harnVersion : `${producer.name} ${producer.version}`,
      foreign: producer === undefined,
      node: value.node ?? null,
      header: text,
    },
  }
}

export function sealFacts(seal: Kind<'tape_seal'> | null): Pick<TapeOverview, 'exit' | 'boundaries'> {
  if (seal === null) return { exit: null, boundaries: [] }
  const exit = fieldsOf(seal.exit ?? undefined)
  const boundaries = Object.entries(fieldsOf(seal.boundaries))
  return {
    exit: seal.exit === null ? null : { code: numberOf(exit.code), signal: textOf(exit.signal) },
    boundaries: boundaries.map(([name, state]) => ({ name, state: textOf(state) ?? JSON.stringify(state) })),
  }
}
