/** Checks proofs of a Merkle tree: RFC 9162, sections 2.1.3.2 and 2.1.4.2. */
import { sameBytes } from '../bytes/bytes.ts'
import type { Hashing } from '../ports/index.ts'
import { nodeHash } from './merkle-hashes.ts'

export interface Inclusion {
  /** The position of the leaf, from 0. */
  readonly index: number
  readonly size: number
  readonly leaf: Uint8Array
  readonly path: readonly Uint8Array[]
  readonly root: Uint8Array
}

export function isIncluded(hashing: Hashing, { index, size, leaf, path, root }: Inclusion): boolean {
  if (index >= size) return false
  let [at, last] = [index, size - 1]
  let hash = leaf
  for (const sibling of path) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(hashing, sibling, hash)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else hash = nodeHash(hashing, hash, sibling)
    at = half(at)
    last = half(last)
  }
  return last === 0 && sameBytes(hash, root)
}

/** A tree at some size. */
export interface TreeHead {
  readonly size: number
  readonly root: Uint8Array
}

/** Whether the later tree begins with the earlier one. Every tree begins with the empty one, whose proof is empty. */
export function isConsistent(
  hashing: Hashing,
  earlier: TreeHead,
  later: TreeHead,
  path: readonly Uint8Array[],
): boolean {
  if (earlier.size > later.size) return false
  if (earlier.size === later.size) return path.length === 0 && sameBytes(earlier.root, later.root)
  if (earlier.size === 0) return path.length === 0
  const roots = rootsOf(hashing, [earlier, later], path)
  return roots !== undefined && sameBytes(roots[0], earlier.root) && sameBytes(roots[1], later.root)
}

/** The two roots that the path leads to. */
function rootsOf(
  hashing: Hashing,
  [earlier, later]: readonly [TreeHead, TreeHead],
  path: readonly Uint8Array[],
): readonly [Uint8Array, Uint8Array] | undefined {
  let [at, last] = [earlier.size - 1, later.size - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  // A complete subtree is its own first hash.
  const [first, ...rest] = at === 0 ? [earlier.root, ...path] : path
  if (first === undefined) return undefined
  let [old, young] = [first, first]
  for (const hash of rest) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      old = nodeHash(hashing, hash, old)
      young = nodeHash(hashing, hash, young)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else young = nodeHash(hashing, young, hash)
    at = half(at)
    last = half(last)
  }
  return last === 0 ? [old, young] : undefined
}

const half = (value: number): number => Math.floor(value / 2)
