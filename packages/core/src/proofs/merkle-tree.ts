/**
 * Roots and proofs of a Merkle tree (RFC 9162, section 2.1) from the hashes of its complete subtrees. Leaves are counted from
 * 0. Positions exceed 32 bits, so no bit operators are used.
 */
import type { Hashing } from '../ports/index.ts'
import { emptyRoot, nodeHash } from './merkle-hashes.ts'

/** A complete subtree: the leaves from `index * 2 ** height`, `2 ** height` of them. */
export interface Subtree {
  readonly height: number
  readonly index: number
}

/** The hashes of a tree that is there. */
export interface TreeHashes {
  readonly hashing: Hashing
  read(subtree: Subtree): Promise<Uint8Array>
}

/** The hash of the tree of the first `size` leaves. */
export const rootOf = (tree: TreeHashes, size: number): Promise<Uint8Array> =>
  size === 0 ? Promise.resolve(emptyRoot(tree.hashing)) : hashOf(tree, 0, size)

/** The hashes that lead from a leaf to the root of the tree of `size` leaves, the leaf's sibling first. */
export async function inclusionPath(tree: TreeHashes, index: number, size: number): Promise<readonly Uint8Array[]> {
  const path: Uint8Array[] = []
  let [from, to] = [0, size]
  while (to - from > 1) {
    const middle = from + splitOf(to - from)
    const isLeft = index < middle
    path.push(await (isLeft ? hashOf(tree, middle, to) : hashOf(tree, from, middle)))
    if (isLeft) to = middle
    else from = middle
  }
  return path.reverse()
}

/** The hashes that show that the tree of `size` leaves begins with that of `earlier` leaves. `0 < earlier <= size`. */
export async function consistencyPath(tree: TreeHashes, earlier: number, size: number): Promise<readonly Uint8Array[]> {
  const path: Uint8Array[] = []
  let [from, to] = [0, size]
  // The verifier has the hash of the earlier tree as a whole.
  let isWhole = true
  while (to !== earlier) {
    const middle = from + splitOf(to - from)
    if (earlier <= middle) {
      path.push(await hashOf(tree, middle, to))
      to = middle
    } else {
      path.push(await hashOf(tree, from, middle))
      from = middle
      isWhole = false
    }
  }
  if (!isWhole) path.push(await hashOf(tree, from, to))
  return path.reverse()
}

/** The hash of the leaves `from..to-1`, which begin where a subtree of their size begins. */
async function hashOf(tree: TreeHashes, from: number, to: number): Promise<Uint8Array> {
  const hashes: Uint8Array[] = []
  for (let at = from; at < to; ) {
    const height = heightOf(to - at)
    const leaves = 2 ** height
    hashes.push(await tree.read({ height, index: at / leaves }))
    at += leaves
  }
  return hashes.reduceRight((right, left) => nodeHash(tree.hashing, left, right))
}

/** The largest power of two that is smaller than a size of at least 2. */
const splitOf = (size: number): number => 2 ** heightOf(size - 1)

/** The height of the largest complete subtree of so many leaves. `Math.log2` rounds up just below large powers. */
function heightOf(leaves: number): number {
  const height = Math.floor(Math.log2(leaves))
  return 2 ** height > leaves ? height - 1 : height
}
