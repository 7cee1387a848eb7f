/**
 * Makes an instance of a WebAssembly module whose bytes are part of the package, synchronously. The
 * constructors are captured when this module is loaded: a program that replaces `WebAssembly` later does not
 * change what we compute.
 */

/**
 * The part of the API that is used; TypeScript declares WebAssembly only together with the browser's types.
 */
type WebAssemblyApi = {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

const api = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly
const Module = api?.Module
const Instance = api?.Instance

const modules = new Map<string, object>()

export type WasmMemory = { readonly buffer: ArrayBuffer }

/**
 * The exports of a new instance; null if this Node has no WebAssembly or does not support an instruction of
 * the module. `Exports` is what the text of the module declares.
 */
export function instantiate<Exports extends object>(base64: string): Exports | null {
  if (Module === undefined || Instance === undefined) return null
  try {
    const module = modules.get(base64) ?? new Module(Buffer.from(base64, 'base64'))
    modules.set(base64, module)
    return new Instance(module).exports as Exports
  } catch (error) {
    if (error instanceof Error && error.name === 'CompileError') return null
    throw error
  }
}
