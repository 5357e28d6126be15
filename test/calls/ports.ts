/** What a store needs of the world, in memory. */
import { memoryBlobs, memoryJournal, nodeHashing, randomIds, systemClock } from '@varve/adapters'

export const ports = {
  journal: await memoryJournal(),
  // Frozen: what is changed through a proxy would be changed for every store of the process.
  blobs: Object.freeze(memoryBlobs()),
  clock: Object.freeze(systemClock),
  ids: Object.freeze(randomIds),
  hashing: Object.freeze(await nodeHashing()),
}

const all: ReadonlySet<unknown> = new Set(Object.values(ports))

/** Ports are programs of their own: what they do is not the store's to judge. */
export const isPort = (value: object): boolean => all.has(value) || 'commit' in value
