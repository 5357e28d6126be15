/** What rows ask for, said once per pattern. All of them read the subject that the handler will act on. */

import type { S3Action } from '../access/actions.ts'
import type { BucketSubject, ObjectSubject, Permission, Subject } from './operation.ts'

export const onService =
  (action: S3Action) =>
  (_subject: Subject): readonly Permission[] => [{ action }]

export const onBucket =
  (action: S3Action) =>
  ({ bucket }: BucketSubject): readonly Permission[] => [{ action, bucket }]

/** On the bucket, or on those of its objects that a listing is cut down to. */
export const onBucketOrObjects =
  (action: S3Action) =>
  ({ bucket, prefix = '' }: BucketSubject): readonly Permission[] => [{ action, bucket, orKey: prefix }]

export const onObject =
  (action: S3Action) =>
  ({ bucket, key }: ObjectSubject): readonly Permission[] => [{ action, bucket, key }]

/** One action for the current object, another for a version named by its id: neither grants the other. */
export const onVersion =
  (current: S3Action, named: S3Action) =>
  ({ bucket, key, versionId }: ObjectSubject): readonly Permission[] =>
    versionId === undefined ? [{ action: current, bucket, key }] : [{ action: named, bucket, key, versionId }]

/** Attributes tell of the bytes what reading them would, so that is asked for as well. */
export const onAttributes = (subject: ObjectSubject): readonly Permission[] => [
  ...onVersion('s3:GetObject', 's3:GetObjectVersion')(subject),
  ...onVersion('s3:GetObjectAttributes', 's3:GetObjectVersionAttributes')(subject),
]

/** To write here, and to read there. */
export const onCopy = ({ bucket, key, source }: ObjectSubject): readonly Permission[] => [
  { action: 's3:PutObject', bucket, key },
  ...(source === undefined
    ? []
    : [
        {
          action: source.versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion',
          bucket: source.bucket,
          key: source.key,
          ...(source.versionId !== undefined && { versionId: source.versionId }),
        } as const,
      ]),
]

/** Nothing beyond being someone: what the body names is asked for one by one. */
export const askedLater = (): readonly Permission[] => []
