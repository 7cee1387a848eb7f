/**
 * The SDK's client against the reference server that does everything: every sort of message, in both
 * directions.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { createLedger } from './ledger.mjs'
import { transportOf } from './transport.mjs'

const ledger = createLedger()
const client = new Client(
  { name: 'compat', version: '1.0.0' },
  { capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } } },
)
let heard = () => undefined
const updates = new Promise((resolve) => {
  heard = resolve
})
client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  ledger.note('asked to sample', params)
  return { model: 'stand-in', role: 'assistant', content: { type: 'text', text: `sampled at ${Date.now()}` } }
})
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  ledger.note('asked by elicitation', params.message)
  return { action: 'accept', content: { name: 'Ada', check: true, integer: 3, number: 2.5 } }
})
client.setRequestHandler(ListRootsRequestSchema, () => {
  ledger.note('asked for roots', null)
  return { roots: [{ uri: 'file:///workspace', name: 'workspace' }] }
})
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => ledger.note('log', params))
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
  ledger.note('updated', params)
  heard()
})

await client.connect(transportOf(process.env.MCP_TRANSPORT, [process.env.MCP_EVERYTHING, 'stdio']))
ledger.note('greeted by', { server: client.getServerVersion(), capabilities: client.getServerCapabilities() })
await ledger.step('ping', () => client.ping())
await ledger.step('level', () => client.setLoggingLevel('debug'))
await ledger.step('tools', async () => (await client.listTools()).tools.map(({ name }) => name))
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options)
await ledger.step('echo', () => call('echo', { message: 'hällo €' }))
await ledger.step('sums', () => Promise.all([1, 2, 3, 4].map((a) => call('get-sum', { a, b: 10 }))))
await ledger.step('structured', () => call('get-structured-content', { location: 'New York' }))
await ledger.step('refused', () => call('get-sum', { a: 'x' }))
await ledger.step('unknown', () => call('no-such-tool', {}))
await ledger.step('image', async () => (await call('get-tiny-image', {})).content.map(({ type }) => type))
await ledger.step('long', () =>
  call(
    'trigger-long-running-operation',
    { duration: 0.3, steps: 3 },
    { onprogress: (progress) => ledger.note('progress', progress) },
  ),
)
await ledger.step('sampling', () => call('trigger-sampling-request', { prompt: 'why', maxTokens: 10 }))
await ledger.step('elicitation', () => call('trigger-elicitation-request', {}))
await ledger.step('roots', () => call('get-roots-list', {}))
const cancel = new AbortController()
await ledger.step('cancelled', () => {
  setTimeout(() => cancel.abort('enough'), 60)
  return call('trigger-long-running-operation', { duration: 1, steps: 5 }, { signal: cancel.signal })
})
await ledger.step('prompts', async () => (await client.listPrompts()).prompts.map(({ name }) => name))
await ledger.step('prompt', () =>
  client.getPrompt({ name: 'args-prompt', arguments: { city: 'Wien', state: 'AT' } }),
)
await ledger.step('completion', () =>
  client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  }),
)
await ledger.step('resources', async () => (await client.listResources()).resources.length)
await ledger.step('templates', async () =>
  (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
)
await ledger.step('read', () => client.readResource({ uri: 'demo://resource/dynamic/text/1' }))
await ledger.step('subscribe', () => client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' }))
await ledger.step('updates', () => call('toggle-subscriber-updates', {}))
await updates
await ledger.step('unsubscribe', () => client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' }))
await ledger.step('roots changed', () => client.sendRootsListChanged())
await ledger.step('end', async () => {
  await client.transport.terminateSession?.()
  await client.close()
})
ledger.print()
