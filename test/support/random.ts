/** Chance from a seed: the same seed gives the same numbers for ever, so a failure can be run again. */
export interface Random {
  /** From 0 up to, and not with, 1. */
  next(): number
  /** A whole number from 0 up to, and not with, `end`. */
  below(end: number): number
  /** A whole number, both ends included. */
  between(min: number, max: number): number
  pick<T>(from: readonly T[]): T
  /** True with the given probability. */
  chance(probability: number): boolean
  bytes(count: number): Uint8Array
}

/** 32 hex digits, as ids are. */
export const hexFrom = (random: Random): string =>
  Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')

/** mulberry32: 32 bits of state, which is plenty for choosing among a few hundred things. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    between: (min, max) => min + below(max - min + 1),
    pick: (from) => {
      if (from.length === 0) throw new TypeError('Nothing to pick from.')
      return from[below(from.length)] as never
    },
    chance: (probability) => next() < probability,
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  }
}

export const newSeed = (): number => Math.floor(Math.random() * 2 ** 31)
