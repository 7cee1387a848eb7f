import { join } from 'node:path'
import { tempFolder } from '../support/temp-folder.ts'
import { stateContract } from './contract.ts'

stateContract({ name: 'filesystem', place: () => join(tempFolder(), 'state') })
