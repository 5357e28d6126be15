/** One attack as data, drawn by a seed or known by name. */

export type Asker = 'root' | 'narrow' | 'nobody'

export interface Attack {
  readonly name: string
  /** Connections that do the same at once. */
  readonly connections: number
  /** Requests that each sends without waiting for answers. */
  readonly pipelined: number
  /** `stalls`: takes nothing of the answers. `slow`: a little now and then. */
  readonly reader: 'reads' | 'slow' | 'stalls'
  readonly by: Asker
  readonly request: AttackRequest
  /** The body comes whole, in small pieces, or stops in the middle. */
  readonly sending: 'whole' | 'pieces' | 'stops'
  /** As HTTP chunks. */
  readonly chunked: boolean
}

export interface AttackRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'OPTIONS' | 'HEAD' | 'DELETE'
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Numbers from a seed: small, fast, the same everywhere (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T

export const without: Readonly<Record<string, string>> = {}
export const nothing = Buffer.alloc(0)
