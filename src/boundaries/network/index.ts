/** The network boundary: every patch that a session needs, in one list. */
import { http2Patches } from '../http2/sessions.ts'
import { allPatches, type Patch, type PatchSet } from '../patches.ts'
import { agentPatches, connectPatches, tlsPatches } from './connect.ts'
import { datagramPatches } from './datagrams.ts'
import { fetchPatches } from './fetch.ts'
import { poolPatches } from './pools.ts'
import { publishPatches } from './request-channels.ts'
import { resolverPatches } from './resolver.ts'

export const networkSet: PatchSet = {
  atOnce: fetchPatches,
  late: [
    { module: 'diagnostics_channel', make: publishPatches },
    { module: 'net', make: connectPatches },
    { module: 'http', parts: ['_http_agent'], make: () => [...agentPatches(), ...poolPatches()] },
    { module: 'tls', make: tlsPatches },
    { module: 'http2', make: http2Patches },
    { module: 'dns', parts: ['internal/dns/promises'], make: resolverPatches },
    { module: 'dgram', make: datagramPatches },
  ],
}

export function networkPatches(): Patch[] {
  return allPatches(networkSet)
}
