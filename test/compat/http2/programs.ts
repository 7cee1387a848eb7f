/** Programs that speak HTTP/2, and the other side that each one is recorded with. */

export type Http2Program = {
  readonly name: string
  readonly packages: readonly string[]
  /** The oldest Node that the library supports. */
  readonly since: number
  /** Which side is recorded. */
  readonly recorded: 'client' | 'server'
  readonly client: string
  readonly server: string
}

const PROTO = `
const proto = \`syntax = "proto3"; package echo;
service Echo { rpc Unary (Msg) returns (Msg); rpc Down (Msg) returns (stream Msg); rpc Up (stream Msg) returns (Msg);
  rpc Bidi (stream Msg) returns (stream Msg); rpc Fail (Msg) returns (Msg); rpc Slow (Msg) returns (Msg); rpc Forever (Msg) returns (stream Msg); }
message Msg { string text = 1; int32 n = 2; bytes blob = 3; }\`
import grpc from '@grpc/grpc-js'
import { fromJSON } from '@grpc/proto-loader'
import protobuf from 'protobufjs'
const { echo } = grpc.loadPackageDefinition(fromJSON(protobuf.parse(proto, { keepCase: true }).root.toJSON(), { defaults: true }))
`

const GRPC_SERVER = `${PROTO}
const server = new grpc.Server()
server.addService(echo.Echo.service, {
  Unary(call, done) { const head = new grpc.Metadata(); head.set('x-head', 'yes'); call.sendMetadata(head)
    const trailer = new grpc.Metadata(); trailer.set('x-trailer', 'done'); done(null, { text: 'hello ' + call.request.text, n: call.request.n + 1 }, trailer) },
  Down(call) { let n = 0; const next = () => { n += 1; if (n > 5) call.end(); else { call.write({ text: call.request.text + n, n }); setTimeout(next, 2) } }; next() },
  Up(call, done) { let n = 0; let text = ''; call.on('data', (each) => { n += each.n; text += each.text }).on('end', () => done(null, { text, n })) },
  Bidi(call) { call.on('data', ({ text, n }) => call.write({ text: 'echo ' + text, n })).on('end', () => call.end()) },
  Fail(_call, done) { const metadata = new grpc.Metadata(); metadata.set('x-why', 'because'); done({ code: grpc.status.INVALID_ARGUMENT, details: 'bad text', metadata }) },
  Slow() {},
  Forever(call) { const timer = setInterval(() => call.write({ text: 'again' }), 5); call.on('cancelled', () => { clearInterval(timer); if (process.env.RECORDED === undefined) console.log('cancelled') }) },
})
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, port) => console.error('PORT ' + port + ' PID ' + process.pid))
process.on('SIGTERM', () => server.tryShutdown(() => { console.log('stopped'); process.exit(0) }))
`

const GRPC_CLIENT = `${PROTO}
const client = new echo.Echo('127.0.0.1:' + process.env.PORT, grpc.credentials.createInsecure())
const wait = (start) => new Promise(start)
const token = new grpc.Metadata(); token.set('authorization', 'Bearer ' + process.env.GRPC_TOKEN)
await wait((done) => client.Unary({ text: 'ada', n: 1 }, token, (error, answer) => console.log('unary', error, answer.text, answer.n))
  .on('metadata', (head) => console.log('head', head.get('x-head'))).on('status', ({ code, details, metadata }) => done(console.log('status', code, details, metadata.get('x-trailer')))))
await wait((done) => client.Down({ text: 'part ' }).on('data', ({ text, n }) => console.log('down', text, n)).on('end', done))
await wait((done) => { const call = client.Up((error, { text, n }) => done(console.log('up', error, text, n))); for (let n = 0; n < 4; n += 1) call.write({ text: 'u' + n, n }); call.end() })
await wait((done) => { let n = 0; const call = client.Bidi(); call.on('data', ({ text }) => { console.log('bidi', text); n += 1; if (n < 4) call.write({ text: 'b' + n, n }); else call.end() }).on('end', done); call.write({ text: 'b0', n: 0 }) })
await wait((done) => client.Fail({ text: 'x' }, ({ code, details, message, metadata }) => done(console.log('fail', code, details, message, metadata.get('x-why')))))
await wait((done) => client.Slow({ text: 'x' }, { deadline: Date.now() + 60 }, ({ code }) => done(console.log('deadline', code))))
await wait((done) => { let n = 0; const call = client.Forever({ text: 'x' }); call.on('data', () => { n += 1; if (n === 3) call.cancel() }).on('error', ({ code, details }) => done(console.log('cancel', code, details))) })
await Promise.all(Array.from({ length: 50 }, (_, at) => wait((done) => { let text = ''; client.Down({ text: at + '-', blob: Buffer.alloc(at * 100) }).on('data', (each) => { text += each.text }).on('end', () => done(console.log(text))) })))
client.close()
`

const SECURE_SERVER = `
import http2 from 'node:http2'
import { readFileSync } from 'node:fs'
const server = http2.createSecureServer({ key: readFileSync('key.pem'), cert: readFileSync('cert.pem'), allowHTTP1: true }, (request, response) => {
  let length = 0
  request.on('data', (bytes) => { length += bytes.length }).on('end', () => {
    if (process.env.RECORDED === undefined) console.log(request.httpVersion, request.method, request.url, length, request.socket.remoteAddress)
    response.setHeader('set-cookie', 'sid=4f9a8b7c6d5e4f3a2b1c')
    response.end(JSON.stringify({ version: request.httpVersion, url: request.url, length })) }) })
server.on('sessionError', () => undefined)
const sessions = new Set(); server.on('session', (session) => sessions.add(session))
server.listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + process.pid))
process.on('SIGTERM', () => { server.close(() => { console.log('stopped'); process.exit(0) }); for (const session of sessions) session.close() })
`

const SECURE_CLIENT = `
import http2 from 'node:http2'
import https from 'node:https'
import { readFileSync } from 'node:fs'
const ca = readFileSync('cert.pem')
const url = 'https://localhost:' + process.env.PORT
const ask = (session, path, body) => new Promise((done) => { let text = ''
  const stream = session.request({ ':path': path, ':method': 'POST', authorization: 'Bearer ' + process.env.GRPC_TOKEN, cookie: 'sid=' + process.env.GRPC_TOKEN })
  stream.setEncoding('utf8').on('data', (data) => { text += data }).on('response', (headers) => console.log(headers[':status'], headers.date))
  stream.on('error', ({ code, message }) => console.log(code, message)).on('close', () => done(console.log(path, text, stream.rstCode))); stream.end(body) })
const session = http2.connect(url, { ca })
session.on('connect', () => console.log(session.alpnProtocol, session.socket.authorized, session.socket.getProtocol()))
await Promise.all(Array.from({ length: 50 }, (_, n) => ask(session, '/' + n, Buffer.alloc(n * 2000, 'x'))))
await ask(session, '/large', Buffer.alloc(2_000_000, 'y'))
await new Promise((done) => https.get(url + '/old', { ca, agent: false }, (response) => response.setEncoding('utf8').on('data', (data) => console.log(data)).on('end', done)))
const refused = http2.connect(url); refused.on('error', ({ code, message }) => console.log(code, message)); await ask(refused, '/refused')
session.close()
`

const BEDROCK_SERVER = `
import http from 'node:http'
import http2 from 'node:http2'
import { crc32 } from 'node:zlib'
const number = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32BE(value >>> 0); return bytes }
const header = (name, value) => Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7, 0, value.length), Buffer.from(value)])
const message = (type, payload) => { const headers = Buffer.concat([header(':event-type', type), header(':content-type', 'application/json'), header(':message-type', 'event')])
  const body = Buffer.from(JSON.stringify(payload)); const prelude = Buffer.concat([number(16 + headers.length + body.length), number(headers.length)])
  const start = Buffer.concat([prelude, number(crc32(prelude)), headers, body]); return Buffer.concat([start, number(crc32(start))]) }
const delta = (contentBlockIndex, value) => message('contentBlockDelta', { contentBlockIndex, delta: value })
const events = [message('messageStart', { role: 'assistant' }), delta(0, { text: 'The weather ' }), delta(0, { text: 'in Köln' }), message('contentBlockStop', { contentBlockIndex: 0 }),
  message('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'tool_1', name: 'weather' } } }), delta(1, { toolUse: { input: '{"city":' } }), delta(1, { toolUse: { input: '"Köln"}' } }),
  message('contentBlockStop', { contentBlockIndex: 1 }), message('messageStop', { stopReason: 'tool_use' }), message('metadata', { usage: { inputTokens: 21, outputTokens: 9, totalTokens: 30 }, metrics: { latencyMs: 5 } })]
const handle = (request, response) => request.resume().on('end', async () => {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
  for (const event of events) { response.write(event.subarray(0, 20)); await new Promise((done) => setTimeout(done, 2)); response.write(event.subarray(20)) }
  response.end() })
const old = http.createServer(handle).listen(0, '127.0.0.1', () => {
  const server = http2.createServer(handle).listen(0, '127.0.0.1', () => console.error('PORT ' + server.address().port + ' PID ' + old.address().port)) })
`

const BEDROCK_CLIENT = `
import { BedrockRuntimeClient, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttp2Handler, NodeHttpHandler } from '@smithy/node-http-handler'
const { PORT, OTHER, AWS_SECRET } = process.env
for (const [requestHandler, port] of [[new NodeHttpHandler(), OTHER], [new NodeHttp2Handler(), PORT]]) {
  const client = new BedrockRuntimeClient({ region: 'eu-central-1', endpoint: 'http://127.0.0.1:' + port, requestHandler, credentials: { accessKeyId: 'AKIA0000000000000000', secretAccessKey: AWS_SECRET } })
  const messages = [{ role: 'user', content: [{ text: 'Weather in Köln?' }] }]
  const { stream } = await client.send(new ConverseStreamCommand({ modelId: 'anthropic.claude-test-v1:0', messages }))
  for await (const event of stream) console.log(JSON.stringify(event))
  client.destroy()
}
`

const grpc = { packages: ['@grpc/grpc-js@1', '@grpc/proto-loader@0.8', 'protobufjs@7'], since: 20 }
const plain = { packages: ['ms@2'], since: 20 }

export const http2Programs: readonly Http2Program[] = [
  { ...grpc, name: 'a client of gRPC', recorded: 'client', client: GRPC_CLIENT, server: GRPC_SERVER },
  { ...grpc, name: 'a server of gRPC', recorded: 'server', client: GRPC_CLIENT, server: GRPC_SERVER },
  { ...plain, name: 'a client over TLS', recorded: 'client', client: SECURE_CLIENT, server: SECURE_SERVER },
  { ...plain, name: 'a server over TLS', recorded: 'server', client: SECURE_CLIENT, server: SECURE_SERVER },
  {
    name: 'ConverseStream of Bedrock',
    packages: ['@aws-sdk/client-bedrock-runtime@3', '@smithy/node-http-handler@4'],
    since: 20,
    recorded: 'client',
    client: BEDROCK_CLIENT,
    server: BEDROCK_SERVER,
  },
]
