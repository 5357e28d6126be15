import { annotatedHeaders, annotationsOf } from '../objects/annotated-version.ts'
import { tagSetElement } from './tagging.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** An object without tags gives an empty set: clients request it before they copy large objects part by part. */
export const getObjectTagging: ObjectOperation = async (context) => {
  const annotated = await annotationsOf(context)
  const headers = await annotatedHeaders(context, annotated)
  return xmlAnswer('Tagging', context.options.namespace, [tagSetElement(annotated.tags ?? [])], { headers })
}
