/** Limits clients and server together to so many processor cores, by pauses between operations. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from './server.ts'

const pauseMsMax = 400

export class Pace {
  readonly #server: Server
  readonly #cores: number
  #pauseMs = 1
  #seen: { readonly at: number; readonly spent: number } | undefined

  constructor(server: Server, cores: number) {
    this.#server = server
    this.#cores = cores
  }

  pause(): Promise<void> {
    return delay(this.#pauseMs * (0.5 + Math.random()))
  }

  /** To be called every second or so. */
  async adjust(): Promise<void> {
    const own = process.cpuUsage()
    const spent = (own.user + own.system) / 1e6 + (await this.#server.processorSeconds().catch(() => Number.NaN))
    const now = { at: performance.now() / 1000, spent }
    const before = this.#seen
    this.#seen = now
    const used = before === undefined ? Number.NaN : (now.spent - before.spent) / (now.at - before.at)
    // Across a restart the sum has no meaning.
    if (!(used > 0)) return
    const factor = Math.min(2, Math.max(0.5, used / this.#cores))
    this.#pauseMs = Math.min(pauseMsMax, Math.max(0.2, this.#pauseMs * factor))
  }
}
