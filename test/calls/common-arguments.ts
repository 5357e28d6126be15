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
