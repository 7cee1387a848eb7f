/**
 * Puts a URL together out of an origin and a path where that is all there is to do: an origin as a URL writes it, and nothing in the path that a URL would
 * write in another way. Null for anything else, which is then for the URL parser.
 */
const PLAIN_PATH = /^\/(?![/.]|%2e)(?:(?!\/(?:\.|%2e))[\w\-~!$&()*+,;=:@%/?.])*$/i
const MOST_ORIGINS = 256

const plainOrigins = new Set<string>()

export function plainUrl(origin: string, path: string): string | null {
  return PLAIN_PATH.test(path) && isPlainOrigin(origin) ? origin + path : null
}

function isPlainOrigin(origin: string): boolean {
  if (plainOrigins.has(origin)) return true
  if (!URL.canParse(origin) || new URL('/', origin).href !== `${origin}/`) return false
  if (plainOrigins.size < MOST_ORIGINS) plainOrigins.add(origin)
  return true
}
