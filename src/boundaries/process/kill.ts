/**
 * `process.kill` in a replay. The program knows the pid that it had when it was recorded: that one means this process. Any other pid belongs to a
 * stranger today, and is refused.
 */
import { label } from '../../base/index.ts'
import { realPid } from '../../real/process.ts'
import { realProcess } from '../../real/program.ts'
import { activeSession, outside } from '../context.ts'
import { type Patch, patchFunction } from '../patches.ts'

const PROCESS = label('process')

export function killPatches(): Patch[] {
  return [
    patchFunction(realProcess, 'kill', (original) => {
      return function (this: unknown, pid: unknown, signal?: unknown): unknown {
        const session = activeSession('process')
        if (session === null || session.mode === 'record') return Reflect.apply(original, this, [pid, signal])
        // The getter gives the recorded pid while a replay runs.
        if (Number(pid) !== realProcess.pid) session.start(PROCESS, `kill ${String(pid)} ${String(signal)}`, () => undefined)
        return outside(() => Reflect.apply(original, this, [realPid, signal]))
      }
    }),
  ]
}
