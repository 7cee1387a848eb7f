/**
 * `reprise mcp diff A B`: what changed in the MCP servers of two runs. A judging command: exits 2 if anything
 * did.
 */
import { type Command, flagOption, jsonOption } from '../command.ts'
import { EXIT } from '../output.ts'

const MAX_SHOWN = 500

export const mcpDiff: Command = {
  name: 'mcp diff',
  arguments: '<a> <b>',
  help: 'what changed in a server: tools, schemas, prompts, resources, answers to equal calls',
  options: [jsonOption],
  tapes: 'all',
  async run(input) {
    const { output } = input
    const [a = '', b = ''] = input.arguments
    const { openInteractions } = await import('../../testbench/mcp/open-interactions.ts')
    const { diffServers } = await import('../../testbench/mcp/diff/diff-servers.ts')
    const { changeSentence } = await import('../../testbench/mcp/diff/sentences.ts')
    const diff = diffServers(openInteractions(a), openInteractions(b))
    if (flagOption(input, 'json')) {
      output.json(diff)
      return diff.same ? EXIT.fine : EXIT.finding
    }
    const { changes, calls } = diff
    for (const server of diff.servers) {
      const own = changes.filter((change) => change.server === server)
      if (own.length > 0) output.line(`${server}:`)
      for (const change of own.slice(0, MAX_SHOWN)) output.line(`  ${changeSentence(change)}`)
      if (own.length > MAX_SHOWN) output.line(`  and ${own.length - MAX_SHOWN} more`)
    }
    for (const { server, area } of diff.not_compared)
      output.line(`${server}: ${area}: only one run shows it, not compared`)
    const breaking = changes.filter((change) => change.breaking).length
    const asked = `${calls.compared} equal call(s), ${calls.only_in_a} only in the first, ${calls.only_in_b} only in the second`
    output.line(
      diff.same ? `same: ${asked}` : `different: ${changes.length} change(s), ${breaking} breaking; ${asked}`,
    )
    return diff.same ? EXIT.fine : EXIT.finding
  },
}
