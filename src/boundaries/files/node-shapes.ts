/**
 * Results of the layer as Node's own objects: `Stats`, `BigIntStats`, `Dirent`, with Node's properties in
 * Node's order.
 */
import type { Json } from '../../base/index.ts'
import type { StatFacts } from './layer/attributes.ts'
import type { Shapes } from './layer/fs-context.ts'
import { direntFrom, nameJson, statsFrom } from './shapes.ts'

export const nodeShapes: Shapes = {
  stats: (facts, bigint) => statsFrom(bigint ? bigFacts(facts) : plainFacts(facts)),
  dirent: (name, mode, folder) => direntFrom([nameJson(name), direntType(mode)], folder),
}

function plainFacts(facts: StatFacts): Json {
  const ms = (ns: bigint): number => Number(ns / 1000n) / 1000
  return {
    ...shared(facts, (value) => value),
    atimeMs: ms(facts.atimeNs),
    mtimeMs: ms(facts.mtimeNs),
    ctimeMs: ms(facts.ctimeNs),
    birthtimeMs: ms(facts.birthtimeNs),
  }
}

function bigFacts(facts: StatFacts): Json {
  const { atimeNs, mtimeNs, ctimeNs, birthtimeNs } = facts
  const ms = (ns: bigint): string => String(ns / 1_000_000n)
  return {
    ...shared(facts, String),
    atimeMs: ms(atimeNs),
    mtimeMs: ms(mtimeNs),
    ctimeMs: ms(ctimeNs),
    birthtimeMs: ms(birthtimeNs),
    atimeNs: String(atimeNs),
    mtimeNs: String(mtimeNs),
    ctimeNs: String(ctimeNs),
    birthtimeNs: String(birthtimeNs),
  }
}

function shared(facts: StatFacts, as: (value: number) => Json): { readonly [key: string]: Json } {
  const { dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks } = facts
  const numbers = { dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks }
  return Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, as(value)]))
}

/** With the numbers of the C library. */
function direntType(mode: number): number {
  switch (mode & 0o170000) {
    case 0o100000:
      return 1
    case 0o040000:
      return 2
    case 0o120000:
      return 3
    case 0o010000:
      return 4
    case 0o140000:
      return 5
    case 0o020000:
      return 6
    case 0o060000:
      return 7
    default:
      return 0
  }
}
