/**
 * Shares out the connections. While there is room, every address gets all it opens. When there is none, a new connection
 * takes the place of another: of the address that has the most, and there of the one that has been idle for longest. So
 * idle connections lock no client out. An IPv6 network of 64 bits is one address, since
 * it is handed out as one; proxies that are trusted stand for many, and give up nothing.
 */

import type { Socket } from 'node:net'
import { shareOf } from '../addresses/share-of.ts'

export interface ConnectionSharesOptions {
  /** Connections there can be. */
  readonly max: number
  /** Addresses that are not held to a share. */
  readonly isExempt?: (address: string) => boolean
}

interface Held {
  /** From oldest to newest. */
  readonly all: Set<Socket>
  /** Without a request under way, those that became so first in front. */
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
  /** By address and port, to know a connection again in what TLS makes of it. */
  readonly #byPort = new Map<string, Holder>()
  #count = 0

  constructor({ max, isExempt = () => false }: ConnectionSharesOptions) {
    this.#max = max
    this.#isExempt = isExempt
  }

  /** Takes a connection in, or closes it. Returns whether it stays. */
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

  /** TLS talks to `secure` over a connection that was admitted. */
  secured(secure: Socket): void {
    const holder = this.#byPort.get(portOf(secure))
    if (holder !== undefined) this.#holders.set(secure, holder)
  }

  /** A request of this connection is under way. */
  busy(connection: Socket): void {
    const holder = this.#holders.get(connection)
    holder?.held.idle.delete(holder.connection)
  }

  /** Its request is over. */
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

  /** Among addresses with no fewer than the newcomer would have. Only an address with over half of all gives up busy ones. */
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
