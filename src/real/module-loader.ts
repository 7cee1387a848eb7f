/** What Node's module loader reads files with, captured before anything is patched. */
import fs from 'node:fs'

const { readFileSync } = fs

export const loaderReads = { owner: fs.promises as object, readSync: (...args: unknown[]): unknown => Reflect.apply(readFileSync, fs, args) } as const

/** Up to Node 21 the loader reads modules by `fs.promises.readFile`, through the object that programs use too; later ones read at once. */
export const loaderReadsLater: boolean = Number(process.versions.node.split('.')[0]) < 22
