/** Headers with the annotations of an object. S3 sends each one only to requesters that have its permission. */

import { type Annotations, isStorageError, type ObjectInfo } from '@varve/core'
import { assumptionChanged } from '../access/assumptions.ts'
import type { Trigger } from '../policies/permission-rule.ts'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { ObjectContext } from '../contract/operation.ts'
import { laterPermissions } from '../contract/permissions.ts'

const none: AnswerHeaders = {}

type Shown = Extract<Trigger, { readonly shown: unknown }>['shown']

export function annotationHeaders(context: ObjectContext, info: ObjectInfo): AnswerHeaders | Promise<AnswerHeaders> {
  const { tagCount, retention, legalHold } = info
  if (tagCount === undefined && retention === undefined && legalHold === undefined) return none
  return allowedHeaders(context, info)
}

async function allowedHeaders(context: ObjectContext, info: ObjectInfo): Promise<AnswerHeaders> {
  const shows = await shownTo(context, info)
  // The annotations in the state that was authorised.
  const shown = await annotationsOf(context, info)
  return {
    ...(shows.tagCount && tagHeader(shown)),
    ...(shows.retention && retentionHeaders(shown)),
    ...(shows.legalHold && holdHeader(shown)),
  }
}

async function shownTo(context: ObjectContext, { tagCount, retention, legalHold }: ObjectInfo) {
  const may = async (shown: Shown) => {
    const needed = laterPermissions(
      'GetObject',
      context,
      (when) => when !== undefined && 'shown' in when && when.shown === shown,
    )
    return (await Promise.all(needed.map((permission) => context.allows(permission)))).every(Boolean)
  }
  return {
    tagCount: tagCount !== undefined && (await may('tags')),
    retention: retention !== undefined && (await may('retention')),
    legalHold: legalHold !== undefined && (await may('legal hold')),
  }
}

const tagHeader = ({ tags }: Annotations): AnswerHeaders =>
  tags === undefined ? none : { 'x-amz-tagging-count': String(tags.length) }

const retentionHeaders = ({ retention }: Annotations): AnswerHeaders =>
  retention === undefined
    ? none
    : {
        'x-amz-object-lock-mode': retention.mode,
        'x-amz-object-lock-retain-until-date': new Date(retention.until).toISOString(),
      }

const holdHeader = ({ legalHold }: Annotations): AnswerHeaders =>
  legalHold === undefined ? none : { 'x-amz-object-lock-legal-hold': legalHold }

/** @throws StorageError `ReadSetChanged` if another version has replaced this one: then the request runs again */
async function annotationsOf(
  { store, bucket, key, versionId }: ObjectContext,
  { seq }: ObjectInfo,
): Promise<Annotations> {
  const named = versionId === undefined ? {} : { versionId }
  const found = await store.objects.annotations(bucket, key, named).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchBucket', 'NoSuchKey', 'NoSuchVersion', 'MethodNotAllowed')) return undefined
    throw error
  })
  if (found?.seq !== seq) throw assumptionChanged()
  return found
}
