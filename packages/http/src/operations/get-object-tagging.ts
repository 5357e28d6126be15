import { namedObject } from '../objects/named-object.ts'
import { explainReadError } from '../objects/read-errors.ts'
import { versionHeaders } from '../objects/shown-version.ts'
import { element } from '../xml/write.ts'
import { xmlAnswer } from './answer.ts'
import type { ObjectOperation } from './operation.ts'

/**
 * No object has tags, since nothing can give it any (`PutObjectTagging` and the tagging header are refused): so the
 * set is empty. Clients ask before they copy large objects part by part.
 */
export const getObjectTagging: ObjectOperation = async (context) => {
  const info = await namedObject(context).catch(explainReadError(context))
  const shown = info.bucketVersioning === undefined ? undefined : info.versionId
  return xmlAnswer('Tagging', context.options.namespace, [element('TagSet', '')], { headers: versionHeaders(shown) })
}
