/** What a client took in, in its own words, on stdout: any difference between two runs shows there. */
import { createHash } from 'node:crypto'

export const base = process.env.MODEL_SERVER
export const refused = process.env.MODEL_REFUSED

export function say(...words) {
  console.log(...words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))))
}

/** Every chunk with its own hash, and when it was the turn of each. */
export async function chunks(name, stream, seen = () => undefined) {
  let n = 0
  for await (const chunk of stream) {
    const text = JSON.stringify(chunk)
    say(name, n, createHash('sha256').update(text).digest('hex'), text.length)
    n += 1
    if (seen(chunk, n) === 'stop') break
  }
  say(name, 'chunks', n)
}

export async function attempt(name, run) {
  try {
    const result = await run()
    if (result !== undefined) say(name, result)
  } catch (error) {
    const { status, code, type, statusCode, status_code } = error
    const causes = []
    for (let cause = error.cause; cause instanceof Error && causes.length < 4; cause = cause.cause)
      causes.push([cause.name, cause.code, cause.message])
    say(name, 'failed', {
      name: error.name,
      constructor: error.constructor.name,
      message: error.message,
      status,
      code,
      type,
      statusCode,
      status_code,
      causes,
    })
  }
}
