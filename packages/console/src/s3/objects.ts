/** Operations on objects. */

import { percentEncode } from '../signing/percent.ts'
import type { Headers as HeaderFields } from '../signing/sign.ts'
import type { Connection } from '../transport/connection.ts'
import { decodeWords, encodeWords } from './encoded-words.ts'
import { type ObjectReference, versionQuery } from './object-reference.ts'
import { callForXml, callS3, documentHeaders, pathOf } from './s3.ts'
import { childrenOf, requiredText, textIn, xmlOf } from './xml.ts'

/** What a HEAD answers about an object. */
export interface ObjectFacts {
  readonly size: number
  readonly contentType: string
  readonly etag: string
  readonly lastModified: Date
  readonly versionId: string | undefined
  /** Headers that a person can change, such as `content-type`, by name. */
  readonly headers: HeaderFields
  /** User metadata, without `x-amz-meta-`. */
  readonly metadata: Readonly<Record<string, string>>
  readonly encryption: string | undefined
  readonly retention: { readonly mode: string; readonly until: Date } | undefined
  readonly hasLegalHold: boolean
}

/** The headers of content that are stored with an object. */
export const contentHeaders = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
] as const

/** HeadObject. */
export async function headObject(
  connection: Connection,
  object: ObjectReference,
  signal?: AbortSignal,
): Promise<ObjectFacts> {
  const { headers } = await callS3(connection, 'HEAD', { ...object, query: versionQuery(object), signal })
  const header = (name: string): string | undefined => headers.get(name) ?? undefined
  const mode = header('x-amz-object-lock-mode')
  return {
    size: Number(header('content-length') ?? 0),
    contentType: header('content-type') ?? 'application/octet-stream',
    etag: header('etag') ?? '',
    lastModified: new Date(header('last-modified') ?? 0),
    versionId: header('x-amz-version-id'),
    headers: Object.fromEntries(
      contentHeaders.flatMap((name) => (headers.has(name) ? [[name, header(name) ?? '']] : [])),
    ),
    metadata: Object.fromEntries(
      [...headers].flatMap(([name, value]) =>
        name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), decodeWords(value)]] : [],
      ),
    ),
    encryption: header('x-amz-server-side-encryption'),
    retention:
      mode === undefined ? undefined : { mode, until: new Date(header('x-amz-object-lock-retain-until-date') ?? 0) },
    hasLegalHold: header('x-amz-object-lock-legal-hold') === 'ON',
  }
}

/** The first bytes of an object. */
export async function readBytes(
  connection: Connection,
  object: ObjectReference,
  { max, signal }: { readonly max: number; readonly signal?: AbortSignal },
): Promise<Blob> {
  const response = await callS3(connection, 'GET', {
    ...object,
    query: versionQuery(object),
    headers: { range: `bytes=0-${max - 1}` },
    signal,
  })
  return response.blob()
}

export interface PresignOptions {
  readonly expiresSeconds: number
  /** Save it under this name, instead of showing it. */
  readonly downloadAs?: string
}

/** A URL of the object that works without a key until it expires. */
export function presignObject(
  connection: Connection,
  object: ObjectReference,
  { expiresSeconds, downloadAs }: PresignOptions,
): string {
  const disposition = downloadAs === undefined ? undefined : `attachment; filename*=UTF-8''${percentEncode(downloadAs)}`
  return connection.presign(
    pathOf(object.bucket, object.key),
    [
      ...versionQuery(object),
      ...(object.at === undefined ? [] : [['x-varve-at', object.at] as const]),
      ...(disposition === undefined ? [] : [['response-content-disposition', disposition] as const]),
    ],
    expiresSeconds,
  )
}

export interface DeleteFailure {
  readonly key: string
  readonly code: string
  readonly message: string
}

export interface DeleteOutcome {
  readonly deleted: number
  readonly failures: readonly DeleteFailure[]
  /** The request in the log, by which it can be undone. */
  readonly requestId: string | undefined
}

/** The most keys that one DeleteObjects takes. */
export const deleteMax = 1000

/** DeleteObjects, for at most `deleteMax` keys or versions. */
export async function deleteObjects(
  connection: Connection,
  bucket: string,
  targets: readonly { readonly key: string; readonly versionId?: string | undefined }[],
  signal?: AbortSignal,
): Promise<DeleteOutcome> {
  const body = xmlOf('Delete', {
    Object: targets.map(({ key, versionId }) => ({ Key: key, VersionId: versionId })),
    Quiet: true,
  })
  const { root, requestId } = await callForXml(connection, 'POST', {
    bucket,
    query: [['delete', '']],
    headers: documentHeaders(body),
    body,
    signal,
  })
  const failures = childrenOf(root, 'Error').map((error) => ({
    key: requiredText(error, 'Key'),
    code: requiredText(error, 'Code'),
    message: textIn(error, 'Message') ?? '',
  }))
  return { deleted: targets.length - failures.length, failures, requestId }
}

export interface CopyOptions {
  readonly source: ObjectReference
  readonly target: { readonly bucket: string; readonly key: string }
  /** Refuses with `PreconditionFailed` if the source has changed since it had this ETag. */
  readonly sourceETag?: string
  readonly signal?: AbortSignal
  /** Replaces content headers and metadata; without it, the copy has those of the source. */
  readonly replace?: { readonly headers: HeaderFields; readonly metadata: Readonly<Record<string, string>> }
}

/** CopyObject: the server copies, no byte passes the browser. */
export async function copyObject(
  connection: Connection,
  { source, target, sourceETag, replace, signal }: CopyOptions,
): Promise<void> {
  const path = `${source.bucket}/${percentEncode(source.key).replaceAll('%2F', '/')}`
  const version = source.versionId === undefined ? '' : `?versionId=${percentEncode(source.versionId)}`
  const metadata = Object.entries(replace?.metadata ?? {}).map(([name, value]) => [
    `x-amz-meta-${name}`,
    encodeWords(value),
  ])
  await callForXml(connection, 'PUT', {
    ...target,
    signal,
    headers: {
      'x-amz-copy-source': path + version,
      ...(sourceETag !== undefined && { 'x-amz-copy-source-if-match': sourceETag }),
      ...(replace !== undefined && {
        'x-amz-metadata-directive': 'REPLACE',
        ...replace.headers,
        ...Object.fromEntries(metadata),
      }),
    },
  })
}

/**
 * DeleteObject. Without a version id, a bucket with versioning keeps the object as an older version.
 * @param etag Refuses with `PreconditionFailed` if the object has changed since it had this one.
 */
export async function deleteObject(connection: Connection, object: ObjectReference, etag?: string): Promise<void> {
  await callS3(connection, 'DELETE', {
    ...object,
    query: versionQuery(object),
    headers: { ...(etag !== undefined && { 'if-match': etag }) },
  })
}
