/**
 * Looks for what is left of the values of cells in files: ten characters in a row of a message as it was
 * sent, in the text itself, in the strings of its JSON, and in what those are base64 of. Independent of the
 * scrubber.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'

const WINDOW = 10
/** Ten characters of a value in base64. Ten of base64 are seven hexadecimal digits: hashes have them by chance. */
const WINDOW_OF_BASE64 = 14
const STEP = 4
/** Base64 may leave some bits of the last bytes. */
const REST = 4

export type Sent = { readonly name: string; readonly message: string; readonly other: string }

/** `first`: where the value begins in the message. `at`: where the window does. */
type Window = {
  readonly name: string
  readonly message: string
  readonly first: number
  readonly at: number
}

/** `other`: the message of the same cell with another value, which shows where the value begins. */
export function windowsOf(sent: readonly Sent[]): ReadonlyMap<string, Window> {
  const windows = new Map<string, Window>()
  for (const { name, message, other } of sent) {
    let first = 0
    while (first < message.length && message[first] === other[first]) first += 1
    for (let at = first; at + WINDOW <= message.length - REST; at += STEP)
      windows.set(message.slice(at, at + WINDOW), { name, message, first, at })
  }
  return windows
}

export function leaksIn(text: string, windows: ReadonlyMap<string, Window>): string[] {
  const found = new Set<string>()
  for (let at = 0; at + WINDOW <= text.length; at += 1) {
    const window = windows.get(text.slice(at, at + WINDOW))
    if (window !== undefined && isLongEnough(text, at, window))
      found.add(`${window.name}: …${text.slice(Math.max(0, at - 30), at + WINDOW + 20)}…`)
  }
  return [...found]
}

function isLongEnough(text: string, at: number, { name, message, first, at: inMessage }: Window): boolean {
  if (!name.includes('base64')) return true
  let [before, after] = [0, WINDOW]
  while (inMessage - before > first && message[inMessage - before - 1] === text[at - before - 1]) before += 1
  while (inMessage + after < message.length && message[inMessage + after] === text[at + after]) after += 1
  return before + after >= Math.min(WINDOW_OF_BASE64, message.length - first - REST)
}

export function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
}

/** All that a reader can see in a file. */
export function readableText(path: string): string {
  const text = readFileSync(path, 'latin1')
  const strings: string[] = []
  for (const line of readFileSync(path, 'utf8').split('\n')) collectStrings(line, strings)
  return [text, ...strings].join('\n')
}

function collectStrings(text: string, strings: string[]): void {
  if (!/^\s*[[{"]/.test(text)) return
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not JSON, or one line of a longer document: the text itself is looked at in any case.
    return
  }
  const walk = (node: unknown): void => {
    if (typeof node === 'string') {
      strings.push(node)
      if (/^[\w+/-]{24,}={0,2}$/.test(node)) strings.push(Buffer.from(node, 'base64').toString('latin1'))
      collectStrings(node, strings)
    } else if (typeof node === 'object' && node !== null) {
      for (const [name, member] of Object.entries(node)) {
        strings.push(name)
        walk(member)
      }
    }
  }
  walk(value)
}

/** What secretlint reports, apart from placeholders. */
export async function secretlintFindings(text: string): Promise<string[]> {
  const { messages } = await lintSource({
    source: { filePath: '/artefact.txt', content: text, contentType: 'text', ext: '.txt' },
    options: { config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] } },
  })
  return messages
    .filter(({ range: [start, end] }) => !/^<redacted:[\w.:#-]+>$/.test(text.slice(start, end)))
    .map(({ ruleId, range: [start, end] }) => `${ruleId}: ${text.slice(start, end).slice(0, 120)}`)
}
