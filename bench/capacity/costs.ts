/** What was measured with `npm run suite bench-nodes`: the table "Several nodes" of docs/performance.md has the same figures. */

export const operationNames = ['put', 'get', 'list', 'putLong', 'getLong'] as const
export type OperationName = (typeof operationNames)[number]

/** Milliseconds of processor time of one request, by where they are spent. */
export interface Cost {
  readonly node: number
  readonly database: number
  readonly blobs: number
}

export const oneNode: Readonly<Record<OperationName, Cost>> = {
  put: { node: 3.0, database: 1.4, blobs: 0 },
  get: { node: 2.0, database: 0.8, blobs: 0 },
  list: { node: 20, database: 8, blobs: 0 },
  putLong: { node: 20, database: 3, blobs: 12 },
  getLong: { node: 10, database: 1.2, blobs: 5 },
}

/** The same of a small PUT that is alone in its commit. */
export const alone: Cost = { node: 4, database: 2, blobs: 0 }

/** What one object adds to the database. The rows include their index; an object of up to 32 KiB has its bytes there too. */
export const perVersion = { events: 330, rows: 1000, inlineFactor: 1.3, rowCount: 4 } as const

/** Requests to the blob store: an object of up to 8 MiB is one PUT; opening one is a HEAD, a run of 1 MiB a GET. */
export const blobRequests = { put: 1, get: 2 } as const

/** PUTs in one commit while the figures of one node were measured. */
export const groupOfOneNode = 4

/** Processor time of a small PUT with more nodes, to that with one: medians of rounds. */
export const measuredRatios: readonly (readonly [nodes: number, ratio: string])[] = [
  [2, '2.0'],
  [3, '2.5'],
]
