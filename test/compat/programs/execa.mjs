// What execa does with subprocesses: results, errors, input, pipes, lines, timeouts, cancellation, messages,
// templates, the shell.
import { $, execa, execaNode, execaSync } from 'execa'

const say = (step, ...what) => console.log(step, JSON.stringify(what))

const plain = await execa('echo', ['one', 'two'])
say('result', plain.stdout, plain.exitCode, plain.command, plain.failed)
const both = await execa('sh', ['-c', 'echo out; echo err >&2'], { all: true })
say('streams', both.stdout, both.stderr, both.all.split('\n').sort())
say('input', (await execa('cat', { input: 'from memory' })).stdout)
const failed = await execa('sh', ['-c', 'echo bad >&2; exit 4']).catch((error) => error)
say('failure', failed.exitCode, failed.shortMessage, failed.stderr)
const missing = await execa('no-such-program').catch((error) => error)
say('missing', missing.code, missing.originalMessage)
const late = await execa('sleep', ['20'], { timeout: 80 }).catch((error) => error)
say('timeout', late.timedOut, late.signal, late.isTerminated)
const controller = new AbortController()
setTimeout(() => controller.abort(), 40)
const cancelled = await execa('sleep', ['20'], { cancelSignal: controller.signal }).catch((error) => error)
say('cancelled', cancelled.isCanceled)
const killed = execa('sleep', ['20'])
killed.kill('SIGINT')
say('killed', (await killed.catch((error) => error)).signal)
say('pipe', (await execa('printf', ['b\\na\\n']).pipe('sort')).stdout)
const lines = []
for await (const line of execa('printf', ['1\\n2\\n3\\n'])) lines.push(line)
say('lines', lines)
say('buffer', [...(await execa('printf', ['\\377\\000'], { encoding: 'buffer' })).stdout])
say('template', (await $`echo ${'a b'} c`).stdout)
say('shell', (await execa('echo $((6 * 7))', { shell: true })).stdout)
say('sync', execaSync('echo', ['at once']).stdout)
say('env', (await execa('sh', ['-c', 'echo $WORD'], { env: { WORD: 'given' } })).stdout)
const child = execaNode('message.mjs', { ipc: true })
await child.sendMessage({ hello: 1 })
say('message', await child.getOneMessage())
await child
say(
  'many',
  (
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => execa('sh', ['-c', `sleep 0.0${n % 3}; echo ${n}`])),
    )
  ).map(({ stdout }) => stdout),
)
