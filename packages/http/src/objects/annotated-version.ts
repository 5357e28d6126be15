/** Reads and changes the annotations of the version that a request names. */

import type { AnnotatedVersion, Annotation } from '@varve/core'
import type { AnswerHeaders } from '../contract/answer.ts'
import type { ObjectContext } from '../contract/operation.ts'
import { explainAnnotationError } from './annotation-errors.ts'
import { shownVersionId, versionHeaders } from './shown-version.ts'

const named = ({ versionId, client: { signal } }: ObjectContext) => ({
  ...(versionId !== undefined && { versionId }),
  signal,
})

export const annotationsOf = (context: ObjectContext): Promise<AnnotatedVersion> =>
  context.store.objects.annotations(context.bucket, context.key, named(context)).catch(explainAnnotationError('GET'))

/** Sets an annotation, or removes it if there is no value. */
export const annotate = (
  context: ObjectContext,
  annotation: Annotation,
  { method, bypassGovernance = false }: { readonly method: 'DELETE' | 'PUT'; readonly bypassGovernance?: boolean },
): Promise<AnnotatedVersion> =>
  context.store.objects
    .annotate(context.bucket, context.key, annotation, { ...named(context), bypassGovernance })
    .catch(explainAnnotationError(method))

/** The version id of the annotated version, for buckets where S3 shows it. */
export const annotatedHeaders = async (
  { store, bucket }: ObjectContext,
  { versionId }: AnnotatedVersion,
): Promise<AnswerHeaders> => versionHeaders(await shownVersionId(store, bucket, versionId))
