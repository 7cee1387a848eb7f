/**
 * Determines whether a file call is the program's. Node's module loader, source maps, loaders such as tsx,
 * and packages below `node_modules` belong to the program itself and are no input. Their reads go to the disk
 * in both modes.
 *
 * The loader calls the same functions as the program. The stack distinguishes them; it is read only for names
 * that a module can have, because reading it takes microseconds. A program that reads its own source with
 * `fs.readFile` reads a file.
 */
import { callersOf } from '../caller.ts'
import { type AnyFunction, disguise } from '../patches.ts'

const MODULE_NAME = /(?:\.(?:[cm]?[jt]sx?|json[c5]?|node|wasm|map)|\/[^./][^./]*)$/

/** For a stand-in that looks like a method: the one file of ours that may be between it and its caller. */
const OWN_FILE: unknown = ownFile()
const LOADER =
  /^node:internal\/(?:modules|source_map|process\/(?:pre_execution|execution|esm_loader)|main|bootstrap|policy)/
/** Packages that turn source into modules while the program runs. */
const LOADER_PACKAGE =
  /[/\\]node_modules[/\\](?:@esbuild-kit[/\\][^/\\]+|@swc-node[/\\][^/\\]+|@babel[/\\]register|@cspotcode[/\\][^/\\]+|tsx|esbuild|ts-node|jiti|pirates|sucrase|source-map-support|get-tsconfig|v8-compile-cache[^/\\]*|bytenode)[/\\]/

/** Whether a loader makes the call of `callee` for this path. */
export function isLoaderCall(callee: AnyFunction, path: string): boolean {
  return loaderOf(callee, path) !== null
}

/**
 * Which loader makes the call: Node's own, which never writes, or a package. A callback of the program that
 * Node's loader calls looks like a call of Node's loader.
 */
export function loaderOf(callee: AnyFunction, path: string): 'node' | 'package' | null {
  if (!MODULE_NAME.test(path)) return null
  const caller = callersOf(callee, 12).find((file) => !isNodesFileCode(file) && file !== OWN_FILE)
  if (caller === undefined) return null
  if (LOADER.test(caller)) return 'node'
  return LOADER_PACKAGE.test(caller) ? 'package' : null
}

/** Whether one of Node's functions for files makes the call, as `readFileSync` opens its file. */
export function isStepOfNode(callee: AnyFunction): boolean {
  return callersOf(callee, 3).find((file) => file !== OWN_FILE) === 'node:fs'
}

/** Where Yarn Plug'n'Play keeps packages, as zip files, and how it finds them. */
const PLUG_AND_PLAY =
  /\/\.yarn\/(?:berry\/)?(?:cache|unplugged|__virtual__)(?:\/|$)|\/\.pnp\.(?:cjs|data\.json|loader\.mjs)$/

/** Whether it is in a folder for installed packages. */
export function isInstalled(absolute: string): boolean {
  if (absolute.includes('/node_modules/') || absolute.endsWith('/node_modules')) return true
  return (absolute.includes('/.yarn/') || absolute.includes('/.pnp.')) && PLUG_AND_PLAY.test(absolute)
}

/** Names that are no file but the output of the process. Its standard input is captured like any file. */
const OUTPUTS = /^\/(?:dev\/(?:(stdout|fd\/1)|(stderr|fd\/2)|tty)|proc\/self\/fd\/(?:(1)|(2)))$/

export function isOutput(absolute: string): boolean {
  return mayBeAnEnd(absolute) && OUTPUTS.test(absolute)
}

/** The descriptor of a name: 1 for `/dev/stdout`, 2 for `/dev/stderr`, null for any other. */
export function outputNamed(absolute: string): 1 | 2 | null {
  const found = mayBeAnEnd(absolute) ? OUTPUTS.exec(absolute) : null
  if (found === null) return null
  return (found[1] ?? found[3]) !== undefined ? 1 : (found[2] ?? found[4]) !== undefined ? 2 : null
}

/** The names of the process's own input. */
const INPUT = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/

export function isInput(absolute: string): boolean {
  return mayBeAnEnd(absolute) && INPUT.test(absolute)
}

function mayBeAnEnd(absolute: string): boolean {
  return absolute.startsWith('/dev/') || absolute.startsWith('/proc/self/')
}

function isNodesFileCode(file: string): boolean {
  return file === 'node:fs' || file.startsWith('node:internal/fs') || file === ''
}

function ownFile(): unknown {
  const standIn: AnyFunction = (): unknown => callersOf(standIn, 1)[0]
  const { method } = { method: (): undefined => undefined }
  return disguise(standIn, method)()
}
