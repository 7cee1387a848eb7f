/**
 * The client's replacement for a socket, in both modes: a Duplex with the surface of `net.Socket` (and of a
 * TLS socket, if it replaces one). It knows no network and no tape. Its creator decides what happens to
 * written bytes, and pushes the bytes to read.
 *
 * Its prototype chain is that of `net.Socket`, so `instanceof` holds and `destroySoon` is Node's; there is no
 * handle below it.
 */
import { Duplex } from 'node:stream'
import { lateBase } from '../../real/late-base.ts'
import { realNextTick, socketOwners } from '../../real/sockets.ts'
import { isCalledFrom } from '../caller.ts'
import type { ConnectionFacts, SocketEnds } from './client-socket.ts'
import { type BufferReader, type OwnBuffer, readIntoBuffer } from './own-buffer.ts'

export type StandInOptions = {
  readonly allowHalfOpen?: boolean
  readonly tls: { readonly servername?: string } | null
  readonly ownBuffer?: OwnBuffer | null
}

/** Where Node has its TLS sockets: in 26, and before. */
const TLS = ['node:internal/tls/', 'node:_tls_wrap']

export class StandInSocket extends lateBase(() => Duplex) {
  connecting = true
  timeout: number | undefined = undefined
  bytesRead = 0
  bytesWritten = 0
  autoSelectFamilyAttemptedAddresses: string[] | undefined = undefined
  /** As a socket has it: Node's TLS goes from parent to parent until there is none. */
  readonly _parent: null = null
  #ends: SocketEnds
  #facts: ConnectionFacts = {}
  readonly #tls: boolean
  #isReset = false
  /** The callback of a write that a slow peer has not read yet. */
  #unfinished: (() => void) | null = null
  /** Native code that reads instead of the stream. Returns false if it wants no more for now. */
  #reader: ((bytes: Uint8Array) => boolean) | null = null
  /** The program reads into a buffer of its own. */
  readonly #buffer: BufferReader | null

  constructor(options: StandInOptions, ends: SocketEnds) {
    super({
      allowHalfOpen: options.allowHalfOpen ?? false,
      autoDestroy: true,
      emitClose: false,
      decodeStrings: true,
    })
    this.#ends = ends
    this.#tls = options.tls !== null
    if (options.tls !== null) this.#becomeTls(options.tls.servername)
    const { ownBuffer = null } = options
    this.#buffer = ownBuffer === null ? null : readIntoBuffer(this, ownBuffer, () => this.wantsMore())
  }

  /** The connection is open: emits every event that a real socket has emitted by then, in order. */
  connected(facts: ConnectionFacts): void {
    if (this.destroyed || !this.connecting) return
    this.#facts = facts
    const { lookup, tls } = facts
    if (lookup !== undefined) this.emit('lookup', null, lookup.address, lookup.family, lookup.host)
    this.connecting = false
    if (tls !== undefined)
      Object.assign(this, {
        authorized: tls.authorized,
        authorizationError: tls.authorizationError,
        alpnProtocol: tls.alpnProtocol,
      })
    this.emit('connect')
    this.emit('ready')
    if (this.#tls) {
      this.emit('secure')
      this.emit('secureConnect')
    }
  }

  /**
   * Node's TLS over this socket (`new tls.TLSSocket(socket)`) takes a socket without a handle for one that is not
   * connected yet, and holds back all data until `connect`.
   */
  override once(...args: Parameters<Duplex['once']>): this {
    const [event, listener] = args
    if (event !== 'connect' || this.connecting || !this.#isCalledByTls()) return super.once(...args)
    this.#ends.ownTls?.()
    realNextTick(listener)
    return this
  }

  #isCalledByTls(): boolean {
    return TLS.some((place) => isCalledFrom(this.once, place))
  }

  /** Passes bytes to the client. False requests a pause. */
  receiveBytes(bytes: Uint8Array): boolean {
    if (this.destroyed || this.readableEnded || bytes.byteLength === 0) return true
    this.bytesRead += bytes.byteLength
    if (this.#reader !== null) return this.#reader(bytes)
    if (this.#buffer !== null) return this.#buffer.push(bytes)
    return this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  /** The other side will send no more. */
  receiveEnd(): void {
    if (this.#buffer === null) this.#end()
    else this.#buffer.whenRead(() => this.#end())
  }

  #end(): void {
    if (this.destroyed) return
    this.push(null)
    // As Node does: if there is nothing to read, the end arrives even if nothing reads.
    this.read(0)
  }

  readWith(reader: (bytes: Uint8Array) => boolean): void {
    this.#reader = reader
  }

  wantsMore(): void {
    this.#ends.wantsMore()
  }

  drained(): void {
    const finish = this.#unfinished
    this.#unfinished = null
    finish?.()
  }

  timedOut(): void {
    this.emit('timeout')
  }

  get remoteAddress(): string | undefined {
    return this.#facts.remoteAddress
  }
  get remoteFamily(): string | undefined {
    return this.#facts.remoteFamily
  }
  get remotePort(): number | undefined {
    return this.#facts.remotePort
  }
  get localAddress(): string | undefined {
    return this.#facts.localAddress
  }
  get localFamily(): string | undefined {
    return this.#facts.localFamily
  }
  get localPort(): number | undefined {
    return this.#facts.localPort
  }
  get pending(): boolean {
    return this.connecting
  }
  get readyState(): string {
    if (this.connecting) return 'opening'
    if (this.readable && this.writable) return 'open'
    return this.readable ? 'readOnly' : this.writable ? 'writeOnly' : 'closed'
  }
  address(): object {
    const { localAddress, localFamily, localPort } = this.#facts
    return localAddress === undefined ? {} : { address: localAddress, family: localFamily, port: localPort }
  }

  setTimeout(ms: number, listener?: () => void): this {
    if (this.destroyed) return this
    this.timeout = ms
    if (ms === 0) {
      if (listener !== undefined) this.removeListener('timeout', listener)
    } else if (listener !== undefined) this.once('timeout', listener)
    this.#ends.setIdleLimit(ms)
    return this
  }
  setNoDelay(...args: unknown[]): this {
    this.#ends.option('setNoDelay', args)
    return this
  }
  setKeepAlive(...args: unknown[]): this {
    this.#ends.option('setKeepAlive', args)
    return this
  }
  ref(): this {
    this.#ends.setRef(true)
    return this
  }
  unref(): this {
    this.#ends.setRef(false)
    return this
  }
  resetAndDestroy(): this {
    this.#isReset = true
    return this.destroy()
  }

  override _read(): void {
    if (this.#reader === null) this.wantsMore()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(Buffer.from(chunk), done)
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    const finish = (): void => {
      this.#ends.end()
      done()
    }
    if (this.connecting) this.once('connect', finish)
    else finish()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.connecting = false
    this.#ends.destroyed(this.#isReset)
    done(error)
    realNextTick(() => this.emit('close', error !== null))
  }

  /**
   * As with a real socket, a write completes when the connection is open. Its creator gets the bytes
   * before that.
   */
  #send(bytes: Buffer, done: (error?: Error | null) => void): void {
    this.bytesWritten += bytes.byteLength
    let isDone: boolean
    try {
      isDone = this.#ends.write(bytes)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    this.#ends.activity()
    if (!isDone) this.#unfinished = done
    else if (this.connecting) this.once('connect', () => done())
    else done()
  }

  #becomeTls(servername: string | undefined): void {
    Object.assign(this, {
      encrypted: true,
      authorized: false,
      authorizationError: null,
      alpnProtocol: null,
      servername,
      getPeerCertificate: () => ({}),
      getCertificate: () => ({}),
      getPeerX509Certificate: () => undefined,
      getProtocol: () => this.#facts.tls?.protocol ?? null,
      getCipher: () => this.#facts.tls?.cipher ?? undefined,
      getSession: () => undefined,
      getTLSTicket: () => undefined,
      getEphemeralKeyInfo: () => ({}),
      isSessionReused: () => false,
      setServername: () => undefined,
      setSession: () => undefined,
    })
  }
}

/** Its objects pass `instanceof` checks for sockets. Called when there are sockets. */
export function makeSocketsOfStandIns(): void {
  Object.setPrototypeOf(StandInSocket.prototype, socketOwners.socketPrototype)
}
