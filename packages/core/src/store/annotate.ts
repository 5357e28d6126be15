import type { Actor } from '../events/index.ts'
import { findObject } from './find-object.ts'
import type { Annotation, Annotations } from '../settings/annotation.ts'
import { parseVersionId, versionId } from '../version-id.ts'
import { commandMeta, type StoreContext, withMoment } from './context.ts'
import { annotationOf } from './creation-options.ts'
import type { Desk } from './desk.ts'
import type { Cancelable } from './types/index.ts'

export interface AnnotateOptions extends Cancelable {
  /** Default: the newest version. */
  readonly versionId?: string
  /** Shortens or takes away GOVERNANCE retention. */
  readonly bypassGovernance?: boolean
}

/** What holds of one version. */
export interface AnnotatedVersion extends Annotations {
  readonly versionId: string
  /** Who owns it. */
  readonly owner: Actor
}

interface AnnotateTarget {
  readonly bucket: string
  readonly key: string
  readonly annotation: Annotation
}

/** The version is found first, so that what is answered is what was said of it, whatever becomes the newest meanwhile. */
export async function annotate(
  desk: Desk,
  context: StoreContext,
  { bucket, key, annotation: given }: AnnotateTarget,
  { versionId: id, bypassGovernance, signal }: AnnotateOptions,
): Promise<AnnotatedVersion> {
  signal?.throwIfAborted()
  const annotation = annotationOf(given)
  await desk.assertRoom()
  const { row, said } = await withMoment({ desk }, (moment) => findObject(moment, bucket, key, id))
  const found = versionId(row)
  const command = {
    bucket,
    key,
    version: parseVersionId(found),
    annotation,
    ...(bypassGovernance && { bypassGovernance }),
  }
  await desk.submit('AnnotateObject', command, commandMeta(context, desk.ports.ids))
  const { [annotation.kind]: _before, ...others } = said
  return {
    versionId: found,
    owner: row.owner,
    ...others,
    ...(annotation.value && { [annotation.kind]: annotation.value }),
  }
}
