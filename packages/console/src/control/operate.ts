/** What the page for operators reads from the server. */

import { schema } from '@varve/core'
import type { Connection } from '../transport/connection.ts'
import { control, controlLines } from './control.ts'

const { array, boolean, integer, literal, objectWith, optional, text } = schema

export interface StoreStatus {
  readonly storeId: string
  readonly layout?: string
  readonly seq: number
  readonly state: string
}

const statusShape = objectWith<StoreStatus>({
  storeId: text(),
  layout: optional(text()),
  seq: integer(),
  state: text(),
})

export interface Usage {
  readonly live: number
  readonly kept: number
  readonly pinned: number
  readonly free?: number
}

const size = integer({ min: 0 })
const usageShape = objectWith<Usage>({ live: size, kept: size, pinned: size, free: optional(size) })

export interface PrefixUsage {
  readonly prefix: string
  readonly objects: number
  readonly bytes: number
}

export interface PrefixUsagePage {
  readonly entries: readonly PrefixUsage[]
  readonly next?: string
}

const prefixesShape = objectWith<PrefixUsagePage>({
  entries: array(objectWith<PrefixUsage>({ prefix: text(), objects: size, bytes: size })),
  next: optional(text()),
})

export interface Job {
  readonly name: string
  readonly lease?: { readonly since: string }
  readonly lastRun?: { readonly startedAt: string; readonly endedAt: string }
  readonly lastError?: { readonly at: string; readonly error: { readonly message: string } }
}

const jobShape = objectWith<Job>({
  name: text(),
  lease: optional(objectWith({ since: text() })),
  lastRun: optional(objectWith({ startedAt: text(), endedAt: text() })),
  lastError: optional(objectWith({ at: text(), error: objectWith<{ readonly message: string }>({ message: text() }) })),
})

export interface Damage {
  readonly kind: string
  readonly message: string
  readonly foundAt: string
  readonly of?: DamagedObject
}

interface DamagedObject {
  readonly bucket?: string
  readonly key?: string
}

const damageShape = objectWith<Damage>({
  kind: text(),
  message: text(),
  foundAt: text(),
  of: optional(objectWith<DamagedObject>({ bucket: optional(text()), key: optional(text()) })),
})

export interface SubscriptionLine {
  readonly name: string
  readonly cursor: number
  readonly lag: number
}

const subscriptionShape = objectWith<SubscriptionLine>({ name: text(), cursor: integer(), lag: integer() })

export interface Statement {
  readonly policy: string
  readonly index: number
  readonly sid?: string
  readonly effect: 'Allow' | 'Deny'
  readonly holds: boolean
}

export interface Explanation {
  readonly allowed: boolean
  readonly text: string
  readonly statements: readonly Statement[]
}

const explanationShape = objectWith<Explanation>({
  allowed: boolean,
  text: text(),
  statements: array(
    objectWith<Statement>({
      policy: text(),
      index: size,
      sid: optional(text()),
      effect: literal('Allow', 'Deny'),
      holds: boolean,
    }),
  ),
})

export interface IdentityLine {
  readonly id: string
  readonly name: string
  /** The text of a policy document. */
  readonly policy?: string
  /** Present in a role: who may assume it. */
  readonly trust?: string
  readonly accessKeys: readonly { readonly accessKeyId: string }[]
  readonly createdAt: string
}

const identityShape = objectWith<IdentityLine>({
  id: text(),
  name: text(),
  policy: optional(text()),
  trust: optional(text()),
  accessKeys: array(objectWith<{ readonly accessKeyId: string }>({ accessKeyId: text() })),
  createdAt: text(),
})

export const readStatus = (connection: Connection, signal: AbortSignal): Promise<StoreStatus> =>
  control(connection, 'GET', 'status', { shape: statusShape, signal })

export const readUsage = (connection: Connection, signal: AbortSignal, bucket?: string): Promise<Usage> =>
  control(connection, 'GET', 'usage', {
    shape: usageShape,
    signal,
    query: bucket === undefined ? [] : [['bucket', bucket]],
  })

export interface PrefixPlace {
  readonly bucket: string
  readonly prefix: string
  readonly after?: string | undefined
}

export const readPrefixes = (
  connection: Connection,
  signal: AbortSignal,
  { bucket, prefix, after }: PrefixPlace,
): Promise<PrefixUsagePage> =>
  control(connection, 'GET', 'usage/prefixes', {
    shape: prefixesShape,
    signal,
    query: [['bucket', bucket], ['prefix', prefix], ...(after === undefined ? [] : [['after', after] as const])],
  })

/** The metrics as text. @throws ServerError `NotImplemented` if the server does not measure */
export async function readMetrics(connection: Connection, signal: AbortSignal): Promise<string> {
  const shape = objectWith<{ readonly text: string }>({ text: text() })
  return (await control(connection, 'GET', 'metrics', { shape, signal })).text
}

export const readJobs = (connection: Connection, signal: AbortSignal): Promise<readonly Job[]> =>
  allLines(controlLines(connection, 'GET', 'jobs', { shape: jobShape, signal }))

export const readDamage = (connection: Connection, signal: AbortSignal): Promise<readonly Damage[]> =>
  allLines(controlLines(connection, 'GET', 'damage', { shape: damageShape, signal }))

export const readSubscriptions = (connection: Connection, signal: AbortSignal): Promise<readonly SubscriptionLine[]> =>
  allLines(controlLines(connection, 'GET', 'subscriptions', { shape: subscriptionShape, signal }))

export const readIdentities = (connection: Connection, signal: AbortSignal): Promise<readonly IdentityLine[]> =>
  allLines(controlLines(connection, 'GET', 'identities', { shape: identityShape, signal }))

export interface AccessQuestion {
  readonly identity: string
  readonly action: string
  readonly bucket: string
  readonly key: string
}

export const explainAccess = (connection: Connection, question: AccessQuestion): Promise<Explanation> =>
  control(connection, 'GET', 'access', {
    shape: explanationShape,
    query: Object.entries(question).filter(([, value]) => value !== ''),
  })

async function allLines<T>(lines: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const line of lines) all.push(line)
  return all
}
