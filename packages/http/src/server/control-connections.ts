/**
 * Limits the connections to the control API of a store. A connection may rest for hours, because a person may read a
 * log page by page. So there is no time limit; when there is no room, a new connection replaces one without a request,
 * or else the one that has moved no byte for longest.
 */
import type { Socket } from 'node:net'
import type { ConnectionWatch } from './one-at-a-time.ts'

interface Rest {
  readonly bytes: number
  /** When the connection was first seen with this number of bytes, from any start. */
  readonly since: number
}

const movedBytes = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten

export class ControlConnections implements ConnectionWatch {
  readonly #max: number
  /** Connections without a request in progress, the longest idle first. */
  readonly #idle = new Set<Socket>()
  readonly #busy = new Map<Socket, Rest>()

  constructor(max: number) {
    this.#max = max
  }

  admit(connection: Socket): void {
    if (this.#idle.size + this.#busy.size >= this.#max) this.#makeRoom()
    this.#idle.add(connection)
    connection.once('close', () => this.#forget(connection))
  }

  busy(connection: Socket): void {
    if (this.#idle.delete(connection)) this.#busy.set(connection, restOf(connection))
  }

  idle(connection: Socket): void {
    if (this.#busy.delete(connection)) this.#idle.add(connection)
  }

  #makeRoom(): void {
    const victim = this.#idle.values().next().value ?? this.#longestStill()
    if (victim === undefined) return
    this.#forget(victim)
    victim.destroy()
  }

  #longestStill(): Socket | undefined {
    let still: Socket | undefined
    let oldest = Number.POSITIVE_INFINITY
    for (const [connection, seen] of this.#busy) {
      const rest = seen.bytes === movedBytes(connection) ? seen : restOf(connection)
      this.#busy.set(connection, rest)
      if (rest.since < oldest) {
        oldest = rest.since
        still = connection
      }
    }
    return still
  }

  #forget(connection: Socket): void {
    this.#idle.delete(connection)
    this.#busy.delete(connection)
  }
}

const restOf = (connection: Socket): Rest => ({ bytes: movedBytes(connection), since: performance.now() })
