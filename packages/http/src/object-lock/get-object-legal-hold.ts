import { annotationsOf } from '../objects/annotated-version.ts'
import { noLock } from '../objects/annotation-errors.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from '../contract/answer.ts'
import type { ObjectOperation } from '../contract/operation.ts'

/** A released hold is OFF; a version that never had one gives an error. */
export const getObjectLegalHold: ObjectOperation = async (context) => {
  const { legalHold } = await annotationsOf(context)
  if (legalHold === undefined) return noLock(context)
  return xmlAnswer('LegalHold', context.options.namespace, [element('Status', legalHold)])
}
