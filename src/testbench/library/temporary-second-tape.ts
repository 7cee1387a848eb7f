/** Where the second recording of a replay in the middle of a process goes: a folder of its own, removed when the run was judged. */
import { fs } from '../../real/fs.ts'
import { realTmpdir } from '../../real/process.ts'
import type { Scrubber } from '../../scrub/index.ts'
import type { TapeWriter } from '../../tape/index.ts'
import { openSecondTape } from '../compose/second-tape.ts'
import type { TapeIndex } from '../tape-index/tape-index.ts'

export type SecondTape = Disposable & { readonly writer: TapeWriter }

export function temporarySecondTape(index: TapeIndex, scrubber: Scrubber): SecondTape {
  const folder = fs.mkdtempSync(`${realTmpdir()}/reprise-replay-`)
  const writer = openSecondTape(`${folder}/run.tape`, index, scrubber)
  return {
    writer,
    [Symbol.dispose]() {
      writer[Symbol.dispose]()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
