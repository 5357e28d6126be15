/** Capacity and cost of a store of many objects on several logs: every formula of docs/scale.md. */
import { blobRequests, oneNode, type OperationName, operationNames, perVersion } from './costs.ts'

export interface Demand {
  readonly objects: number
  readonly versionsPerObject: number
  /** The share of objects that are in the database: those of up to 32 KiB. */
  readonly inlineShare: number
  readonly inlineBytes: number
  readonly longBytes: number
  /** At the peak. */
  readonly requestsPerSecond: number
  /** Shares of requests; small and long objects are asked for as often as there are. */
  readonly mix: Readonly<Record<'put' | 'get' | 'list', number>>
  /** The mean rate over a month, as a share of the peak. */
  readonly meanShare: number
}

export interface Machines {
  readonly databaseProcessors: number
  readonly databaseBytes: number
  readonly nodeProcessors: number
  /** With more nodes, a log spends much of their time on conflicts. */
  readonly nodesOfLog: number
  /** The share of its processors that a machine may use at the peak. */
  readonly use: number
  /** Copies of each database: a primary and its standbys. */
  readonly copies: number
  /** The load of the busiest log, divided by the mean. */
  readonly skew: number
}

/** In dollars. */
export interface Prices {
  readonly processorMonth: number
  readonly databaseGigabyteMonth: number
  readonly blobGigabyteMonth: number
  readonly thousandPuts: number
  readonly thousandGets: number
}

export interface Capacity {
  readonly versions: number
  readonly eventBytes: number
  readonly rowBytes: number
  readonly databaseBytes: number
  readonly blobBytes: number
  readonly shardsByBytes: number
  readonly shardsByProcessors: number
  readonly shardsByNodes: number
  readonly shards: number
  readonly bytesOfShard: number
  readonly rowsOfShard: number
  readonly indexLevels: number
  readonly nodes: number
  readonly nodesOfShard: number
  readonly blobPutsPerSecond: number
  readonly blobGetsPerSecond: number
  readonly daysToLoad: number
  readonly dollarsToLoad: number
  readonly monthly: Readonly<Record<'processors' | 'database' | 'blobs' | 'requests' | 'all', number>>
}

const secondsOfMonth = 30 * 86_400
const pageBytes = 8192
/** Pages of an index that was filled in no order are about seven tenths full; an entry has its key and 16 bytes. */
const entriesOfPage = (keyBytes: number): number => Math.floor((pageBytes * 0.7) / (keyBytes + 16))
const meanKeyBytes = 64

/** Pages that a search reads from the root of the index to the row's entry. */
export function indexLevels(rows: number, keyBytes = meanKeyBytes): number {
  let levels = 1
  for (let pages = rows / entriesOfPage(keyBytes); pages > 1; pages /= entriesOfPage(keyBytes)) levels++
  return levels
}

/** Requests a second, by what they cost. */
export function ratesOf({ requestsPerSecond, mix, inlineShare }: Demand): Readonly<Record<OperationName, number>> {
  const { put, get, list } = mix
  const long = 1 - inlineShare
  return {
    put: requestsPerSecond * put * inlineShare,
    get: requestsPerSecond * get * inlineShare,
    list: requestsPerSecond * list,
    putLong: requestsPerSecond * put * long,
    getLong: requestsPerSecond * get * long,
  }
}

/** Processors that are busy all the time. */
function busy(rates: Readonly<Record<OperationName, number>>, where: 'node' | 'database'): number {
  return operationNames.reduce((sum, name) => sum + (rates[name] * oneNode[name][where]) / 1000, 0)
}

const ceil = (value: number): number => Math.max(1, Math.ceil(value))

export function capacityOf(demand: Demand, machines: Machines, prices: Prices): Capacity {
  const size = sizeOf(demand)
  const rates = ratesOf(demand)
  const { databaseProcessors, nodeProcessors, use, skew, copies } = machines
  const shardsByBytes = ceil((size.databaseBytes * skew) / machines.databaseBytes)
  const shardsByProcessors = ceil((busy(rates, 'database') * skew) / (databaseProcessors * use))
  const nodesBusy = (busy(rates, 'node') * skew) / (nodeProcessors * use)
  const shardsByNodes = ceil(nodesBusy / machines.nodesOfLog)
  const shards = Math.max(shardsByBytes, shardsByProcessors, shardsByNodes)
  // Two nodes at least, so that one may fail.
  const nodesOfShard = Math.max(2, ceil(nodesBusy / shards))
  const rowsOfShard = (size.versions * perVersion.rowCount) / shards
  const blobPutsPerSecond = rates.putLong * blobRequests.put
  const blobGetsPerSecond = rates.getLong * blobRequests.get
  const processors = shards * (copies * databaseProcessors + nodesOfShard * nodeProcessors)
  const seconds = secondsOfMonth * demand.meanShare
  const costs = {
    processors: processors * prices.processorMonth,
    database: (size.databaseBytes / 1e9) * copies * prices.databaseGigabyteMonth,
    blobs: (size.blobBytes / 1e9) * prices.blobGigabyteMonth,
    requests: ((blobPutsPerSecond * prices.thousandPuts + blobGetsPerSecond * prices.thousandGets) / 1000) * seconds,
  }
  return {
    ...size,
    shardsByBytes,
    shardsByProcessors,
    shardsByNodes,
    shards,
    bytesOfShard: size.databaseBytes / shards,
    rowsOfShard,
    indexLevels: indexLevels(rowsOfShard),
    nodes: shards * nodesOfShard,
    nodesOfShard,
    blobPutsPerSecond,
    blobGetsPerSecond,
    ...loading(demand, shards, machines, prices),
    monthly: { ...costs, all: costs.processors + costs.database + costs.blobs + costs.requests },
  }
}

type Size = Pick<Capacity, 'versions' | 'eventBytes' | 'rowBytes' | 'databaseBytes' | 'blobBytes'>

function sizeOf({ objects, versionsPerObject, inlineShare, inlineBytes, longBytes }: Demand): Size {
  const versions = objects * versionsPerObject
  const eventBytes = versions * perVersion.events
  const rowBytes = versions * (perVersion.rows + inlineShare * inlineBytes * perVersion.inlineFactor)
  const blobBytes = versions * (1 - inlineShare) * longBytes
  return { versions, eventBytes, rowBytes, databaseBytes: eventBytes + rowBytes, blobBytes }
}

/** Loading puts every version once, with all databases busy up to their limit. */
function loading(
  { objects, versionsPerObject, inlineShare }: Demand,
  shards: number,
  { databaseProcessors, use }: Machines,
  prices: Prices,
): Pick<Capacity, 'daysToLoad' | 'dollarsToLoad'> {
  const versions = objects * versionsPerObject
  const millis = inlineShare * oneNode.put.database + (1 - inlineShare) * oneNode.putLong.database
  const perSecond = (shards * databaseProcessors * use * 1000) / millis
  const puts = versions * (1 - inlineShare) * blobRequests.put
  return { daysToLoad: versions / perSecond / 86_400, dollarsToLoad: (puts / 1000) * prices.thousandPuts }
}
