/** The story of the README: its commands give its output, but for times. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reprise } from '../support/cli.ts'
import { listening } from '../support/listening.ts'
import { tempFolder } from '../support/temp-folder.ts'

const AGENT = `
import { writeFileSync } from 'node:fs'
const ask = async (question) => {
  const body = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: question }] })
  const response = await fetch(process.env.MODEL_URL + '/v1/chat/completions', { method: 'POST', body })
  if (!response.ok) throw new Error('the model answered ' + response.status)
  return (await response.json()).choices[0].message.content
}
const city = await ask('Which city?')
const report = await ask('Report on ' + city).catch((error) => 'no report: ' + error.message)
writeFileSync('report.txt', report)
console.log(report)
`

const withoutTimes = (text: string): string => text.replace(/^ +[\d.]+ s/gm, 's').replace(/\d+ ms$/gm, 'ms')

test('the run that failed last night', async () => {
  let requests = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    requests += 1
    response.setHeader('content-type', 'application/json')
    response.statusCode = requests === 2 ? 503 : 200
    const content = requests === 1 ? 'Lisbon' : 'Sunny in Lisbon'
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
    response.end(
      requests === 2
        ? 'busy'
        : JSON.stringify({ id: 'x', object: 'chat.completion', model: 'small', choices }),
    )
  })
  const { url, stop } = await listening(server)
  try {
    const cwd = tempFolder()
    writeFileSync(join(cwd, 'agent.mjs'), AGENT)
    const env = { ...process.env, MODEL_URL: url }
    await reprise(['record', '--out', 'night.tape', '--', process.execPath, 'agent.mjs'], { cwd, env })
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const [, story = ''] = /## The run that failed last night\n\n```\n([\s\S]*?)```/.exec(readme) ?? []
    const steps = story.split(/^\$ reprise /m).slice(1)
    expect(steps.length).toBe(3)
    for (const step of steps) {
      const [command = '', ...output] = step.trimEnd().split('\n')
      const args = command.split(' ').map((word) => word.replace(/^'|'$/g, ''))
      const run = await reprise(args, { cwd })
      expect(withoutTimes(run.stdout), command + run.stderr).toContain(withoutTimes(output.join('\n')))
    }
  } finally {
    await stop()
  }
}, 60_000)
