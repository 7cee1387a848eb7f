/**
 * The SDK's client with one argument that a test changes between recording and replay: what the library makes
 * of an answer that is not on the tape.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { createLedger } from './ledger.mjs'
import { transportOf } from './transport.mjs'

const ledger = createLedger()
const client = new Client({ name: 'compat', version: '1.0.0' })
await client.connect(transportOf(process.env.MCP_TRANSPORT, [process.env.MCP_EVERYTHING, 'stdio']))
const call = (name, args) => client.callTool({ name, arguments: args })
await ledger.step('before', () => call('echo', { message: 'before' }))
// Code, not data: a module of the program itself is read as ever, in a replay too.
const { message } = await import(process.argv[2])
await ledger.step('changed', () => call('echo', { message, where: { deep: [1, 2] } }))
await ledger.step('after', () => call('echo', { message: 'after' }))
await client.close()
ledger.print()
