/**
 * The SDK's client against the file system server: files written, read and listed by the server, roots of the
 * client.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createLedger } from './ledger.mjs'
import { transportOf } from './transport.mjs'

const ledger = createLedger()
const folder = process.env.MCP_FOLDER
const client = new Client(
  { name: 'compat', version: '1.0.0' },
  { capabilities: { roots: { listChanged: true } } },
)
client.setRequestHandler(ListRootsRequestSchema, () => {
  ledger.note('asked for roots', null)
  return { roots: [{ uri: `file://${folder}`, name: 'folder' }] }
})
await client.connect(transportOf(process.env.MCP_TRANSPORT ?? 'stdio', [process.env.MCP_FILESYSTEM, folder]))
ledger.note('greeted by', client.getServerVersion())
const call = (name, args) => client.callTool({ name, arguments: args })
await ledger.step('tools', async () =>
  (await client.listTools()).tools.map(({ name, inputSchema }) => [name, inputSchema.required]),
)
await ledger.step('allowed', () => call('list_allowed_directories', {}))
await ledger.step('write', () =>
  call('write_file', { path: `${folder}/notes.txt`, content: 'first\nsecond ½\n' }),
)
await ledger.step('edit', () =>
  call('edit_file', { path: `${folder}/notes.txt`, edits: [{ oldText: 'first', newText: '1st' }] }),
)
await ledger.step('read', () => call('read_text_file', { path: `${folder}/notes.txt` }))
await ledger.step('list', () => call('list_directory', { path: folder }))
await ledger.step('parallel', () =>
  Promise.all(
    [1, 2, 3, 4, 5].map((n) =>
      call('write_file', { path: `${folder}/${n}.txt`, content: 'x'.repeat(n * 3000) }),
    ),
  ),
)
await ledger.step('sizes', () => call('list_directory_with_sizes', { path: folder }))
await ledger.step(
  'large',
  async () => (await call('read_text_file', { path: `${folder}/5.txt` })).content[0].text.length,
)
await ledger.step('missing', () => call('read_text_file', { path: `${folder}/none.txt` }))
await ledger.step('outside', () => call('read_text_file', { path: '/etc/passwd' }))
await ledger.step(
  'info',
  async () => (await call('get_file_info', { path: `${folder}/notes.txt` })).content[0].text.split('\n')[0],
)
await client.close()
ledger.print()
