/**
 * Scrubbing clean text against `Buffer.indexOf` of one key prefix over the same text: both have to look at
 * every byte, one for one literal, the other for all rules. The text is what passes through in real runs: a
 * conversation with code, prose and JSON in it, without a secret.
 */
import { createScrubber } from '../src/scrub/index.ts'
import { alternate, verdict } from './measure.ts'

const TARGET = 0.2
const MOST_GROWTH = 1.5

export async function measureScrubRatio(): Promise<number> {
  return (await measure()).received
}

export async function bench(): Promise<void> {
  const { received, sent, shortNs } = await measure()
  verdict('scrubbing text (received), against Buffer.indexOf', received, TARGET, 'at least')
  verdict('scrubbing text (sent: heuristics too), against Buffer.indexOf', sent, TARGET, 'at least', {
    why: 'Text that is sent is also searched for values after telling names, so it has more places to check.',
  })
  verdict(
    'scrubbing text with 100,000 known values, against 100',
    await measureGrowth(),
    MOST_GROWTH,
    'at most',
  )
  console.log(`a string of 60 characters takes ${shortNs.toFixed(0)} ns`)
}

async function measure(): Promise<{
  readonly received: number
  readonly sent: number
  readonly shortNs: number
}> {
  const text = conversation(1_000_000)
  const bytes = Buffer.from(text, 'latin1')
  const scrubber = createScrubber({
    env: {
      OPENAI_API_KEY: `sk-${'Zq9'.repeat(16)}`,
      DB_PASSWORD: 'correct7horse8battery',
      GITHUB_TOKEN: `ghp_${'b4'.repeat(18)}`,
    },
  })
  const short = Array.from({ length: 5000 }, (_, n) =>
    `a short line of a log, number ${n}, with nothing secret in it.....`.slice(0, 60),
  )
  const times = await alternate(
    [
      { name: 'indexOf', run: () => repeat(8, () => bytes.indexOf('sk-ant-api03-')) },
      { name: 'received', run: () => repeat(2, () => scrubber.text(text, 'received')) },
      { name: 'sent', run: () => repeat(2, () => scrubber.text(text, 'sent')) },
      { name: 'short', run: () => short.forEach((line) => void scrubber.text(line, 'received')) },
    ],
    40,
  )
  if (scrubber.hits > 0) throw new Error('the text of the benchmark is not clean')
  const floor = (times.get('indexOf') ?? Number.NaN) / 8
  const ratio = (name: string): number => floor / ((times.get(name) ?? Number.NaN) / 2)
  return {
    received: ratio('received'),
    sent: ratio('sent'),
    shortNs: ((times.get('short') ?? 0) * 1e6) / short.length,
  }
}

/** How much longer a text takes once very many values are known. */
export async function measureGrowth(): Promise<number> {
  const text = conversation(1_000_000)
  const [few, many] = [100, 100_000].map((count) => {
    const scrubber = createScrubber()
    let seed = 7
    for (let n = 0; n < count; n += 1) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      scrubber.learn(
        'value',
        `v${seed.toString(36)}-${(seed ^ 0x5bd1e995).toString(36)}-${n.toString(36)}Zq9`,
      )
    }
    return scrubber
  })
  const times = await alternate(
    [
      { name: 'few', run: () => void few?.text(text, 'received') },
      { name: 'many', run: () => void many?.text(text, 'received') },
    ],
    40,
  )
  return (times.get('many') ?? Number.NaN) / (times.get('few') ?? Number.NaN)
}

function repeat(times: number, run: () => unknown): void {
  for (let n = 0; n < times; n += 1) run()
}

/** Prose, code and tool results, varied so that no branch predictor learns it by heart. */
function conversation(length: number): string {
  const pieces = [
    'Let me look at the file first, then run the tests to see which of them fail and why. ',
    'export function compare(left: readonly number[], right: readonly number[]): number {\\n  for (let at = 0; at < left.length; at += 1) {\\n',
    '{"role":"assistant","content":[{"type":"text","text":"I will read src/index.ts now."}],"stop_reason":"end_turn","usage":{"input_tokens":1204}}',
    'drwxr-xr-x  5 user user 4096 Jan 12 10:31 node_modules\\n-rw-r--r--  1 user user  871 Jan 12 10:29 package.json\\n',
    'The result differs in the third column: we expected a date in ISO form, but the parser gave a local one. ',
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" the next step is"}}\\n\\n',
    '| name | kind | default | description |\\n| --- | --- | --- | --- |\\n',
  ]
  let seed = 42
  let text = ''
  while (text.length < length) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    text += `${pieces[(seed >>> 8) % pieces.length]}${seed.toString(36)} `
  }
  return text.slice(0, length)
}
