/** Compares what the program sends on one HTTP/2 stream with the recording. Either side may come first. */
import { textOrNull } from '../../base/index.ts'
import type { Kind } from '../../tape/index.ts'
import { frameNames, type SentItem } from './stored-frame.ts'

type Fields = Partial<Omit<Kind<'http2_frame'>, 'data'>> & Pick<Kind<'http2_frame'>, 'frame'>
type Item = { readonly fields: Fields; readonly data: Buffer | null }
type Difference = { readonly expected: string; readonly actual: string }

const MAX_SHOWN = 160

export class ComparedStream {
  readonly #expected: Item[] = []
  readonly #actual: Item[] = []
  #differs = false

  sent({ fields, data }: SentItem): Difference | null {
    add(this.#actual, { fields, data: data === null ? null : Buffer.from(data) })
    return this.#compare()
  }

  recorded(fields: Fields, data: Uint8Array | null): Difference | null {
    add(this.#expected, { fields, data: data === null ? null : Buffer.from(data) })
    return this.#compare()
  }

  isBehind(): boolean {
    return !this.#differs && this.#expected.length > 0
  }

  leftover(): Difference | null {
    const [expected, actual] = [this.#expected[0], this.#actual[0]]
    if (this.#differs || (expected === undefined && actual === undefined)) return null
    return { expected: shown(expected), actual: shown(actual) }
  }

  #compare(): Difference | null {
    while (!this.#differs) {
      const [expected, actual] = [this.#expected[0], this.#actual[0]]
      if (expected === undefined || actual === undefined) return null
      if (isData(expected) && isData(actual)) {
        const length = Math.min(expected.data.length, actual.data.length)
        if (!expected.data.subarray(0, length).equals(actual.data.subarray(0, length)))
          return this.#differ(dataDifference(expected.data, actual.data))
        take(this.#expected, length)
        take(this.#actual, length)
      } else {
        const difference = itemDifference(expected, actual)
        if (difference !== null) return this.#differ(difference)
        this.#expected.shift()
        this.#actual.shift()
      }
    }
    return null
  }

  #differ(difference: Difference): Difference {
    this.#differs = true
    return difference
  }
}

type DataItem = { readonly fields: Fields; readonly data: Buffer }

function isData(item: Item): item is DataItem {
  return item.fields.frame === frameNames.data && item.data !== null
}

function add(items: Item[], item: Item): void {
  const last = items.at(-1)
  if (last !== undefined && isData(last) && isData(item))
    items[items.length - 1] = { fields: last.fields, data: Buffer.concat([last.data, item.data]) }
  else items.push(item)
}

/** Equal data is dropped. */
function take(items: Item[], length: number): void {
  const [first] = items
  if (first === undefined || !isData(first)) return
  if (first.data.length === length) items.shift()
  else items[0] = { fields: first.fields, data: first.data.subarray(length) }
}

function itemDifference(expected: Item, actual: Item): Difference | null {
  const difference = { expected: shown(expected), actual: shown(actual) }
  if (expected.fields.frame !== actual.fields.frame) return difference
  if (textOfFields(expected) === textOfFields(actual)) return null
  return headerDifference(expected, actual) ?? difference
}

function textOfFields({ fields, data }: Item): string {
  const { headers, sensitive, code, value, settings, flag } = fields
  return JSON.stringify([headers, sensitive, code, value, settings, flag, data?.toString('base64')])
}

/** The first header that differs. */
function headerDifference(expected: Item, actual: Item): Difference | null {
  const [recorded, now] = [expected.fields.headers ?? [], actual.fields.headers ?? []]
  for (let at = 0; at < Math.max(recorded.length, now.length); at += 1) {
    const [a, b] = [recorded[at], now[at]]
    if (a?.[0] !== b?.[0] || a?.[1] !== b?.[1]) return { expected: headerText(a), actual: headerText(b) }
  }
  return null
}

function headerText(pair: readonly [string, string] | undefined): string {
  return pair === undefined ? 'no more headers' : cut(JSON.stringify(`${pair[0]}: ${pair[1]}`))
}

/** Both values from a little before their first difference. */
function dataDifference(expected: Buffer, actual: Buffer): Difference {
  let same = 0
  while (expected[same] === actual[same]) same += 1
  const from = Math.max(0, same - 24)
  return { expected: dataText(expected.subarray(from)), actual: dataText(actual.subarray(from)) }
}

function shown(item: Item | undefined): string {
  if (item === undefined) return 'nothing more'
  const { fields, data } = item
  if (isData(item)) return dataText(item.data)
  if (fields.headers !== undefined) return cut(`headers ${JSON.stringify(fields.headers)}`)
  const code = fields.code === undefined ? '' : ` with code ${fields.code}`
  return `${fields.frame}${code}${data === null ? '' : ` ${dataText(data)}`}`
}

function dataText(data: Buffer): string {
  const part = data.subarray(0, 2 * MAX_SHOWN)
  const text = textOrNull(part)
  return text === null ? `0x${part.subarray(0, 40).toString('hex')}` : cut(JSON.stringify(text))
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
