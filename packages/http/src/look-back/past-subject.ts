/**
 * Requests that look back: `BUCKET--at-MOMENT` and `x-varve-at` name a bucket as it was. Its past can be read, and
 * nothing else. A bucket that really has such a name, from before these names had a meaning, is that bucket.
 */

import {
  checkBucketName,
  isStorageError,
  limits,
  type Moment,
  parseAsOfName,
  parseMoment,
  type RequestStore,
  type Seq,
} from '@varve/core'
import type { JudgedBuckets } from '../access/judged-buckets.ts'
import type { BuiltRow, Permission, Subject } from '../contract/operation.ts'
import { S3Error } from '../errors/errors.ts'
import { momentField } from './requested-moment.ts'

export interface Looking {
  readonly row: BuiltRow
  /** From `x-varve-at`. */
  readonly momentText: string | undefined
  readonly buckets: JudgedBuckets
  readonly store: RequestStore
  /** Whether the request has no identity. */
  readonly isAnonymous: boolean
  /** Refuses requesters that today's settings of the bucket do not allow to look back. */
  mayLookBack(bucket: string): Promise<unknown>
}

/** Whether the request looks back, as far as its names show. */
export const mayBePast = ({ bucket, source, forkSource }: Subject, momentText: string | undefined): boolean =>
  momentText !== undefined || isAsOfName(bucket) || isAsOfName(source?.bucket) || isAsOfName(forkSource?.bucket)

/** Whether the name has the form of an as-of name, which may be longer than others. */
export const isAsOfName = (bucket: string | undefined): boolean =>
  bucket !== undefined && parseAsOfName(bucket) !== undefined

/**
 * The subject with the buckets that its names mean, and their positions.
 * @throws StorageError `InvalidBucketName`, `MomentOutOfRange`, `NoSuchSnapshot`, `InvalidArgument`, and what
 *   `mayLookBack` throws; S3Error `MethodNotAllowed` for a write, `NotImplemented` for uploads, `InvalidRequest`
 */
export async function pastSubject(looking: Looking, subject: Subject): Promise<Subject> {
  const { row, momentText } = looking
  if (row.name === 'CreateBucket' && momentText === undefined) return newBucket(looking, subject)
  if (subject.bucket === undefined) throw new S3Error('InvalidRequest', `${momentField} needs a bucket.`)
  const own = await meant(looking, subject.bucket, momentText)
  if (own.moment !== undefined) checkReads(row)
  const source = subject.source && { ...subject.source, ...(await placed(looking, subject.source.bucket)) }
  return {
    ...subject,
    ...(await resolved(looking, own)),
    ...(own.bucket !== subject.bucket && { requestedName: subject.bucket }),
    ...(source !== undefined && { source }),
  }
}

/** The name of a new bucket means that bucket. It may begin as another one was. */
async function newBucket(looking: Looking, subject: Subject): Promise<Subject> {
  const { bucket, forkSource } = subject
  if (bucket !== undefined) checkNewName(bucket)
  return forkSource === undefined ? subject : { ...subject, forkSource: await placed(looking, forkSource.bucket) }
}

/** Clients that create a bucket before they write to it, as rclone does, show this text. */
function checkNewName(bucket: string): void {
  if (isAsOfName(bucket)) {
    throw new S3Error(
      'InvalidBucketName',
      'A name BUCKET--at-MOMENT means a bucket as it was, which can only be read.',
      {
        details: { BucketName: bucket },
      },
    )
  }
  checkBucketName(bucket)
}

/** What looking back needs beside the permissions of the operation. */
export const historyPermissions = (subject: Subject): readonly Permission[] =>
  [subject, subject.source, subject.forkSource].flatMap((place) =>
    place?.bucket === undefined || place.at === undefined
      ? []
      : [{ action: 'varve:ReadHistory', bucket: place.bucket, at: place.at }],
  )

interface Meant {
  readonly bucket: string
  /** Absent: now. */
  readonly moment?: Moment
}

const placed = async (looking: Looking, name: string) => resolved(looking, await meant(looking, name))

async function meant(looking: Looking, name: string, momentText?: string): Promise<Meant> {
  const past = parseAsOfName(name)
  if (past === undefined || (await exists(looking, name))) {
    checkBucketName(name)
    return momentText === undefined ? { bucket: name } : { bucket: name, moment: parseMoment(momentText) }
  }
  checkBucketName(past.bucket)
  if (momentText === undefined) return past
  throw new S3Error('InvalidRequest', `The request names a moment twice: by its bucket and by ${momentField}.`)
}

/** No new bucket gets such a name, so one that does not exist now will not exist later. */
async function exists({ buckets, store }: Looking, name: string): Promise<boolean> {
  if (name.length > limits.bucketNameMax) return false
  try {
    await buckets.read(store, name)
    return true
  } catch (error) {
    if (isStorageError(error, 'NoSuchBucket')) return false
    throw error
  }
}

async function resolved(looking: Looking, { bucket, moment }: Meant): Promise<{ bucket: string; at?: Seq }> {
  if (moment === undefined) return { bucket }
  // Anonymous requests own nothing in the past, so they cause no search in the log that they may not see.
  if (looking.isAnonymous) await looking.mayLookBack(bucket)
  try {
    return { bucket, at: (await looking.store.at(moment)).seq }
  } catch (error) {
    // Otherwise the refusal would tell which moments there are.
    if (isStorageError(error, 'MomentOutOfRange', 'NoSuchSnapshot')) await looking.mayLookBack(bucket)
    throw error
  }
}

/** Uploads in progress have no past that can be read. */
const ofUploads: ReadonlySet<string> = new Set(['ListMultipartUploads', 'ListParts'])

function checkReads({ name, method, level }: BuiltRow): void {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new S3Error('MethodNotAllowed', 'A bucket as it was can only be read.', {
      details: { Method: method, ResourceType: level.toUpperCase() },
      headers: { allow: 'GET, HEAD' },
    })
  }
  if (!ofUploads.has(name)) return
  throw new S3Error('NotImplemented', 'The uploads that were in progress in the past cannot be read.')
}
