/** `reprise import|export mcp-cassette`: Harn's recordings of one MCP client and one server. */

import { writeNew } from '../cassette-options.ts'
import { textOption } from '../command.ts'
import type { ForeignFormat } from './format.ts'

const MAX_NAMED = 20

export const mcpCassette: ForeignFormat = {
  name: 'mcp-cassette',
  help: "Harn's MCP cassette: the messages of one client to one server, with their answers",
  options: [
    {
      flags: '--server <name>',
      help: 'mcp-cassette: which server of the tape, or what to call it on the tape',
    },
  ],
  async import({ input, file, out, force }) {
    const { realEnv } = await import('../../real/process.ts')
    const { createScrubber } = await import('../../scrub/index.ts')
    const { readMcpCassette } = await import('../../testbench/mcp/cassette.ts')
    const { importMcpCassette } = await import('../../testbench/mcp/import-cassette.ts')
    const { readCassetteFile } = await import('../../testbench/mcp/open-interactions.ts')
    const { interactions, wrongDigests } = readMcpCassette(readCassetteFile(file), file)
    const server = textOption(input, 'server')
    const count = importMcpCassette(interactions, {
      out,
      force,
      scrubber: createScrubber({ env: { ...realEnv } }),
      ...(server === undefined ? {} : { server }),
    })
    return {
      count,
      what: 'message(s)',
      notes: wrongDigests.length === 0 ? [] : [digestNote(file, wrongDigests)],
    }
  },
  async export({ input, file, out }) {
    const { exportMcpCassette } = await import('../../testbench/mcp/export-cassette.ts')
    const { text, interactions, leftOut } = exportMcpCassette(file, textOption(input, 'server'))
    await writeNew(input, out, text)
    const notes =
      leftOut === 0
        ? []
        : [
            `${leftOut} message(s) that the server sent without a request, or that answer it, are left out: a cassette cannot store them`,
          ]
    return { count: interactions, what: 'message(s)', notes }
  },
}

function digestNote(file: string, wrong: readonly number[]): string {
  const named = wrong.slice(0, MAX_NAMED).join(', ')
  return `${file}: a digest does not match its content, in ${wrong.length} interaction(s): ${named}${wrong.length > MAX_NAMED ? ', …' : ''}; the contents were taken`
}
