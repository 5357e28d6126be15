/** Workloads that need an S3 server: listing versions, uploading objects in parts. */
import { MiB } from './mix-of.ts'
import type { WireName, WireWorkload } from './workload.ts'

const wire = (row: Omit<WireWorkload, 'kind' | 'name'> & { readonly wire: WireName }): WireWorkload => ({
  kind: 'wire',
  name: row.wire,
  ...row,
})

export const overWire: readonly WireWorkload[] = [
  wire({
    wire: 'http-list-versions',
    title: 'HTTP ListObjectVersions, pages of 1000',
    unit: 'entries',
    items: 10_000,
    bytes: 100,
    inFlight: 4,
    operations: 100,
    floors: ['raw-scan'],
  }),
  wire({
    wire: 'http-multipart',
    title: 'HTTP upload of 5 parts of 8 MiB',
    unit: 'bytes',
    items: 5,
    bytes: 8 * MiB,
    inFlight: 2,
    operations: 8,
    floors: [],
  }),
  wire({
    wire: 'http-complete-upload',
    title: 'HTTP CompleteMultipartUpload, 5 parts',
    unit: 'operations',
    items: 5,
    bytes: 5 * MiB,
    inFlight: 1,
    operations: 4,
    floors: [],
  }),
]
