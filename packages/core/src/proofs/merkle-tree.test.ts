import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHex } from '../bytes/hex.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { hashing } from '../api/memory-ports.fixture.ts'
import { emptyRoot, leafHash, nodeHash, sha256 } from './merkle-hashes.ts'
import { consistencyPath, inclusionPath, rootOf, type Subtree, type TreeHashes } from './merkle-tree.ts'
import { isConsistent, isIncluded } from './verify-paths.ts'

/** The definitions of RFC 9162, section 2.1, word by word, on all leaves. */
function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(hashing, new Uint8Array())
  if (leaves.length === 1) return leaves[0] as Uint8Array
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  return nodeHash(hashing, naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)))
}

function naivePath(m: number, leaves: readonly Uint8Array[]): readonly Uint8Array[] {
  if (leaves.length === 1) return []
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  return m < k ? [...naivePath(m, left), naiveRoot(right)] : [...naivePath(m - k, right), naiveRoot(left)]
}

function naiveProof(m: number, leaves: readonly Uint8Array[], isWhole = true): readonly Uint8Array[] {
  if (m === leaves.length) return isWhole ? [] : [naiveRoot(leaves)]
  let k = 1
  while (k * 2 < leaves.length) k *= 2
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)]
  if (m <= k) return [...naiveProof(m, left, isWhole), naiveRoot(right)]
  return [...naiveProof(m - k, right, false), naiveRoot(left)]
}

const leaves = Array.from({ length: 300 }, (_, i) => leafHash(hashing, encodeUtf8(`leaf ${i}`)))

const tree: TreeHashes = {
  hashing,
  read: async ({ height, index }: Subtree) => naiveRoot(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)),
}

const size = fc.integer({ min: 1, max: leaves.length })
const texts = (hashes: readonly Uint8Array[]) => hashes.map(toHex)

describe('a Merkle tree', () => {
  it('has the roots of RFC 9162, also without leaves', async () => {
    expect(toHex(emptyRoot(hashing))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(toHex(leafHash(hashing, new Uint8Array()))).toBe(
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    )
    for (let n = 0; n <= leaves.length; n += 7) expect(await rootOf(tree, n)).toEqual(naiveRoot(leaves.slice(0, n)))
  })

  it('proves each leaf in each tree, with the hashes of RFC 9162, and to nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), async (n, seed) => {
        const index = seed % n
        const path = await inclusionPath(tree, index, n)
        const root = naiveRoot(leaves.slice(0, n))
        expect(texts(path)).toEqual(texts(naivePath(index, leaves.slice(0, n))))
        const leaf = leaves[index] as Uint8Array
        const right = { index, size: n, leaf, path, root }
        expect(isIncluded(hashing, right)).toBe(true)
        expect(isIncluded(hashing, { ...right, index: index + 1 })).toBe(false)
        expect(isIncluded(hashing, { ...right, index: (index + 1) % n })).toBe(n === 1)
        expect(isIncluded(hashing, { ...right, path: [...path, leaf] })).toBe(false)
        if (n > 1) expect(isIncluded(hashing, { ...right, path: path.slice(1) })).toBe(false)
        expect(isIncluded(hashing, { ...right, root: leafHash(hashing, root) })).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  it('proves that it only grew, with the hashes of RFC 9162, and not that it became another one', async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), async (n, seed) => {
        const m = 1 + (seed % n)
        const path = await consistencyPath(tree, m, n)
        expect(texts(path)).toEqual(texts(naiveProof(m, leaves.slice(0, n))))
        const [earlier, later] = [m, n].map((each) => ({ size: each, root: naiveRoot(leaves.slice(0, each)) })) as [
          { size: number; root: Uint8Array },
          { size: number; root: Uint8Array },
        ]
        expect(isConsistent(hashing, earlier, later, path)).toBe(true)
        const other = { ...earlier, root: leafHash(hashing, earlier.root) }
        expect(isConsistent(hashing, other, later, path)).toBe(false)
        expect(isConsistent(hashing, earlier, { ...later, root: other.root }, path)).toBe(false)
        expect(isConsistent(hashing, earlier, later, [...path, other.root])).toBe(false)
        if (path.length > 0) expect(isConsistent(hashing, earlier, later, path.slice(1))).toBe(false)
        if (m < n) expect(isConsistent(hashing, later, earlier, path)).toBe(false)
      }),
      { numRuns: 150 },
    )
  })

  it('asks for complete subtrees only, however large it is', async () => {
    const requested: Subtree[] = []
    const n = 2 ** 50 - 1
    const huge: TreeHashes = {
      hashing,
      async read(subtree) {
        requested.push(subtree)
        return leafHash(hashing, encodeUtf8(JSON.stringify(subtree)))
      },
    }
    await rootOf(huge, n)
    expect(requested).toHaveLength(50)
    expect(await inclusionPath(huge, 2 ** 49 + 12_345, n)).toHaveLength(50)
    for (const { height, index: at } of requested) expect((at + 1) * 2 ** height).toBeLessThanOrEqual(n)
  })
})
