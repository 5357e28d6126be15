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
  put: { node: 4.7, database: 2.1, blobs: 0 },
  get: { node: 2.7, database: 1.3, blobs: 0 },
  list: { node: 15, database: 5.6, blobs: 0 },
  putLong: { node: 29, database: 7, blobs: 23 },
  getLong: { node: 20, database: 1.9, blobs: 7.1 },
}

/** The same of a small PUT that is alone in its commit. Assumed, not measured: 1.4 times that of one among 4.7. */
export const alone: Cost = { node: 6.6, database: 2.9, blobs: 0 }

/** What one object adds to the database. The rows include their index; an object of up to 32 KiB has its bytes there too. */
export const perVersion = { events: 310, rows: 850, inlineFactor: 1.37, rowCount: 3 } as const

/** Requests to the blob store: an object of up to 8 MiB is one PUT; opening one is a HEAD, a run of 1 MiB a GET. */
export const blobRequests = { put: 1, get: 2 } as const

/** PUTs in one commit while the figures of one node were measured. */
export const groupOfOneNode = 4.7

/** Processor time of a small PUT with more nodes, to that with one: medians of rounds. */
export const measuredRatios: readonly (readonly [nodes: number, ratio: string])[] = [
  [2, '2.1 [1.5–3.0]'],
  [3, '3.1 [2.6–4.3]'],
]
