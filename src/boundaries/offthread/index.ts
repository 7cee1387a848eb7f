/** Work off the main thread: really done in both modes, each result at its recorded position. */
import { modulePatches } from '../files/handle-patches.ts'
import { allPatches, type Patch, type PatchSet } from '../patches.ts'
import { cryptoPatches } from './crypto.ts'
import { keyedPatches } from './keyed.ts'
import { messagePortPatches } from './message-ports.ts'
import { signaturePatches } from './signatures.ts'
import { subtlePatches } from './subtle.ts'
import { webAssemblyPatches } from './web-assembly.ts'
import { workerPatches } from './workers.ts'
import { zlibPatches } from './zlib.ts'

export const offthreadSet: PatchSet = {
  atOnce: () => [
    ...zlibPatches(),
    ...webAssemblyPatches(),
    ...messagePortPatches(),
    ...modulePatches(),
    ...workerPatches(),
  ],
  late: [
    {
      module: 'crypto',
      parts: ['internal/crypto/webcrypto'],
      make: () => [...cryptoPatches(), ...keyedPatches(), ...signaturePatches(), ...subtlePatches()],
    },
  ],
}

export function offthreadPatches(): Patch[] {
  return allPatches(offthreadSet)
}
