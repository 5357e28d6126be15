/** Random numbers from a seed: the same for every contender, in every run. */

export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number from 0 to `below - 1`. */
  below(below: number): number
  fill(bytes: Uint8Array): void
}

/** Mulberry32: small, fast, and good enough to choose keys and to make bytes that do not compress. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const word = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const next = (): number => word() / 2 ** 32
  return {
    next,
    below: (below) => Math.floor(next() * below),
    fill(bytes) {
      const words = new Uint32Array(Math.ceil(bytes.length / 4))
      for (let i = 0; i < words.length; i++) words[i] = word()
      bytes.set(new Uint8Array(words.buffer, 0, bytes.length))
    },
  }
}

/** Mixes three numbers into one: a value that a key and a version always have, without storing it. */
export function mixed(seed: number, key: number, version: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(key + 1, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 16), 0x27d4eb2f) ^ Math.imul(version + 1, 0x165667b1)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca77)
  return (hash ^ (hash >>> 13)) >>> 0
}
