import { stateContract } from './contract.ts'

let count = 0
stateContract({ name: 'memory', place: () => `memory:contract-${count++}` })
