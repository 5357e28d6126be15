/** Node's digests, those of long streams made on threads that all stores of this process share. */
import { availableParallelism } from 'node:os'
import type { Hashing } from '@varve/core'
import { hasFilesForThreads } from '../files/open-files.ts'
import { DigestPool } from './digest-pool.ts'
import { nodeHashing } from './node-hashing.ts'

const pool = new DigestPool()

/** One processor is left to the thread that has the bytes; beyond four threads that one is what bounds. */
const defaultThreads = (): number => Math.min(4, availableParallelism() - 1)

/** Hashing that gives long bodies to threads. @param threads How many may help; 0 for none. */
export async function threadedHashing(threads = defaultThreads()): Promise<Hashing> {
  const hashing = await nodeHashing()
  if (threads === 0 || !hasFilesForThreads()) return hashing
  return { ...hashing, beside: (algorithms) => pool.open(algorithms, threads) }
}
