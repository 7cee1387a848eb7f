/**
 * Time zone and locale of this process, as `Intl` reports them. Asking `Intl` for the first time takes
 * half as long as Node's whole start, so the usual settings are read where it reads them itself; it is asked
 * only about the others.
 */
import { readlinkSync } from 'node:fs'

const ZONE = /^[A-Za-z]+(?:\/[\w+-]+){0,2}$/
const LANGUAGE = /^[a-z]{2,3}(?:_[A-Z]{2})?(?:\.[\w-]+)?$/
const { TZ, LC_ALL, LC_MESSAGES, LANG } = process.env
const { DateTimeFormat } = Intl

export function realTimeZone(): string {
  const zone = TZ ?? linkedZone()
  if (zone === undefined || !ZONE.test(zone)) return DateTimeFormat().resolvedOptions().timeZone
  return zone === 'Etc/UTC' ? 'UTC' : zone
}

export function realLocale(): string {
  const language = LC_ALL ?? LC_MESSAGES ?? LANG ?? 'C'
  if (/^(?:C|POSIX)(?:\.|$)/.test(language)) return 'en-US'
  return LANGUAGE.test(language)
    ? language.replace(/\..*/, '').replace('_', '-')
    : DateTimeFormat().resolvedOptions().locale
}

/** `/etc/localtime` is a link to `…/zoneinfo/Europe/Berlin`. */
function linkedZone(): string | undefined {
  try {
    return /\/zoneinfo\/(.+)$/.exec(readlinkSync('/etc/localtime'))?.[1]
  } catch {
    // No such file, or no link: `Intl` looks further.
    return undefined
  }
}
