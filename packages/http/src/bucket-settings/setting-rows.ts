/**
 * The operations on one kind of setting: get, put, delete. They differ in names, permissions, and how the value is read and
 * written; everything else is the same for all and stands here.
 */
import type { SettingKind, SettingValues } from '@varve/core'
import type { OperationName } from '../access/permission-table.ts'
import { S3Error } from '../errors/errors.ts'
import type { Xml } from '../xml/write.ts'
import { type Answer, type AnswerHeaders, emptyAnswer, xmlAnswer } from '../contract/answer.ts'
import type { BucketContext, BucketRow } from '../contract/operation.ts'
import { permissionsOf } from '../contract/permissions.ts'

export interface SettingDocument<K extends SettingKind> {
  readonly kind: K
  /** The subresource, such as `cors`. */
  readonly query: string
  readonly get: { readonly name: OperationName }
  readonly put: {
    readonly name: OperationName
    /** @default 200 */
    readonly status?: number
    /** Headers of `screening.ts` that it looks at. */
    readonly understands?: readonly string[]
  }
  /** Absent: S3 has no way to take it away but to put another. */
  readonly delete?: { readonly name: OperationName }
  /** The most bytes of a document. @default 64 KiB */
  readonly bytesMax?: number
  /** `undefined`: the document removes the setting. @throws S3Error `MalformedXML`, and what is wrong with the value. */
  read(bytes: Uint8Array, context: BucketContext): SettingValues[K] | undefined | Promise<SettingValues[K] | undefined>
  write(value: SettingValues[K], context: BucketContext): Answer | Promise<Answer>
  /** Headers of the answer to a PUT. */
  answered?(value: SettingValues[K]): AnswerHeaders
  /** The answer without a setting. @throws S3Error with S3's code. */
  absent(context: BucketContext): Answer
}

export function settingRows<K extends SettingKind>(document: SettingDocument<K>): readonly BucketRow[] {
  const { kind, query, get, put } = document
  const shared = { level: 'bucket', when: { query: [query] } } as const
  const rows: BucketRow[] = [
    { ...shared, name: get.name, method: 'GET', permissions: permissionsOf(get.name), handler: getting(document) },
    {
      ...shared,
      name: put.name,
      method: 'PUT',
      permissions: permissionsOf(put.name),
      ...(put.understands && { understands: put.understands }),
      body: 'document',
      handler: putting(document),
    },
  ]
  if (document.delete !== undefined) {
    const { name } = document.delete
    rows.push({ ...shared, name, method: 'DELETE', permissions: permissionsOf(name), handler: removing(kind) })
  }
  return rows
}

const getting =
  <K extends SettingKind>({ kind, write, absent }: SettingDocument<K>) =>
  async (context: BucketContext): Promise<Answer> => {
    const { store, bucket, client } = context
    const value = await store.buckets.settings.get(bucket, kind, { signal: client.signal })
    return value === undefined ? absent(context) : write(value, context)
  }

const putting =
  <K extends SettingKind>({ kind, read, put: { status }, bytesMax = 64 * 1024, answered }: SettingDocument<K>) =>
  async (context: BucketContext): Promise<Answer> => {
    const { store, bucket, body, client } = context
    const bytes = await body.small(bytesMax)
    if (bytes.length === 0) throw new S3Error('MissingRequestBodyError', 'Request Body is empty')
    const value = await read(bytes, context)
    const { settings } = store.buckets
    if (value === undefined) await settings.remove(bucket, kind, { signal: client.signal })
    else await settings.put(bucket, kind, value, { signal: client.signal })
    return emptyAnswer(status, value === undefined ? {} : answered?.(value))
  }

const removing =
  (kind: SettingKind) =>
  async ({ store, bucket, client }: BucketContext): Promise<Answer> => {
    await store.buckets.settings.remove(bucket, kind, { signal: client.signal })
    return emptyAnswer(204)
  }

/** A document of this root. */
export const settingAnswer = (root: string, { options }: BucketContext, elements: readonly Xml[]): Answer =>
  xmlAnswer(root, options.namespace, elements)

/** The error of a setting that a bucket does not have, which names the bucket. */
export const settingAbsent = (code: S3Error['code'], message: string, { bucket }: BucketContext): S3Error =>
  new S3Error(code, message, { details: { BucketName: bucket } })
