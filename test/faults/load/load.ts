/**
 * The load during the faults. Every worker owns its keys, so per key there is one order. It announces each operation,
 * does it, and reports the acknowledgement. The last operation announced before the end may or may not have happened;
 * everything acknowledged must have.
 *
 * The operation, the key and the bytes follow from a number, and numbers are never used twice.
 */
import type { MakingName } from '../../layouts/layout-parts.ts'

export const workers = 8
const keysPerWorker = 4
export const buckets = { plain: 'plain', versioned: 'versioned' } as const

export type Action = 'put' | 'delete' | 'upload' | 'copy' | 'version' | 'marker' | 'remove' | 'abort' | 'sweep'

const actions: readonly Action[] = [
  ...(['put', 'version', 'delete', 'copy', 'upload', 'put', 'version', 'marker'] as const),
  ...(['put', 'remove', 'abort', 'copy', 'version', 'put', 'upload', 'sweep'] as const),
]

export interface Claim {
  readonly what: 'will' | 'did' | 'refused'
  readonly action: Action
  readonly key: string
  /** Names the bytes: see `bodyOf`. For a copy, those of its source. */
  readonly number: number
  /** The version that was answered, or that is to be removed. */
  readonly versionId?: string
  /** Of what was refused. */
  readonly code?: string
  readonly message?: string
}

/**
 * Further messages of the writer: before its orders the id of its file thread, if it has only one; and later that the
 * store is open.
 */
export type Greeting = { readonly fileThread: number } | { readonly opened: number }

/** Where a store is. */
export interface Place {
  readonly directory: string
  /** What it is made of. @default level+files */
  readonly layout?: MakingName | undefined
}

/** The orders of the writer, in one line, before it begins. */
export interface Orders extends Place {
  /** The first number. */
  readonly first: number
  /** How many things to do before it ends by itself. @default no end */
  readonly count?: number
  /** Keep a keyspace that follows the log meanwhile. @default false */
  readonly counts?: boolean
  /** A mistake to make, for the audit to find. */
  readonly bug?: Bug
  /** Go on after a refusal, rather than end as failed. @default false */
  readonly stubborn?: boolean
}

/** Mistakes that the writer can make on request: syncs that are reported but not done. */
export const bugs = ['no-blob-sync', 'no-directory-sync', 'no-batch-sync'] as const
export type Bug = (typeof bugs)[number]

export const actionOf = (number: number): Action => actions[number % actions.length] as Action

export const keyOf = (worker: number, number: number): string => `w${worker}/k${Math.floor(number / 7) % keysPerWorker}`

/** The least a part may have that is not the last. */
export const partBytes = 5 * 1024 * 1024

/** Most ride in the journal, a third is too large for that, and a few are too large for one part. */
export function bodyOf(number: number): string {
  const line = `body ${number};`
  return line.repeat(Math.ceil(sizeOf(number) / line.length))
}

function sizeOf(number: number): number {
  if (number % 160 === 4) return partBytes + 1000
  if (number % 3 === 0) return 100_000
  return number % 3 === 1 ? 6_000 : 50
}
