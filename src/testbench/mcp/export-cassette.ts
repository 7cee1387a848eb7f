/**
 * One server of a tape as an MCP cassette. A cassette contains one conversation: for a tape with several
 * servers one must be named.
 */
import { RepriseError } from '../../errors/index.ts'
import { writeMcpCassette } from './cassette.ts'
import { tapeInteractions } from './tape-interactions.ts'

export type ExportedCassette = {
  readonly text: string
  readonly interactions: number
  readonly server: string
  readonly leftOut: number
}

export function exportMcpCassette(tape: string, server?: string): ExportedCassette {
  const { interactions: all, others } = tapeInteractions(tape)
  const names = [...new Set(all.map((interaction) => interaction.server))]
  if (server === undefined && names.length > 1) {
    throw new RepriseError(
      'mcp-server-ambiguous',
      `${tape} holds the messages of ${names.length} servers: ${names.join(', ')}`,
      {
        details: { servers: names },
        hint: 'name one with --server',
      },
    )
  }
  const wanted = server ?? names[0]
  const own = all.filter((interaction) => interaction.server === wanted)
  if (wanted === undefined || own.length === 0) {
    throw new RepriseError(
      'mcp-nothing',
      `${tape} holds no MCP message${server === undefined ? '' : ` of a server called ${server}`}`,
      {
        details: { path: tape, servers: names },
        hint:
          names.length === 0
            ? 'name a tape of a run that used an MCP server'
            : `the tape has ${names.join(', ')}`,
      },
    )
  }
  const leftOut = others.filter((name) => name === wanted).length
  return { text: writeMcpCassette(own), interactions: own.length, server: wanted, leftOut }
}
