/** The address of a prefix of a bucket: `s3://BUCKET/PREFIX`. */
import type { S3BlobsOptions } from '@varve/adapters/s3'
import { invalidAddress } from './invalid-address.ts'

const noCredentials = 'An address must not have credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'

const nouns = { blobs: 'blobs', replica: 'a replica' } as const

/** What the address of a bucket says besides the parameters of one use. */
export interface BucketAddress {
  readonly given: ReadonlyMap<string, string>
  readonly options: S3BlobsOptions
}

/** The parameters that every address of a bucket may have. */
const bucketParameters = ['region', 'endpoint']

/**
 * `s3://BUCKET/PREFIX`, with the parameters that every such address may have, and others.
 * @throws StorageError `InvalidArgument`
 */
export function bucketAddress(url: URL, what: 'blobs' | 'replica', others: readonly string[]): BucketAddress {
  const { hostname: bucket, pathname, username, password } = url
  if (bucket === '' || url.port !== '')
    throw invalidAddress(what, `The address of ${nouns[what]} is s3://BUCKET/PREFIX.`)
  if (username !== '' || password !== '') throw invalidAddress(what, noCredentials)
  const given = new Map(url.searchParams)
  const unknown = [...given.keys()].find((name) => !bucketParameters.includes(name) && !others.includes(name))
  if (unknown !== undefined) throw invalidAddress(what, `The address of ${nouns[what]} has no parameter ${unknown}.`)
  const [region, endpoint] = bucketParameters.map((name) => given.get(name))
  const prefix = prefixOf(pathname, what)
  return {
    given,
    options: {
      bucket,
      ...(prefix !== undefined && { prefix }),
      ...(region !== undefined && { region }),
      ...(endpoint !== undefined && { endpoint }),
    },
  }
}

function prefixOf(pathname: string, what: 'blobs' | 'replica'): string | undefined {
  const path = decoded(pathname, what).replace(/^\//, '')
  return path === '' ? undefined : path
}

function decoded(pathname: string, what: 'blobs' | 'replica'): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    throw invalidAddress(what, `The address of ${nouns[what]} is s3://BUCKET/PREFIX.`)
  }
}
