/**
 * What clients saw of keys, and whether one order of all requests explains it (linearizability). Each written value is unique. So each value has a zone,
 * from the first end to the last begin of the requests that had it; Gibbons and Korach have shown that comparing zones decides it.
 */

/** `undefined`: the key has no value yet. */
export type Value = string | undefined

interface Write {
  readonly begun: number
  /** Infinity: it was not acknowledged, and may have its effect at any later time, or never. */
  readonly ended: number
}

interface Read {
  readonly value: Value
  readonly begun: number
  readonly ended: number
}

interface Zone {
  readonly value: Value
  /** When the first request that had the value ended. */
  readonly first: number
  /** When the last one began. */
  readonly last: number
}

class Register {
  readonly writes = new Map<Value, Write>([[undefined, { begun: -Infinity, ended: -Infinity }]])
  readonly reads: Read[] = []
}

export class RegisterHistory {
  readonly #keys = new Map<string, Register>()
  reads = 0

  /** `ended` is absent if the write was not acknowledged. */
  wrote(key: string, value: string, { begun, ended = Infinity }: { begun: number; ended?: number }): void {
    this.#register(key).writes.set(value, { begun, ended })
  }

  read(key: string, value: Value, { begun, ended }: { begun: number; ended: number }): void {
    this.reads++
    this.#register(key).reads.push({ value, begun, ended })
  }

  /** What no order explains, in words. */
  problems(): readonly string[] {
    return [...this.#keys].flatMap(([key, register]) => problemsOf(register).map((problem) => `${key}: ${problem}`))
  }

  #register(key: string): Register {
    const register = this.#keys.get(key) ?? new Register()
    this.#keys.set(key, register)
    return register
  }
}

function problemsOf({ writes, reads }: Register): readonly string[] {
  const problems: string[] = []
  const zones = new Map<Value, Zone>()
  for (const [value, { begun, ended }] of writes) zones.set(value, { value, first: ended, last: begun })
  for (const { value, begun, ended } of reads) {
    const zone = zones.get(value)
    if (zone === undefined) problems.push(`${value} was read, and nobody has written it`)
    else if (ended < (writes.get(value) as Write).begun) problems.push(`${value} was read before it was written`)
    else zones.set(value, { value, first: Math.min(zone.first, ended), last: Math.max(zone.last, begun) })
  }
  // A write without an answer that nobody has seen may have had no effect.
  return [...problems, ...conflicts([...zones.values()].filter(({ first }) => first < Infinity))]
}

/** A value that is there from `first` to `last` for certain leaves no room for another one in that time. */
function conflicts(zones: readonly Zone[]): readonly string[] {
  const held = zones.filter(({ first, last }) => first < last).toSorted((a, b) => a.first - b.first)
  const points = zones.filter(({ first, last }) => first >= last)
  const overlapping = held.filter((zone, i) => zone.first < (held[i - 1]?.last ?? -Infinity))
  const enclosed = points.filter((point) => held.some(({ first, last }) => first < point.last && point.first < last))
  return [
    ...overlapping.map((zone) => `${zone.value} was there while ${held[held.indexOf(zone) - 1]?.value} was`),
    ...enclosed.map(({ value }) => `${value} was written while another value stayed`),
  ]
}
