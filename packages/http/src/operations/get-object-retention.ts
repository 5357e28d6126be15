import { annotationsOf } from '../objects/annotated-version.ts'
import { noLock } from '../objects/annotation-errors.ts'
import { retentionElements } from '../xml/retention.ts'
import { xmlAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

export const getObjectRetention: ObjectOperation = async (context) => {
  const { retention } = await annotationsOf(context)
  if (retention === undefined) return noLock(context)
  return xmlAnswer('Retention', context.options.namespace, retentionElements(retention))
}
