/** One scenario of the comparison, by name. Prints what the program received, as one line of JSON. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import http from 'node:http'

const { SERVER, SCENARIO } = process.env
// The comparison sets this to true for the second run: the program was changed.
const CHANGED = false
const text = async (path, options) => (await fetch(`${SERVER}${path}`, options)).text()

const scenarios = {
  'third answer of three equal requests': async () => [
    await text('/count'),
    await text('/count'),
    await text('/count'),
  ],
  'chunks of a stream': async () => {
    const sizes = []
    for await (const chunk of (await fetch(`${SERVER}/stream`)).body) sizes.push(chunk.length)
    return sizes
  },
  'node:http': () =>
    new Promise((resolve, reject) => {
      const request = http.get(`${SERVER}/count`, (response) =>
        response.on('data', (data) => resolve(String(data))),
      )
      request.on('error', reject)
    }),
  'clock and randomness': async () => [Date.now(), Math.random(), crypto.randomUUID()],
  'a file and a subprocess': async () => [
    readFileSync(process.env.NOTES, 'utf8'),
    execFileSync('date', ['+%N'], { encoding: 'utf8' }),
  ],
  'a changed request fails': () => text('/echo', { method: 'POST', body: CHANGED ? 'other' : 'first' }),
  'a request that is not made any more is reported': async () => (CHANGED ? '' : text('/count')),
  'no secret in the recording': () =>
    text('/secret', { headers: { authorization: `Bearer ${process.env.API_KEY}` } }),
}

export async function work() {
  console.log(JSON.stringify(await scenarios[SCENARIO]()))
}
