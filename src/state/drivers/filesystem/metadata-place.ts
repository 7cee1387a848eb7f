/**
 * Where a key's metadata file is. Upstream's place is `.agent_state_meta/<key>.json`, and there the file of
 * `x` and the folder of `x.json/y` have one name. Whichever of the two comes second is kept in our own folder
 * instead, so both have an owner.
 */
import { systemCode } from '../../../errors/index.ts'
import { type Folder, isIn, readFileIn, removeFileIn } from '../../../real/folders.ts'
import { fs } from '../../../real/index.ts'
import { type Chain, keyId, openChain, type ReadFolders, type SessionFolders, splitKey } from './places.ts'

const OUR_PLACE = 'metadata'

export type MetadataPlace = Disposable & {
  readonly folder: Folder
  readonly name: string
  /** The folders into which a new one was put on the way. */
  readonly made: readonly Folder[]
  /** Upstream's place, where empty folders are taken away again. */
  readonly chain: Chain | null
}

export type FoundMetadata = MetadataPlace & { readonly bytes: Uint8Array }

export function findMetadata(folders: ReadFolders, key: string): FoundMetadata | null {
  if (folders.meta === null) return null
  const { parents, name } = splitKey(key)
  const usual = blockedToNull(() => openChain(folders.meta as Folder, parents, false))
  return (
    readAt(usual, `${name}.json`, usual) ??
    (folders.ours === null
      ? null
      : readAt(openChain(folders.ours, [OUR_PLACE], false), `${keyId(key)}.json`, null))
  )
}

export function metadataPlace(folders: SessionFolders, key: string): MetadataPlace {
  const { parents, name } = splitKey(key)
  const usual = blockedToNull(() => openChain(folders.meta, parents, true))
  if (usual !== null) {
    const there = fs.lstatSync(usual.parent.at(`${name}.json`), { throwIfNoEntry: false })
    if (there === undefined || !there.isDirectory()) return placeIn(usual, `${name}.json`, usual)
    usual[Symbol.dispose]()
  }
  const own = openChain(folders.ours, [OUR_PLACE], true)
  if (own === null) throw new Error('unreachable: the folder was just made')
  return placeIn(own, `${keyId(key)}.json`, null)
}

/** Takes away the file of our own place once the usual one has it. */
export function dropOwnPlace(folders: SessionFolders, key: string): void {
  if (!isIn(folders.ours, OUR_PLACE)) return
  using own = openChain(folders.ours, [OUR_PLACE], false)
  if (own !== null) removeFileIn(own.parent, `${keyId(key)}.json`)
}

function readAt(chain: Chain | null, name: string, usual: Chain | null): FoundMetadata | null {
  if (chain === null) return null
  let bytes: Uint8Array | null
  try {
    bytes = blockedToNull(() => readFileIn(chain.parent, name))
  } catch (error) {
    chain[Symbol.dispose]()
    throw error
  }
  if (bytes !== null) return { ...placeIn(chain, name, usual), bytes }
  chain[Symbol.dispose]()
  return null
}

function placeIn(chain: Chain, name: string, usual: Chain | null): MetadataPlace {
  return {
    folder: chain.parent,
    name,
    made: chain.made,
    chain: usual,
    [Symbol.dispose]: () => chain[Symbol.dispose](),
  }
}

function blockedToNull<T>(work: () => T | null): T | null {
  try {
    return work()
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR' || systemCode(error) === 'EISDIR' || systemCode(error) === 'EEXIST')
      return null
    throw error
  }
}
