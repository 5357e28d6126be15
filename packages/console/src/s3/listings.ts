/** Listings, page by page. They request URL encoding, because XML cannot hold every character of a key. */

import type { Query } from '../signing/percent.ts'
import type { Connection } from '../transport/connection.ts'
import { callForXml } from './s3.ts'
import { childrenOf, InvalidXml, requiredText, textIn, type XmlElement } from './xml.ts'

export interface ObjectEntry {
  readonly kind: 'object'
  readonly key: string
  readonly size: number
  readonly lastModified: Date
  readonly etag: string
}

export interface PrefixEntry {
  readonly kind: 'prefix'
  readonly key: string
}

export interface VersionEntry {
  readonly kind: 'version' | 'deleteMarker'
  readonly key: string
  readonly versionId: string
  readonly isLatest: boolean
  readonly lastModified: Date
  /** 0 for a delete marker. */
  readonly size: number
}

export interface UploadEntry {
  readonly key: string
  readonly uploadId: string
  readonly initiated: Date
}

export interface Page<T> {
  readonly entries: readonly T[]
  /** The parameters of the next page; absent on the last one. */
  readonly next?: Query
}

export interface ListingOptions {
  readonly bucket: string
  readonly prefix?: string
  readonly delimiter?: string
  /** `next` of the page before. */
  readonly from?: Query | undefined
  readonly limit?: number
  readonly at?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** ListObjectsV2: objects and common prefixes in the order of their names. */
export async function listObjects(
  connection: Connection,
  options: ListingOptions,
): Promise<Page<ObjectEntry | PrefixEntry>> {
  const root = await listing(connection, options, [['list-type', '2']], 'max-keys')
  const objects = childrenOf(root, 'Contents').map(objectEntry)
  const prefixes = childrenOf(root, 'CommonPrefixes').map(
    (element): PrefixEntry => ({ kind: 'prefix', key: decoded(element, 'Prefix') }),
  )
  const token = textIn(root, 'NextContinuationToken')
  return {
    entries: [...prefixes, ...objects],
    ...(token !== undefined && { next: [['continuation-token', token]] }),
  }
}

/** ListObjectVersions: versions and delete markers, newest first for each key. */
export async function listVersions(connection: Connection, options: ListingOptions): Promise<Page<VersionEntry>> {
  const root = await listing(connection, options, [['versions', '']], 'max-keys')
  const entries = root.children.flatMap((element) => {
    if (element.name === 'Version') return [versionEntry(element, 'version')]
    return element.name === 'DeleteMarker' ? [versionEntry(element, 'deleteMarker')] : []
  })
  return { entries, ...nextOf(root, ['key-marker', 'NextKeyMarker'], ['version-id-marker', 'NextVersionIdMarker']) }
}

/** ListMultipartUploads. */
export async function listUploads(connection: Connection, options: ListingOptions): Promise<Page<UploadEntry>> {
  const root = await listing(connection, options, [['uploads', '']], 'max-uploads')
  const entries = childrenOf(root, 'Upload').map((element) => ({
    key: decoded(element, 'Key'),
    uploadId: requiredText(element, 'UploadId'),
    initiated: date(element, 'Initiated'),
  }))
  return { entries, ...nextOf(root, ['key-marker', 'NextKeyMarker'], ['upload-id-marker', 'NextUploadIdMarker']) }
}

/** Every entry of a listing, page by page. */
export async function* allPages<T>(load: (from: Query | undefined) => Promise<Page<T>>): AsyncGenerator<readonly T[]> {
  let from: Query | undefined
  do {
    const page = await load(from)
    yield page.entries
    from = page.next
  } while (from !== undefined)
}

async function listing(
  connection: Connection,
  { bucket, prefix = '', delimiter = '', from = [], limit = 1000, at, signal }: ListingOptions,
  kind: Query,
  limitName: string,
): Promise<XmlElement> {
  const given = [
    ['prefix', prefix],
    ['delimiter', delimiter],
  ] as const
  const query: Query = [
    ...kind,
    ...given.filter(([, value]) => value !== ''),
    ...from,
    [limitName, String(limit)],
    ['encoding-type', 'url'],
  ]
  const { root } = await callForXml(connection, 'GET', { bucket, query, at, signal })
  return root
}

type Marker = readonly [parameter: string, element: string]

function nextOf(root: XmlElement, ...markers: readonly Marker[]): { readonly next?: Query } {
  if (textIn(root, 'IsTruncated') !== 'true') return {}
  const next = markers.flatMap(([parameter, element]) => {
    const value = element === 'NextKeyMarker' ? decoded(root, element) : textIn(root, element)
    return value === undefined || value === '' ? [] : [[parameter, value] as const]
  })
  return { next }
}

const objectEntry = (element: XmlElement): ObjectEntry => ({
  kind: 'object',
  key: decoded(element, 'Key'),
  size: Number(requiredText(element, 'Size')),
  lastModified: date(element, 'LastModified'),
  etag: requiredText(element, 'ETag'),
})

const versionEntry = (element: XmlElement, kind: VersionEntry['kind']): VersionEntry => ({
  kind,
  key: decoded(element, 'Key'),
  versionId: requiredText(element, 'VersionId'),
  isLatest: textIn(element, 'IsLatest') === 'true',
  lastModified: date(element, 'LastModified'),
  size: Number(textIn(element, 'Size') ?? 0),
})

function decoded(element: XmlElement, name: string): string {
  const text = requiredText(element, name)
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidXml(`The answer of the server has a ${name} that is not encoded as requested.`)
  }
}

const date = (element: XmlElement, name: string): Date => new Date(requiredText(element, name))
