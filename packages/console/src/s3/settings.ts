/** Settings of a bucket, which S3 reads and writes as documents. */

import type { Connection } from '../transport/connection.ts'
import { ServerError } from '../transport/failures.ts'
import type { Tag } from './annotations.ts'
import { tagDocument } from './annotations.ts'
import { callForXml, callS3, documentHeaders } from './s3.ts'
import { childOf, childrenOf, requiredText, textIn, xmlOf } from './xml.ts'

/** The parameter that names a setting. */
export type SettingKind = 'cors' | 'lifecycle' | 'policy' | 'encryption' | 'tagging'

/** Returns the document of a setting as text, or `undefined` if the bucket has none. */
export async function getDocument(
  connection: Connection,
  { bucket, kind }: { readonly bucket: string; readonly kind: SettingKind },
  signal?: AbortSignal,
): Promise<string | undefined> {
  return unlessAbsent(async () => {
    const response = await callS3(connection, 'GET', { bucket, query: [[kind, '']], signal })
    return response.text()
  })
}

/** Replaces the setting. The server checks the document. */
export async function putDocument(
  connection: Connection,
  { bucket, kind }: { readonly bucket: string; readonly kind: SettingKind },
  body: string,
): Promise<void> {
  await callS3(connection, 'PUT', { bucket, query: [[kind, '']], headers: documentHeaders(body), body })
}

export async function deleteDocument(
  connection: Connection,
  { bucket, kind }: { readonly bucket: string; readonly kind: SettingKind },
): Promise<void> {
  await callS3(connection, 'DELETE', { bucket, query: [[kind, '']] })
}

export type Versioning = 'never' | 'Enabled' | 'Suspended'

/** GetBucketVersioning. */
export async function getVersioning(connection: Connection, bucket: string, signal?: AbortSignal): Promise<Versioning> {
  const { root } = await callForXml(connection, 'GET', { bucket, query: [['versioning', '']], signal })
  const status = textIn(root, 'Status')
  return status === 'Enabled' || status === 'Suspended' ? status : 'never'
}

/** PutBucketVersioning. */
export async function putVersioning(
  connection: Connection,
  bucket: string,
  status: Exclude<Versioning, 'never'>,
): Promise<void> {
  const body = xmlOf('VersioningConfiguration', { Status: status })
  await callS3(connection, 'PUT', { bucket, query: [['versioning', '']], headers: documentHeaders(body), body })
}

export interface DefaultEncryption {
  readonly algorithm: string
  readonly keyId: string | undefined
}

/** GetBucketEncryption. */
export async function getEncryption(
  connection: Connection,
  bucket: string,
  signal?: AbortSignal,
): Promise<DefaultEncryption | undefined> {
  return unlessAbsent(async () => {
    const { root } = await callForXml(connection, 'GET', { bucket, query: [['encryption', '']], signal })
    const rule = childOf(childOf(root, 'Rule'), 'ApplyServerSideEncryptionByDefault')
    const algorithm = textIn(rule, 'SSEAlgorithm')
    return algorithm === undefined ? undefined : { algorithm, keyId: textIn(rule, 'KMSMasterKeyID') }
  })
}

/** PutBucketEncryption. */
export const putEncryption = (
  connection: Connection,
  bucket: string,
  { algorithm, keyId }: DefaultEncryption,
): Promise<void> =>
  putDocument(
    connection,
    { bucket, kind: 'encryption' },
    xmlOf('ServerSideEncryptionConfiguration', {
      Rule: { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: algorithm, KMSMasterKeyID: keyId } },
    }),
  )

/** GetBucketTagging. */
export async function getBucketTags(
  connection: Connection,
  bucket: string,
  signal?: AbortSignal,
): Promise<readonly Tag[]> {
  const tags = await unlessAbsent(async () => {
    const { root } = await callForXml(connection, 'GET', { bucket, query: [['tagging', '']], signal })
    return childrenOf(childOf(root, 'TagSet'), 'Tag').map((tag) => ({
      name: requiredText(tag, 'Key'),
      value: requiredText(tag, 'Value'),
    }))
  })
  return tags ?? []
}

/** PutBucketTagging; without tags, DeleteBucketTagging. */
export const putBucketTags = (connection: Connection, bucket: string, tags: readonly Tag[]): Promise<void> =>
  tags.length === 0
    ? deleteDocument(connection, { bucket, kind: 'tagging' })
    : putDocument(connection, { bucket, kind: 'tagging' }, tagDocument(tags))

/** S3 has a code of its own for each setting that a bucket does not have. */
async function unlessAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ServerError && error.status === 404 && error.code !== 'NoSuchBucket') return undefined
    throw error
  }
}
