import { annotate } from '../objects/annotated-version.ts'
import { bypassesGovernance } from '../objects/bypass-governance.ts'
import { readRetention } from '../xml/retention.ts'
import { emptyAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

const bytesMax = 64 * 1024

/** An empty document takes the retention away, as far as it may be. */
export const putObjectRetention: ObjectOperation = async (context) => {
  const value = readRetention(await context.body.small(bytesMax))
  const bypassGovernance = await bypassesGovernance(context, context.key)
  await annotate(
    context,
    { kind: 'retention', ...(value !== undefined && { value }) },
    { method: 'PUT', bypassGovernance },
  )
  return emptyAnswer()
}
