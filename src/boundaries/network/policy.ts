/**
 * Which hosts a recording may reach: all, or none but those that were allowed. An entry is a host
 * (`api.example.com`), a domain with everything below it (`*.example.com`), an address, or a range of
 * addresses (`10.0.0.0/8`, `fd00::/8`). Names are compared as requested, not resolved.
 */
import { isIP, newBlockList } from '../../real/addresses.ts'

export type NetworkPolicy = {
  readonly mode: 'real' | 'deny'
  allows(url: string): boolean
}

export function denyNetwork(allowHosts: readonly string[]): NetworkPolicy {
  const names = new Set<string>()
  const suffixes: string[] = []
  const ranges = newBlockList()
  for (const entry of allowHosts) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address.replace(/^\[|\]$/g, ''))
    if (family !== 0 && bits !== undefined)
      ranges.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
    else if (entry.startsWith('*.')) suffixes.push(entry.slice(1).toLowerCase())
    else names.add(entry.toLowerCase())
  }
  return {
    mode: 'deny',
    allows(url) {
      const { hostname, host } = new URL(url)
      const name = hostname.replace(/^\[|\]$/g, '').toLowerCase()
      if (
        names.has(name) ||
        names.has(host.toLowerCase()) ||
        suffixes.some((suffix) => name.endsWith(suffix))
      )
        return true
      const family = isIP(name)
      return family !== 0 && ranges.check(name, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** Null if the entry is valid; else what is wrong with it. */
export function wrongHost(entry: string): string | null {
  const [address = '', bits, ...more] = entry.split('/')
  const family = isIP(address.replace(/^\[|\]$/g, ''))
  if (bits !== undefined) {
    const most = family === 4 ? 32 : 128
    return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
      ? null
      : 'a range is an address and a number of bits: 10.0.0.0/8'
  }
  return /^(?:\*\.)?[^\s*/]+$/.test(entry)
    ? null
    : 'it is neither a host, nor *.host, nor a range of addresses'
}
