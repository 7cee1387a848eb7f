/**
 * Text rules of the format, for texts that are compared or quoted, not for terminal streams: known paths,
 * accounts, tokens. Times, process numbers, durations and ids are facts, not secrets. `normalizeVolatile`
 * replaces them, and `scrubString` does so with the option `volatile`.
 */
import type { CassetteScrubReport } from '../codec/records.ts'

export type TextScrubberOptions = {
  readonly home?: string
  readonly worktree?: string
  readonly envAllowlist?: readonly string[]
  readonly accountIdentifiers?: readonly string[]
  /**
   * `scrubString` replaces times, process numbers, durations and ids too, as upstream's does. Default false.
   */
  readonly volatile?: boolean
  /** Labels for the report. */
  readonly intentionallyPreserved?: readonly string[]
}

export type ScrubbedString = { readonly text: string; readonly report: CassetteScrubReport }

export type TextScrubber = {
  scrubString(text: string): ScrubbedString
  /** Only names on the list stay; their values are scrubbed. */
  scrubEnv(env: Readonly<Record<string, string>>): {
    readonly env: Readonly<Record<string, string>>
    readonly report: CassetteScrubReport
  }
  normalizeVolatile(text: string): string
}

type TextRule = { readonly name: string; readonly pattern: RegExp; readonly by: string }

/**
 * A token of any length behind `Bearer`, as headers spell it, or behind `authorization: bearer`. In lower
 * case alone the word is also plain English ("bearer of news"), so the token must have 8 characters there.
 */
const HEADER_BEARER =
  /\bBearer|\bBEARER|\bbearer(?<=(?:[Aa]uthorization|AUTHORIZATION)["']?\s*[:=]\s*["']?bearer)/.source
const BEARER = new RegExp(
  `(?:${HEADER_BEARER})\\s+[\\w.~+/=-]+|\\b[Bb][Ee][Aa][Rr][Ee][Rr]\\s+[\\w.~+/=-]{8,}`,
  'g',
)

const SECRETS: readonly TextRule[] = [
  { name: 'bearer-token', pattern: BEARER, by: 'Bearer <redacted>' },
  {
    name: 'api-token',
    pattern: /\b(api_key|api-key|apikey|token|secret)(?:\s*[=:]\s*)[A-Za-z0-9._~+/=-]{8,}/gi,
    by: '$1=<redacted>',
  },
  { name: 'email', pattern: /\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b/g, by: '<account>' },
]

const VOLATILE: readonly TextRule[] = [
  {
    name: 'uuid',
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
    by: '<uuid>',
  },
  {
    name: 'rfc3339',
    pattern: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g,
    by: '<timestamp>',
  },
  { name: 'local-time', pattern: /\b\d?\d:\d\d:\d\d\b/g, by: '<time>' },
  { name: 'pid', pattern: /\bpid[=: ]\s*\d+\b/gi, by: 'pid=<pid>' },
  { name: 'elapsed-duration', pattern: /\b\d+(?:\.\d+)?(?:ms|s|m|h)\b/g, by: '<duration>' },
  { name: 'socket-file', pattern: /\/tmp\/[^\s'"]*\.sock\b/g, by: '<socket>' },
  { name: 'transient-file', pattern: /\/tmp\/[^\s'"]*(?:tmp|temp)[^\s'"]*/gi, by: '<tmpfile>' },
  { name: 'animation-counter', pattern: /\b(frame|tick|counter)=\d+/gi, by: '$1=<n>' },
]

export function createTextScrubber(options: TextScrubberOptions = {}): TextScrubber {
  // The longer path first: a worktree inside of the home folder would otherwise never be met.
  const paths = [
    { name: 'worktree-path', path: cleanPath(options.worktree ?? ''), by: '$WORKTREE' },
    { name: 'home-path', path: cleanPath(options.home ?? ''), by: '$HOME' },
  ]
    .filter(({ path }) => path.length > 1)
    .sort((a, b) => b.path.length - a.path.length)
  const accounts = (options.accountIdentifiers ?? []).filter((account) => account !== '')
  const rules = options.volatile === true ? [...SECRETS, ...VOLATILE] : SECRETS
  const names = [...paths, ...(accounts.length > 0 ? [{ name: 'account-identifier' }] : []), ...rules]
    .map(({ name }) => name)
    .sort()

  const scrub = (text: string, counts: Record<string, number>): string => {
    let current = text
    const literal = (name: string, what: string, by: string): void => {
      const parts = current.split(what)
      if (parts.length > 1) counts[name] = (counts[name] ?? 0) + parts.length - 1
      current = parts.join(by)
    }
    for (const { name, path, by } of paths) literal(name, path, by)
    for (const account of accounts) literal('account-identifier', account, '<account>')
    for (const rule of rules) current = replaced(current, rule, counts)
    return current
  }
  const report = (counts: Readonly<Record<string, number>>): CassetteScrubReport => ({
    status: Object.keys(counts).length > 0 ? 'redacted' : 'clean',
    rules: names,
    hitCounts: counts,
    envAllowlist: options.envAllowlist ?? [],
    intentionallyPreserved: options.intentionallyPreserved ?? [],
  })
  return {
    scrubString(text) {
      const counts: Record<string, number> = {}
      const scrubbed = scrub(text, counts)
      return { text: scrubbed, report: report(counts) }
    },
    scrubEnv(env) {
      const counts: Record<string, number> = {}
      const kept = Object.entries(env).filter(([name]) => options.envAllowlist?.includes(name) === true)
      const removed = Object.keys(env).length - kept.length
      if (removed > 0) counts['env-removed'] = removed
      return {
        env: Object.fromEntries(kept.map(([name, value]) => [name, scrub(value, counts)])),
        report: report(counts),
      }
    },
    normalizeVolatile: (text) =>
      VOLATILE.reduce((current, rule) => replaced(current, rule, {}), scrub(text, {})),
  }
}

/** Without the slashes at its end: `/home/me/` and `/home/me` are one folder. */
function cleanPath(path: string): string {
  return path.replace(/\/+$/, '')
}

function replaced(text: string, rule: TextRule, counts: Record<string, number>): string {
  return text.replace(rule.pattern, (...match) => {
    counts[rule.name] = (counts[rule.name] ?? 0) + 1
    return rule.by.replace('$1', typeof match[1] === 'string' ? match[1] : '')
  })
}
