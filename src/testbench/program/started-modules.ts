/** The modules of the program that this process was started with. */
import { resolve } from 'node:path'
import { realCwd } from '../../real/process.ts'
import { startedAs } from '../../real/program.ts'
import { readModule } from '../../real/read-module.ts'
import { programOf } from './program-facts.ts'
import { type ProgramModules, programModules } from './program-modules.ts'

export type { ProgramModules } from './program-modules.ts'

export function startedModules(): ProgramModules {
  const { script } = programOf(startedAs, realCwd())
  return script === ''
    ? { digests: {}, namesFacts: false }
    : programModules(resolve(realCwd(), script), realCwd(), readModule)
}
