import { twoEnginesCases } from '@varve/core/contracts'
import { memoryBlobs } from './blobs/memory-blobs.ts'
import { nodeHashing } from './hashing/node-hashing.ts'
import { systemTimer } from './system/system-timer.ts'
import { randomIds } from './system/random-ids.ts'

/** The cases of a journal that several engines share, on this machine. */
export const twoEngines = twoEnginesCases({
  hashing: await nodeHashing(),
  ids: randomIds,
  timer: systemTimer,
  openBlobs: () => memoryBlobs(),
})
