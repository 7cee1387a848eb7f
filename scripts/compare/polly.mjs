import FetchAdapter from '@pollyjs/adapter-fetch'
import HttpAdapter from '@pollyjs/adapter-node-http'
import { Polly } from '@pollyjs/core'
import FSPersister from '@pollyjs/persister-fs'
import { work } from './work.mjs'

Polly.register(FetchAdapter)
Polly.register(HttpAdapter)
Polly.register(FSPersister)
const polly = new Polly('run', {
  adapters: process.env.SCENARIO === 'node:http' ? ['node-http'] : ['fetch'],
  adapterOptions: { fetch: { context: globalThis } },
  persister: 'fs',
  persisterOptions: { fs: { recordingsDir: process.env.BENCH_FILE } },
  mode: process.env.BENCH_MODE,
  recordIfMissing: false,
  logLevel: 'silent',
})
await work()
await polly.stop()
