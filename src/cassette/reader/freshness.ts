/**
 * Windows of validity as the format writes them: Go durations such as `24h0m0s`, `15m0s`, `1.5h`. Evidence
 * without one is never fresh.
 */

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Milliseconds, or null where the text is no Go duration. */
export function goDurationMs(text: string): number | null {
  const sign = text.startsWith('-') ? -1 : 1
  const body = text.replace(/^[-+]/, '')
  if (body === '0') return 0
  let total = 0
  let at = 0
  while (at < body.length) {
    PART.lastIndex = at
    const match = PART.exec(body)
    if (match === null) return null
    total += Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? Number.NaN)
    at = PART.lastIndex
  }
  return body === '' ? null : sign * total
}

/**
 * True from `capturedAt` until the window has passed. Evidence from the future, or with no readable time or
 * window, is not fresh.
 */
export function isFresh(
  record: { readonly capturedAt: string; readonly freshnessWindow: string },
  now: Date | number,
): boolean {
  const windowMs = goDurationMs(record.freshnessWindow)
  const capturedMs = /^\d{4}-\d\d-\d\dT/.test(record.capturedAt) ? Date.parse(record.capturedAt) : Number.NaN
  const ageMs = Number(now) - capturedMs
  return windowMs !== null && ageMs >= 0 && ageMs < windowMs
}
