/** Servers of the program: what a session patches for them. */
import { captureListen, serverOwners } from '../../real/servers.ts'
import { socketOwners } from '../../real/sockets.ts'
import { type PatchSet, patchFunction } from '../patches.ts'
import { withRecordedDate } from './answer-date.ts'
import { listening } from './listen.ts'
import { withoutPlaceholders } from './secure-context.ts'

export const serverSet: PatchSet = {
  atOnce: () => [],
  late: [
    {
      module: 'net',
      make() {
        captureListen()
        return [patchFunction(socketOwners.serverPrototype, 'listen', listening)]
      },
    },
    {
      module: 'tls',
      make() {
        const { tlsServerPrototype } = serverOwners
        if (tlsServerPrototype === null) return []
        return [
          patchFunction(tlsServerPrototype, 'setSecureContext', withoutPlaceholders(0)),
          patchFunction(tlsServerPrototype, 'addContext', withoutPlaceholders(1)),
        ]
      },
    },
    {
      module: 'http',
      parts: ['_http_outgoing'],
      make: () => [patchFunction(serverOwners.outgoingMessagePrototype, '_storeHeader', withRecordedDate)],
    },
  ],
}
