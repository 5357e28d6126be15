import { remainingDays } from '../policies/condition-keys.ts'
import { annotate } from '../objects/annotated-version.ts'
import { bypassesGovernance } from './bypass-governance.ts'
import { readRetention } from './retention.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'
import { checkWithBody } from '../contract/permissions.ts'

const bytesMax = 64 * 1024

/** An empty document removes the retention, if that is allowed. */
export const putObjectRetention: ObjectOperation = async (context) => {
  const value = readRetention(await context.body.small(bytesMax))
  await checkWithBody('PutObjectRetention', context, {
    's3:object-lock-mode': value === undefined ? [] : [value.mode],
    's3:object-lock-retain-until-date': value === undefined ? [] : [new Date(value.until).toISOString()],
    's3:object-lock-remaining-retention-days': value === undefined ? [] : remainingDays(value.until, context.now()),
  })
  const bypassGovernance = await bypassesGovernance(context, context)
  await annotate(
    context,
    { kind: 'retention', ...(value !== undefined && { value }) },
    { method: 'PUT', bypassGovernance },
  )
  return emptyAnswer()
}
