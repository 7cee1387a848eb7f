/**
 * The tables of HPACK (RFC 7541): the static headers, and the Huffman code. The code is canonical, so the lengths
 * of its words define it.
 */

const STATIC = `:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`

export type TableEntry = readonly [name: string, value: string]

/** Index 1 of HPACK is the first. */
export const staticTable: readonly TableEntry[] = STATIC.split('\n').map((line) => {
  const at = line.indexOf(' ', 1)
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
})

/** The number of bits of the code of each byte and, as the last one, of the end: in base 36. */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6f5656566657' +
  '7666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqq' +
  'srrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu'

const END = 256

/** A node has two branches; a leaf is the byte. */
type Branch = { 0: Branch | number | null; 1: Branch | number | null }

function newBranch(): Branch {
  return { 0: null, 1: null }
}

/** A canonical code: words of equal length follow each other in the order of their bytes. */
function makeTree(): Branch {
  const lengths = [...LENGTHS].map((digit) => Number.parseInt(digit, 36))
  const symbols = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b)
  const root = newBranch()
  let code = 0
  let previous = 0
  for (const symbol of symbols) {
    const length = lengths[symbol] ?? 0
    code *= 2 ** (length - previous)
    previous = length
    add(root, code, length, symbol)
    code += 1
  }
  return root
}

function add(root: Branch, code: number, length: number, symbol: number): void {
  let branch = root
  for (let bit = length - 1; bit > 0; bit -= 1) {
    const side = (code >>> bit) & 1 ? 1 : 0
    const next = branch[side]
    if (typeof next === 'object' && next !== null) branch = next
    else {
      const made = newBranch()
      branch[side] = made
      branch = made
    }
  }
  branch[code & 1 ? 1 : 0] = symbol
}

let tree: Branch | null = null

/** Null if the bytes are no words of the code. */
export function huffmanText(bytes: Uint8Array): string | null {
  tree ??= makeTree()
  const out: number[] = []
  let branch = tree
  let pending = 0
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const next = branch[(byte >> bit) & 1 ? 1 : 0]
      pending += 1
      if (next === null || next === END) return null
      if (typeof next === 'number') {
        out.push(next)
        branch = tree
        pending = 0
      } else branch = next
    }
  }
  // The last byte is padded with the first bits of the code of the end.
  return pending > 7 ? null : Buffer.from(out).toString('latin1')
}
