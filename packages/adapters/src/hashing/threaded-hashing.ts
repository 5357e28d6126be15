/** Node's digests. Threads that all stores of this process share compute the digests of long streams. */
import { availableParallelism } from 'node:os'
import type { Hashing } from '@varve/core'
import { hasFilesForThreads } from '../files/open-files.ts'
import { DigestPool } from './digest-pool.ts'
import { nodeHashing } from './node-hashing.ts'

const pool = new DigestPool()

/** Leaves one processor to the thread that reads the bytes, which is the bottleneck beyond four threads. */
const defaultThreads = (): number => Math.min(4, availableParallelism() - 1)

/** Hashing that computes the digests of long bodies on threads. @param threads The most threads to use; 0 for none. */
export async function threadedHashing(threads = defaultThreads()): Promise<Hashing> {
  const hashing = await nodeHashing()
  if (threads === 0 || !hasFilesForThreads()) return hashing
  return { ...hashing, beside: (algorithms) => pool.open(algorithms, threads) }
}
