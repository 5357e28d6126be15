/** Headers of what is said of an object besides its metadata. S3 shows them to those who may ask for each. */

import type { ObjectInfo } from '@varve/core'
import type { Trigger } from '../access/permission-rule.ts'
import type { AnswerHeaders } from '../operations/answer.ts'
import type { ObjectContext } from '../operations/operation.ts'
import { laterPermissions } from '../operations/permissions.ts'

const none: AnswerHeaders = {}

type Shown = Extract<Trigger, { readonly shown: unknown }>['shown']

export async function saidHeaders(context: ObjectContext, info: ObjectInfo): Promise<AnswerHeaders> {
  const { tagCount, retention, legalHold } = info
  if (tagCount === undefined && retention === undefined && legalHold === undefined) return none
  const may = async (shown: Shown) => {
    const asked = laterPermissions(
      'GetObject',
      context,
      (when) => when !== undefined && 'shown' in when && when.shown === shown,
    )
    return (await Promise.all(asked.map((permission) => context.allows(permission)))).every(Boolean)
  }
  return {
    ...(tagCount !== undefined && (await may('tags')) && { 'x-amz-tagging-count': String(tagCount) }),
    ...(retention !== undefined &&
      (await may('retention')) && {
        'x-amz-object-lock-mode': retention.mode,
        'x-amz-object-lock-retain-until-date': new Date(retention.until).toISOString(),
      }),
    ...(legalHold !== undefined && (await may('legal hold')) && { 'x-amz-object-lock-legal-hold': legalHold }),
  }
}
