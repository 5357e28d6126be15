/**
 * The operations on one kind of setting: get, put, delete. They differ in names, permissions, and in reading and
 * writing the value. This file implements everything else for all kinds.
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
    /** Headers that the operation reads itself. */
    readonly understands?: readonly string[]
  }
  /** Absent: S3 has no operation to delete the setting. */
  readonly delete?: { readonly name: OperationName }
  /** The most bytes of a document. @default 64 KiB */
  readonly bytesMax?: number
  /**
   * Reads a document; `undefined` removes the setting.
   * @throws S3Error `MalformedXML`, and errors for an invalid value
   */
  read(bytes: Uint8Array, context: BucketContext): SettingValues[K] | undefined | Promise<SettingValues[K] | undefined>
  write(value: SettingValues[K], context: BucketContext): Answer | Promise<Answer>
  /** Headers of the answer to a PUT. */
  answered?(value: SettingValues[K]): AnswerHeaders
  /** The answer when the bucket does not have the setting. @throws S3Error with S3's code. */
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

/** An answer with a document that has this root. */
export const settingAnswer = (root: string, { options }: BucketContext, elements: readonly Xml[]): Answer =>
  xmlAnswer(root, options.namespace, elements)

/** The error for a setting that the bucket does not have. It names the bucket. */
export const settingAbsent = (code: S3Error['code'], message: string, { bucket }: BucketContext): S3Error =>
  new S3Error(code, message, { details: { BucketName: bucket } })
