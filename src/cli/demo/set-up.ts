/** The folder of the demo, and its model as a process of its own. */
import { join } from 'node:path'
import { fromSystemError, RepriseError } from '../../errors/index.ts'
import { realSpawn } from '../../real/child-process.ts'
import { fs } from '../../real/fs.ts'
import { startedAs } from '../../real/program.ts'
import { DEMO_FOLDER, makeTapesFolder } from '../tape-names.ts'
import { AGENT, MODEL, NOTES } from './sources.ts'

/** Gives its path. What an earlier demo left there is replaced. */
export function makeDemoFolder(): string {
  const folder = DEMO_FOLDER
  makeTapesFolder()
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const [name, text] of [
      ['agent.mjs', AGENT],
      ['model.mjs', MODEL],
      ['notes.md', NOTES],
    ] as const)
      fs.writeFileSync(join(folder, name), text, { mode: 0o600 })
  } catch (error) {
    throw fromSystemError(error, 'write', folder)
  }
  return folder
}

export type Model = { readonly url: string; stop(): Promise<void> }

/** Ends with this process: its stdin is a pipe of ours. */
export function startModel(folder: string): Promise<Model> {
  const child = realSpawn(startedAs.execPath, [join(folder, 'model.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  const stop = (): Promise<void> => {
    child.stdin.end()
    return ended
  }
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(fromSystemError(error, 'start', startedAs.execPath)))
    child.once('close', () => reject(new RepriseError('internal', 'the model of the demo did not start')))
    child.stdout.once('data', (bytes: Uint8Array) =>
      resolve({ url: Buffer.from(bytes).toString('utf8').trim(), stop }),
    )
  })
}
