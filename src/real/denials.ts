/** What Node's permission model denies, as Node publishes it. */
import diagnostics from 'node:diagnostics_channel'

export type Denial = { readonly permission: string; readonly resource: string }

const PARTS = ['fs', 'child', 'worker', 'inspector', 'wasi', 'addon', 'net', 'ffi', 'openssl-store'] as const

/** `denied` is called while the denied call runs. It must not throw. */
export function subscribeToDenials(denied: (part: string, denial: Denial) => void): Disposable {
  const listeners = PARTS.map((part) => {
    const name = `node:permission-model:${part}`
    const listener = (message: unknown): void => denied(part, denialOf(message))
    diagnostics.subscribe(name, listener)
    return { name, listener }
  })
  return {
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) diagnostics.unsubscribe(name, listener)
    },
  }
}

function denialOf(message: unknown): Denial {
  const facts = typeof message === 'object' && message !== null ? message : {}
  return {
    permission: String(Reflect.get(facts, 'permission') ?? ''),
    resource: String(Reflect.get(facts, 'resource') ?? ''),
  }
}
