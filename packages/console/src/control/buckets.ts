/** Every bucket of the store, which only root may list: ListBuckets of S3 shows the buckets of one owner. */

import { schema } from '@varve/core'
import type { BucketEntry } from '../s3/buckets.ts'
import type { Connection } from '../transport/connection.ts'
import { controlLines } from './control.ts'

interface BucketLine {
  readonly name: string
  readonly createdAt: string
}

const bucketLine = schema.objectWith<BucketLine>({ name: schema.text(), createdAt: schema.text() })

export async function listAllBuckets(connection: Connection, signal?: AbortSignal): Promise<readonly BucketEntry[]> {
  const buckets: BucketEntry[] = []
  for await (const line of controlLines(connection, 'GET', 'buckets', { shape: bucketLine, signal })) {
    buckets.push({ name: line.name, created: new Date(line.createdAt) })
  }
  return buckets
}
