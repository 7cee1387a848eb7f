import { work } from './agent.mjs'

await work()
