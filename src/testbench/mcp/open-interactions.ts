/**
 * The messages in a file that is a tape or an MCP cassette, each with the name of its server.
 */
import { RepriseError } from '../../errors/index.ts'
import { readChunks } from '../../tape/reader.ts'
import { readMcpCassette } from './cassette.ts'
import { serverNameOf } from './import-cassette.ts'
import type { McpInteraction } from './interaction.ts'
import { tapeInteractions } from './tape-interactions.ts'

/** A cassette is held in memory whole; a larger one is an error. */
const MAX_CASSETTE_BYTES = 256 * 1024 * 1024

export function openInteractions(path: string): readonly (McpInteraction & { readonly server: string })[] {
  const found = isTape(path)
    ? tapeInteractions(path).interactions
    : namedInteractions(readMcpCassette(readCassetteFile(path), path).interactions)
  if (found.length > 0) return found
  throw new RepriseError('mcp-nothing', `${path} holds no MCP message`, {
    details: { path },
    hint: 'name a tape or an MCP cassette of a run that used an MCP server',
  })
}

export function readCassetteFile(path: string): Uint8Array {
  const chunks: Buffer[] = []
  let size = 0
  for (const chunk of readChunks(path)) {
    size += chunk.length
    if (size > MAX_CASSETTE_BYTES) {
      throw new RepriseError('mcp-cassette-invalid', `${path} is larger than ${MAX_CASSETTE_BYTES} bytes`, {
        details: { path },
        hint: 'record shorter runs',
      })
    }
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

/** The first line of a tape is an object that declares itself a header. */
function isTape(path: string): boolean {
  for (const chunk of readChunks(path, 4096)) return /^\{"type":\s*"header"/.test(chunk.toString('latin1'))
  return false
}

function namedInteractions(
  interactions: readonly McpInteraction[],
): readonly (McpInteraction & { readonly server: string })[] {
  const server = serverNameOf(interactions) ?? 'mcp'
  return interactions.map((interaction) => ({ ...interaction, server: interaction.server ?? server }))
}
