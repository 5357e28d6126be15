import { annotate } from '../objects/annotated-version.ts'
import { readLegalHold } from './legal-hold.ts'
import { emptyAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'
import { checkWithBody } from '../contract/permissions.ts'

const bytesMax = 64 * 1024

export const putObjectLegalHold: ObjectOperation = async (context) => {
  const value = readLegalHold(await context.body.small(bytesMax))
  await checkWithBody('PutObjectLegalHold', context, { 's3:object-lock-legal-hold': [value] })
  await annotate(context, { kind: 'legalHold', value }, { method: 'PUT' })
  return emptyAnswer()
}
