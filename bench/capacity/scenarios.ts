/** What docs/scale.md works out. Change a figure, and `npm run suite capacity` writes the tables anew. */
import type { Demand, Machines, Prices } from './model.ts'
import type { Setting } from './simulation.ts'
import type { Waits } from './simulated-log.ts'

const mix = { put: 0.15, get: 0.8, list: 0.05 } as const

const billion: Demand = {
  objects: 1e9,
  versionsPerObject: 1.2,
  inlineShare: 0.5,
  inlineBytes: 4096,
  longBytes: 1024 * 1024,
  requestsPerSecond: 2000,
  mix,
  meanShare: 0.3,
}

export const demands: readonly (readonly [title: string, demand: Demand])[] = [
  ['10⁹ objects', billion],
  ['10¹² objects', { ...billion, objects: 1e12, requestsPerSecond: 200_000 }],
]

export const machines: Machines = {
  databaseProcessors: 32,
  databaseBytes: 8e12,
  nodeProcessors: 1,
  nodesOfLog: 4,
  use: 0.6,
  copies: 3,
  skew: 1.5,
}

/** Assumed; put your own here. */
export const prices: Prices = {
  processorMonth: 25,
  databaseGigabyteMonth: 0.12,
  blobGigabyteMonth: 0.023,
  thousandPuts: 0.005,
  thousandGets: 0.0004,
}

/** Two zones of one region, and a disk that syncs as fast as those of clouds. */
export const waits: Waits = { roundTripMs: 0.5, syncMs: 1.5 }

const setting: Setting = {
  ...waits,
  shards: 1,
  nodesOfShard: 3,
  nodeProcessors: machines.nodeProcessors,
  databaseProcessors: machines.databaseProcessors,
  demand: { ...billion, requestsPerSecond: 150 },
  buckets: 1,
  zipf: 0,
  seconds: 60,
  seed: 1,
}
const at = (requestsPerSecond: number, changed: Partial<Setting>): Setting => ({
  ...setting,
  ...changed,
  demand: { ...billion, requestsPerSecond },
})

export const simulations: readonly Setting[] = [
  at(150, { nodesOfShard: 2 }),
  at(150, { nodesOfShard: 3 }),
  at(500, { nodesOfShard: 6 }),
  at(500, { nodesOfShard: 12 }),
  at(2000, { shards: 4, nodesOfShard: 12, buckets: 1000, zipf: 0.6, seconds: 30 }),
  at(2000, { shards: 4, nodesOfShard: 12, buckets: 1000, zipf: 1, seconds: 30 }),
  at(2000, { shards: 16, nodesOfShard: 4, buckets: 1000, zipf: 0.6, seconds: 30 }),
]
