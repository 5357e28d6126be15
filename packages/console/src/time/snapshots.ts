/** Snapshots and forks, by the control API. */

import { schema } from '@varve/core'
import { control, controlLines } from '../control/control.ts'
import type { Connection } from '../transport/connection.ts'

const { boolean, integer, objectWith, optional, text } = schema

export interface Snapshot {
  readonly name: string
  readonly seq: number
  readonly bucket?: string
  readonly createdAt: string
  readonly createdBy: { readonly name: string }
  /** Whether all bytes of the state were there when it was created. */
  readonly complete: boolean
}

const snapshotShape = objectWith<Snapshot>({
  name: text(),
  seq: integer({ min: 0 }),
  bucket: optional(text()),
  createdAt: text(),
  createdBy: objectWith<Snapshot['createdBy']>({ name: text() }),
  complete: boolean,
})

export interface BucketFacts {
  readonly name: string
  /** Present in a fork: what it began as. */
  readonly base?: { readonly bucket: string; readonly seq: number }
}

const bucketShape = objectWith<BucketFacts>({
  name: text(),
  base: optional(objectWith<NonNullable<BucketFacts['base']>>({ bucket: text(), seq: integer({ min: 0 }) })),
})

const anything = objectWith<object>({})

export async function listSnapshots(connection: Connection, signal: AbortSignal): Promise<readonly Snapshot[]> {
  return collect(controlLines(connection, 'GET', 'snapshots', { shape: snapshotShape, signal }))
}

export async function listBucketFacts(connection: Connection, signal: AbortSignal): Promise<readonly BucketFacts[]> {
  return collect(controlLines(connection, 'GET', 'buckets', { shape: bucketShape, signal }))
}

export async function createSnapshot(
  connection: Connection,
  json: { readonly name: string; readonly at?: string | undefined },
): Promise<void> {
  await control(connection, 'POST', 'snapshots', { json, shape: anything })
}

export async function deleteSnapshot(connection: Connection, name: string): Promise<void> {
  await control(connection, 'DELETE', 'snapshot', { query: [['name', name]], shape: anything })
}

export async function createFork(
  connection: Connection,
  json: { readonly bucket: string; readonly name: string; readonly at?: string | undefined },
): Promise<void> {
  await control(connection, 'POST', 'forks', { json, shape: anything })
}

export async function dropFork(connection: Connection, bucket: string): Promise<void> {
  await control(connection, 'DELETE', 'fork', { query: [['bucket', bucket]], shape: anything })
}

async function collect<T>(lines: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const line of lines) all.push(line)
  return all
}
