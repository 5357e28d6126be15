import { annotationsOf } from '../objects/annotated-version.ts'
import { noLock } from '../objects/annotation-errors.ts'
import { retentionElements } from './retention.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

export const getObjectRetention: ObjectOperation = async (context) => {
  const { retention } = await annotationsOf(context)
  if (retention === undefined) return noLock(context)
  return xmlAnswer('Retention', context.options.namespace, retentionElements(retention))
}
