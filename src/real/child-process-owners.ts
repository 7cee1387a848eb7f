/** Where the functions that start programs live, so that a boundary can intercept them. */
import childProcess from 'node:child_process'

export const childProcessOwners = {
  get childProcess(): typeof childProcess {
    return childProcess
  },
  get childPrototype(): object {
    return childProcess.ChildProcess.prototype
  },
} as const
