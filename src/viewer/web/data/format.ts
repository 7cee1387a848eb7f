/** Numbers, sizes and times for people. Pure; English, short, stable width where it matters. */

const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function formatCount(value: number): string {
  return whole.format(value)
}

/** `12.4K`: for tiles and other places without room. */
export function formatShort(value: number): string {
  return value < 10_000 ? whole.format(value) : short.format(value)
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  for (const [unit, size] of [
    ['KB', 1e3],
    ['MB', 1e6],
    ['GB', 1e9],
  ] as const) {
    if (bytes < size * 1000) return `${(bytes / size).toFixed(bytes < size * 10 ? 1 : 0)} ${unit}`
  }
  return `${(bytes / 1e12).toFixed(1)} TB`
}

/** `0 ms`, `12 ms`, `1.24 s`, `2 min 05 s`, `3 h 12 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return ms <= 0 ? '0 ms' : `${ms.toFixed(2)} ms`
  if (ms < 10 && !Number.isInteger(ms)) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_995) return `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
  return `${(minutes / 1440).toFixed(1)} d`
}

/** A moment of the recording, for a column: `0.000`, `12.481`, `3:07.120`. */
export function formatMoment(ms: number): string {
  const sign = ms < 0 ? '-' : ''
  const total = Math.round(Math.abs(ms))
  const seconds = `${Math.floor(total / 1000) % 60}`
  const rest = `${total % 1000}`.padStart(3, '0')
  if (total < 60_000) return `${sign}${seconds}.${rest}`
  const minutes = Math.floor(total / 60_000) % 60
  if (total < 3_600_000) return `${sign}${minutes}:${seconds.padStart(2, '0')}.${rest}`
  return `${sign}${Math.floor(total / 3_600_000)}:${two(minutes)}:${seconds.padStart(2, '0')}.${rest}`
}

/** `2026-01-01 00:00:00.000 UTC`. */
export function formatWall(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? `${ms}` : date.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

export function formatCost(usd: number): string {
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

function two(value: number): string {
  return `${value}`.padStart(2, '0')
}
