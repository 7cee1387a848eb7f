import { work } from './work.mjs'

await work()
