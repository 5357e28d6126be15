/**
 * Parses a raw request target to bucket, key and parameters. The path is decoded once and only then split, so two
 * spellings with the same signature have the same meaning. No URL parser is used: those fold `..`, and here `..` is an
 * ordinary key.
 */

import { S3Error } from '../errors/errors.ts'
import { percentDecode } from './percent.ts'
import { parseQuery } from './query-params.ts'
import type { QueryParams } from './query-params.ts'

export interface TargetInput {
  /** The request target exactly as received (`req.url`). */
  readonly rawUrl: string
  readonly hostHeader: string | undefined
  /** Public host names without port: `bucket.suffix` addresses a bucket. Lower case. Empty: path style only. */
  readonly hostSuffixes: readonly string[]
}

export interface Target {
  /** The text before the first `?`, undecoded; signatures are computed from it. */
  readonly rawPath: string
  /** The text after the first `?`, undecoded; '' without one. */
  readonly rawQuery: string
  /** Not yet checked against the naming rules. */
  readonly bucket?: string
  /** Decoded; at least one character. May hold any character, NUL and `..` included. */
  readonly key?: string
  readonly query: QueryParams
  readonly style: 'path' | 'virtual'
}

/**
 * @throws S3Error `InvalidURI` for an absolute or `*` target, a fragment, a bad escape or bytes that are not UTF-8;
 *   `InvalidBucketName` for an empty bucket in front of a key.
 */
export function parseTarget({ rawUrl, hostHeader, hostSuffixes }: TargetInput): Target {
  if (!rawUrl.startsWith('/') || rawUrl.includes('#')) {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI.")
  }
  const mark = rawUrl.indexOf('?')
  const rawPath = mark === -1 ? rawUrl : rawUrl.slice(0, mark)
  const rawQuery = mark === -1 ? '' : rawUrl.slice(mark + 1)
  const rest = percentDecode(rawPath).slice(1)
  const query = parseQuery(rawQuery)
  const hostBucket = bucketOfHost(hostHeader, hostSuffixes)
  if (hostBucket !== undefined) {
    return { rawPath, rawQuery, bucket: hostBucket, ...(rest !== '' && { key: rest }), query, style: 'virtual' }
  }
  const { bucket, key } = splitPath(rest)
  if (bucket === undefined) return { rawPath, rawQuery, query, style: 'path' }
  if (key === undefined) return { rawPath, rawQuery, bucket, query, style: 'path' }
  return { rawPath, rawQuery, bucket, key, query, style: 'path' }
}

function splitPath(rest: string): Pick<Target, 'bucket' | 'key'> {
  if (rest === '') return {}
  const slash = rest.indexOf('/')
  if (slash === -1) return { bucket: rest }
  if (slash === 0)
    throw new S3Error('InvalidBucketName', 'The specified bucket is not valid.', { details: { BucketName: '' } })
  const key = rest.slice(slash + 1)
  const bucket = rest.slice(0, slash)
  return key === '' ? { bucket } : { bucket, key }
}

/** The longest suffix wins, so that a shorter suffix cannot turn part of a public host name into a bucket. */
export function bucketOfHost(hostHeader: string | undefined, suffixes: readonly string[]): string | undefined {
  if (hostHeader === undefined || suffixes.length === 0) return undefined
  if (lastHost.header !== hostHeader || lastHost.suffixes !== suffixes)
    lastHost = { header: hostHeader, suffixes, bucket: findBucket(hostHeader, suffixes) }
  return lastHost.bucket
}

/** The host that was asked for last: most requests of a server are for one. */
let lastHost: Readonly<{ header: string; suffixes: readonly string[]; bucket: string | undefined }> = {
  header: '',
  suffixes: [],
  bucket: undefined,
}

function findBucket(hostHeader: string, suffixes: readonly string[]): string | undefined {
  const host = hostHeader
    .toLowerCase()
    .replace(/:[0-9]*$/, '')
    .replace(/\.$/, '')
  if (suffixes.includes(host)) return undefined
  const matching = suffixes.filter((suffix) => host.endsWith(`.${suffix}`)).sort((a, b) => b.length - a.length)
  const suffix = matching[0]
  return suffix === undefined ? undefined : host.slice(0, -suffix.length - 1)
}
