/** Chance that can be repeated: the same seed gives the same numbers. */
export interface Random {
  /** 0 to below `end`. */
  below(end: number): number
  pick<T>(items: readonly T[]): T
  bytes(count: number): Uint8Array
}

/** mulberry32 */
export function random(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (end: number): number => next() % end
  return {
    below,
    pick<T>(items: readonly T[]): T {
      const item = items[below(items.length)]
      if (item === undefined) throw new TypeError('Nothing to pick from.')
      return item
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  }
}
