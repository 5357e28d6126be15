/** Right arguments that many calls take, made anew for each call. */
import type { HeadOptions, PageOptions } from '@varve/core'

type Cancelled = { readonly signal: AbortSignal }

export const signal = (): Cancelled => ({ signal: new AbortController().signal })
export const newBucket = () => ({ region: 'eu', versioning: 'Enabled', settings: { RequestPayment: 'Requester' } })
export const page = (): Cancelled & PageOptions => ({ prefix: 'k', delimiter: '/', limit: 10, ...signal() })
export const reading = (): Cancelled & Omit<HeadOptions, 'versionId'> => ({
  ifMatch: ['*'],
  ifNoneMatch: ['other'],
  ifModifiedSince: new Date(0),
  ifUnmodifiedSince: new Date(4e12),
  range: { first: 0, last: 1 },
  ...signal(),
  needsKey: false,
})

export const layouts = ['level+files', 'segments+tiered', 'sqlite+files']
export const toSign = () => ({ method: 'GET', rawPath: '/box/k1', rawQuery: 'a=b', headers: [['host', 'localhost']] })
export const signing = () => ({
  accessKeyId: 'ANN',
  secretAccessKey: 'secret-secret',
  region: 'eu',
  now: 1_700_000_000_000,
})
export const masterKey = Buffer.alloc(32, 1).toString('base64')
