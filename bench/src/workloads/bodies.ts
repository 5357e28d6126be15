/**
 * The bytes of every object, without storing them: views of one pool of random bytes, at an offset computed from key
 * and version. So bytes that are read can be compared with those that were put, and making a body takes no time that
 * would be measured.
 */
import { mixed, randomFrom } from '../basics/random.ts'
import type { SizeShare } from './workload.ts'

export interface Bodies {
  sizeOf(key: number, version: number): number
  /** A view: do not write to it. */
  of(key: number, version: number): Buffer
  isOf(bytes: Uint8Array, key: number, version: number): boolean
}

const places = 1 << 17
const step = 8

export function bodiesFrom(seed: number, sizes: readonly SizeShare[]): Bodies {
  const largest = Math.max(...sizes.map(({ bytes }) => bytes))
  const pool = Buffer.allocUnsafe(largest + places * step)
  randomFrom(seed).fill(pool)
  const pick = chooser(sizes)
  const sizeOf = (key: number, version: number) => pick(mixed(seed, key, version) / 2 ** 32)
  const of = (key: number, version: number) => {
    const start = (mixed(~seed, key, version) % places) * step
    return pool.subarray(start, start + sizeOf(key, version))
  }
  return { sizeOf, of, isOf: (bytes, key, version) => of(key, version).equals(bytes) }
}

function chooser(sizes: readonly SizeShare[]): (share: number) => number {
  const total = sizes.reduce((sum, { weight }) => sum + weight, 0)
  return (share) => {
    let left = share * total
    for (const { bytes, weight } of sizes) {
      left -= weight
      if (left < 0) return bytes
    }
    return sizes.at(-1)?.bytes ?? 0
  }
}
