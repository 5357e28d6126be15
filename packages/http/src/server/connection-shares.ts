/**
 * Shares out the connections among client addresses. While there is room, every address gets all connections that it
 * opens. When there is no room, a new connection replaces another one: of the address that has the most, the connection
 * that has been idle for longest. So idle connections lock no client out. An IPv6 network of 64 bits counts as one
 * address, since providers assign whole networks. Trusted proxies stand for many clients and give up no connection.
 */

import type { Socket } from 'node:net'
import { shareOf } from '../addresses/share-of.ts'

export interface ConnectionSharesOptions {
  /** The most connections at once. */
  readonly max: number
  /** Addresses that have no share and give up no connection. */
  readonly isExempt?: (address: string) => boolean
}

interface Held {
  /** From oldest to newest. */
  readonly all: Set<Socket>
  /** Connections without a request in progress, longest idle first. */
  readonly idle: Set<Socket>
}

interface Holder {
  readonly connection: Socket
  readonly held: Held
  readonly name: string
  readonly port: string
}

export class ConnectionShares {
  readonly #max: number
  readonly #isExempt: (address: string) => boolean
  readonly #byAddress = new Map<string, Held>()
  readonly #holders = new WeakMap<Socket, Holder>()
  /** By address and port, to find the TCP connection of a TLS socket. */
  readonly #byPort = new Map<string, Holder>()
  #count = 0

  constructor({ max, isExempt = () => false }: ConnectionSharesOptions) {
    this.#max = max
    this.#isExempt = isExempt
  }

  /** How many connections are open. */
  get count(): number {
    return this.#count
  }

  /** Admits a connection, or closes it. Returns whether it was admitted. */
  admit(connection: Socket): boolean {
    const address = connection.remoteAddress ?? ''
    if (this.#count >= this.#max && !this.#makeRoomFor(address)) {
      connection.destroy()
      return false
    }
    this.#count++
    const name = this.#nameOf(address)
    const held = this.#byAddress.get(name) ?? { all: new Set(), idle: new Set() }
    this.#byAddress.set(name, held)
    const holder = { connection, held, name, port: portOf(connection) }
    this.#holders.set(connection, holder)
    this.#byPort.set(holder.port, holder)
    held.all.add(connection)
    held.idle.add(connection)
    connection.once('close', () => this.#forget(holder))
    return true
  }

  /** Registers the TLS socket of a connection that was admitted. */
  secured(secure: Socket): void {
    const holder = this.#byPort.get(portOf(secure))
    if (holder !== undefined) this.#holders.set(secure, holder)
  }

  /** A request of this connection begins. */
  busy(connection: Socket): void {
    const holder = this.#holders.get(connection)
    holder?.held.idle.delete(holder.connection)
  }

  /** The request of this connection has ended. */
  idle(connection: Socket): void {
    const holder = this.#holders.get(connection)
    if (holder?.held.all.has(holder.connection) === true) holder.held.idle.add(holder.connection)
  }

  #forget({ connection, held, name, port }: Holder): void {
    if (!held.all.delete(connection)) return
    this.#count--
    held.idle.delete(connection)
    if (this.#byPort.get(port)?.connection === connection) this.#byPort.delete(port)
    if (held.all.size === 0 && this.#byAddress.get(name) === held) this.#byAddress.delete(name)
  }

  #makeRoomFor(address: string): boolean {
    const own = this.#byAddress.get(this.#nameOf(address))
    const victim = this.#victim((own?.all.size ?? 0) + 1, own)
    const holder = victim && this.#holders.get(victim)
    if (holder === undefined) return false
    this.#forget(holder)
    holder.connection.destroy()
    return true
  }

  /**
   * Chooses the connection to close. Considers addresses that have at least as many connections as the newcomer's
   * address would have. Only an address with more than half of all connections gives up busy ones.
   */
  #victim(requested: number, own: Held | undefined): Socket | undefined {
    const most = this.#largest(() => true)
    if (own !== undefined && own === most && own.idle.size > 0) return first(own.idle)
    const idle = this.#largest(({ idle: { size } }) => size > 0)
    if (idle !== undefined && (idle === own || idle.all.size >= requested)) return first(idle.idle)
    return most !== undefined && most !== own && most.all.size > this.#max / 2 ? first(most.all) : undefined
  }

  #largest(isMeant: (held: Held) => boolean): Held | undefined {
    let largest: Held | undefined
    for (const [name, held] of this.#byAddress) {
      if (name !== exempt && isMeant(held) && held.all.size > (largest?.all.size ?? 0)) largest = held
    }
    return largest
  }

  #nameOf(address: string): string {
    return this.#isExempt(address) ? exempt : shareOf(address)
  }
}

const exempt = 'exempt'
const first = (connections: ReadonlySet<Socket>): Socket | undefined => connections.values().next().value

const portOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
