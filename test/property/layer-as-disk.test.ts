/**
 * The layer over a copy of a folder behaves as the folder itself: same results, same errors, same tree; and
 * the copy stays as it was.
 */
import nodeFs, { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../support/campaign.ts'
import { anyStep, createRunner, treeFacts } from '../support/fs-scripts.ts'
import { layerOver } from '../support/layer-over.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Deep enough that `..` stays in the root. */
const DEEP = 'w/w/w/w/w'

function world(at: string): void {
  mkdirSync(join(at, 'a/b/c'), { recursive: true })
  mkdirSync(join(at, 'd e'))
  writeFileSync(join(at, 'a/a'), 'one\ntwo\nthree\n')
  writeFileSync(join(at, 'a/b/a'), Buffer.from([0, 1, 2, 255]))
  writeFileSync(join(at, 'a/b/c/é'), 'no newline')
  writeFileSync(join(at, 'b'), 'text of b\n', { mode: 0o755 })
  nodeFs.linkSync(join(at, 'b'), join(at, 'd e/b'))
  symlinkSync('a/b', join(at, 'c'))
  symlinkSync('../b', join(at, 'd e/c'))
}

test('a random script gives the same in the layer and on the disk', () => {
  const base = tempFolder()
  let count = 0
  fc.assert(
    fc.property(
      fc.array(anyStep, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(1024 * 1024, 64),
      (steps, memoryBytes) => {
        count += 1
        const [disk, below] = [join(base, `${count}/disk`), join(base, `${count}/below`)]
        for (const each of [disk, below]) {
          mkdirSync(join(each, DEEP), { recursive: true })
          world(join(each, DEEP))
        }
        const before = treeFacts(nodeFs, below)
        const { layer, fs } = layerOver(below, { memoryBytes })
        using _layer = layer
        const real = createRunner(nodeFs, join(disk, DEEP), disk)
        const layered = createRunner(fs, join(below, DEEP), below)
        for (const step of steps) expect(layered.run(step), JSON.stringify(step)).toEqual(real.run(step))
        expect(treeFacts(fs, join(below, DEEP))).toEqual(treeFacts(nodeFs, join(disk, DEEP)))
        expect(treeFacts(nodeFs, below)).toEqual(before)
        real.closeAll()
        layered.closeAll()
        nodeFs.rmSync(join(base, `${count}`), { recursive: true, force: true })
      },
    ),
    { numRuns: scaled(2000, 60) },
  )
}, 600_000)
