/** Connections inside this process, which HTTP uses like sockets, and agents for clients that use them. */
import { Agent } from 'node:http'
import { Duplex } from 'node:stream'

/** One end of a connection. What is written to it can be read at the other end, with back-pressure. */
class ConnectionEnd extends Duplex {
  // Policies see the requester on the address of this machine.
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 0
  #other: ConnectionEnd | undefined
  #written: ((error?: Error) => void) | undefined
  #hasInputEnded = false
  /** How long no byte may move before `timeout` is emitted, in milliseconds; 0 for ever. */
  timeout = 0
  #idle: NodeJS.Timeout | undefined

  static pair(): readonly [client: Duplex, server: Duplex] {
    const [client, server] = [new ConnectionEnd(), new ConnectionEnd()]
    client.#other = server
    server.#other = client
    return [client, server]
  }

  override _read(): void {
    if (this.#other !== undefined) this.#other.#takeWritten()
  }

  override _write(chunk: Buffer, _encoding: string, written: (error?: Error) => void): void {
    const other = this.#other
    if (other === undefined || other.destroyed) return written(lost())
    this.#written = written
    for (const end of [this, other]) end.#idle?.refresh()
    // The writer may use its buffer again.
    if (other.push(Buffer.from(chunk))) this.#takeWritten()
  }

  override _final(done: () => void): void {
    if (this.#other !== undefined) this.#other.#endInput()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other
    this.#other = undefined
    clearTimeout(this.#idle)
    this.#takeWritten(lost())
    if (other !== undefined) {
      // The other end can still read what was sent to it, but not send.
      other.#takeWritten(lost())
      other.#endInput()
    }
    done(error)
  }

  #endInput(): void {
    if (this.#hasInputEnded || this.destroyed) return
    this.#hasInputEnded = true
    this.push(null)
  }

  #takeWritten(error?: Error): void {
    const written = this.#written
    this.#written = undefined
    written?.(error)
  }

  // What HTTP calls on sockets.
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }
  setTimeout(ms: number, onTimeout?: () => void): this {
    this.timeout = ms
    clearTimeout(this.#idle)
    this.#idle = ms > 0 ? setTimeout(() => this.emit('timeout'), ms).unref() : undefined
    if (onTimeout !== undefined) this.once('timeout', onTimeout)
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

/** The two ends of a new connection. */
export const connectionPair = (): readonly [client: Duplex, server: Duplex] => ConnectionEnd.pair()

const lost = (): Error => connectionError('ECONNRESET', 'write ECONNRESET: the other end is gone')

/** An error as Node's sockets have it. */
export const connectionError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** An agent for `node:http` whose connections `connect` makes, whatever host is requested. */
export class MemoryAgent extends Agent {
  readonly #connect: () => Duplex

  constructor(connect: () => Duplex) {
    super({ keepAlive: true })
    this.#connect = connect
  }

  override createConnection(): Duplex {
    return this.#connect()
  }
}
