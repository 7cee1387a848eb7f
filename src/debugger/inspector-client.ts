/**
 * A client of Node's inspector: sends commands of the Chrome DevTools Protocol and receives its events, over
 * one WebSocket on loopback.
 */
import { WebSocket } from 'ws'
import { isObject, type JsonObject, type UnknownObject } from '../base/index.ts'

export type InspectorClient = {
  /** Rejects with the protocol's message. */
  send(method: string, params?: JsonObject): Promise<UnknownObject>
  onEvent(listener: (method: string, params: UnknownObject) => void): void
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  close(): void
}

type Pending = { readonly resolve: (result: UnknownObject) => void; readonly reject: (error: Error) => void }

export async function connectInspector(url: string): Promise<InspectorClient> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const pending = new Map<number, Pending>()
  const listeners: ((method: string, params: UnknownObject) => void)[] = []
  let lastId = 0

  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      for (const { reject } of pending.values()) reject(new Error('the program has ended'))
      pending.clear()
      resolve()
    })
  })
  socket.on('message', (data) => {
    const message: unknown = JSON.parse(String(data))
    if (!isObject(message)) return
    const { id, method, params, result, error } = message
    if (typeof id === 'number') {
      const waiting = pending.get(id)
      pending.delete(id)
      if (isObject(error)) waiting?.reject(new Error(String(error.message)))
      else waiting?.resolve(isObject(result) ? result : {})
    } else if (typeof method === 'string')
      for (const listener of listeners) listener(method, isObject(params) ? params : {})
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  // After the connection is open an error is followed by `close`, which rejects what is pending.
  socket.on('error', () => socket.terminate())
  return {
    closed,
    send(method, params = {}) {
      lastId += 1
      const id = lastId
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the program has ended'))
      socket.send(JSON.stringify({ id, method, params }))
      return new Promise((resolve, reject) => pending.set(id, { resolve, reject }))
    },
    onEvent: (listener) => void listeners.push(listener),
    close: () => socket.close(),
  }
}
