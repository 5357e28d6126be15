/** The work of contenders. Plain data: it is sent to other processes and written into results. */

/** What a rate counts. */
export const units = ['operations', 'bytes', 'entries', 'events'] as const
export type Unit = (typeof units)[number]

export interface SizeShare {
  readonly bytes: number
  readonly weight: number
}

export const mixOperations = ['get', 'put', 'head', 'list', 'delete'] as const
export type MixOperation = (typeof mixOperations)[number]

/** Weights; an operation without a weight never runs. */
export type Mix = Readonly<Partial<Record<MixOperation, number>>>

interface Common {
  /** The name on the command line and in results. */
  readonly name: string
  readonly title: string
  readonly unit: Unit
  readonly inFlight: number
  /** In one round, at full size. */
  readonly operations: number
  /** Ends a round after this time, if the operations take longer. */
  readonly seconds?: number
  /** Names of floors; ratios are relative to the first. */
  readonly floors: readonly string[]
}

/** Operations on whole objects, mixed by chance, in this process or through HTTP. */
export interface MixWorkload extends Common {
  readonly kind: 'mix'
  readonly through: 'process' | 'http'
  readonly mix: Mix
  readonly sizes: readonly SizeShare[]
  /** Objects that exist when a round begins. */
  readonly keys: number
  /** Whether a put makes a new object or replaces one of `keys`. */
  readonly puts: 'new' | 'any'
  /** `hot` sends four operations of five to a fifth of the keys. */
  readonly choose: 'uniform' | 'hot'
  readonly versioned: boolean
}

export const specialNames = [
  'list-delimiter',
  'list-versions',
  'delete-sweep',
  'replay',
  'rebuild',
  'reopen',
  'complete-upload',
  'complete-upload-10000',
] as const
export type SpecialName = (typeof specialNames)[number]

/** Work that only a store can do. */
export interface SpecialWorkload extends Common {
  readonly kind: 'special'
  readonly special: SpecialName
  /** The number of keys, versions or events, at full size. */
  readonly items: number
  /** Whether it needs a store that still exists after it was closed. */
  readonly lasting?: boolean
}

export const wireNames = ['http-list-versions', 'http-multipart', 'http-complete-upload'] as const
export type WireName = (typeof wireNames)[number]

/** A workload that needs an S3 server. */
export interface WireWorkload extends Common {
  readonly kind: 'wire'
  readonly wire: WireName
  /** The number of versions, or of parts of an upload, at full size. */
  readonly items: number
  /** The size of every part, or of every version. */
  readonly bytes: number
}

export type Workload = MixWorkload | SpecialWorkload | WireWorkload

/** Whether the workload runs over HTTP. */
export const isThroughHttp = (workload: Workload): boolean =>
  workload.kind === 'wire' || (workload.kind === 'mix' && workload.through === 'http')

/** The same workload at another size. */
export function scaled<W extends Workload>(workload: W, scale: number): W {
  if (scale === 1) return workload
  const resized = (count: number, least: number) => Math.max(Math.min(least, count), Math.round(count * scale))
  const operations = resized(workload.operations, 1)
  if (workload.kind !== 'mix') {
    const { items } = workload
    return { ...workload, operations, items: countsParts(workload) ? items : resized(items, 20) }
  }
  const onlyDeletes = Object.keys(workload.mix).join() === 'delete'
  return { ...workload, operations, keys: onlyDeletes ? operations : resized(workload.keys, 4) }
}

/** Whether `items` counts the parts of an upload, which do not depend on the size of the round. */
export function countsParts(workload: SpecialWorkload | WireWorkload): boolean {
  switch (workload.kind === 'special' ? workload.special : workload.wire) {
    case 'complete-upload':
    case 'complete-upload-10000':
    case 'http-multipart':
    case 'http-complete-upload':
      return true
    default:
      return false
  }
}
