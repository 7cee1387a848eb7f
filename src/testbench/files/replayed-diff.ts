/** The diff of a replay: what the program changes in it, against the files as the tape knows them. */
import { resolve } from 'node:path'
import { filesOf } from '../../boundaries/files/files-of-session.ts'
import { createLayer } from '../../boundaries/files/layer/layer.ts'
import { createLayerFs } from '../../boundaries/files/layer/layer-fs.ts'
import { nodeShapes } from '../../boundaries/files/node-shapes.ts'
import { useReplayedChanges } from '../../boundaries/files/replayed-changes.ts'
import type { Session } from '../../boundaries/session.ts'
import { wallNs } from '../../real/clock.ts'
import { realUmask } from '../../real/credentials.ts'
import { unifiedDiff } from './diff/unified-diff.ts'
import { treeLower } from './tree-lower.ts'
import { treeOfLayer } from './tree-of-layer.ts'
import { treesOfTape } from './trees-of-tape.ts'

/** The folder of the layer for the first root. */
const REPLAYED_ROOT = '/replayed'

export type ReplayedDiff = {
  /** The patch, and the calls that could not be made again. */
  end(): { readonly patch: string; readonly failed: readonly string[] }
}

/** For the requesting process: it writes the patch to the user's file, and the rest to its report. */
export function diffDocument(diff: ReplayedDiff): string {
  return JSON.stringify(diff.end())
}

/** After `useFiles`, before the session is used. */
export function createReplayedDiff(session: Session, tape: string): ReplayedDiff {
  const { before, unknown } = treesOfTape(tape)
  const layer = createLayer({
    roots: ['/'],
    lower: treeLower(REPLAYED_ROOT, before),
    nowNs: wallNs,
    umask: realUmask,
    who: { uid: 0, groups: [0] },
  })
  const fs = createLayerFs(layer, { cwd: () => REPLAYED_ROOT, shapes: nodeShapes })
  const files = filesOf(session)
  const failed: string[] = []
  useReplayedChanges(session, {
    layer,
    fs,
    place(path) {
      const name = files.paths.portable(resolve(files.cwd(), path))
      if (name === '.') return REPLAYED_ROOT
      return name.startsWith('/') || name.startsWith('$') ? null : `${REPLAYED_ROOT}/${name}`
    },
    failed: (call) => failed.push(call),
  })
  return {
    end() {
      const after = new Map([...treeOfLayer(layer, REPLAYED_ROOT)].filter(([path]) => !unknown.has(path)))
      const known = new Map([...before].filter(([path]) => !unknown.has(path)))
      layer[Symbol.dispose]()
      return { patch: unifiedDiff(known, after), failed }
    },
  }
}
