import type { Actor } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { findObject } from './find-object.ts'
import type { Annotation, Annotations } from '../settings/annotation.ts'
import { parseVersionId, versionId } from '../naming/version-id.ts'
import { withSnapshot } from './read-scope.ts'
import { attempting, type StoreContext } from './request-context.ts'
import { annotationOf } from './creation-options.ts'
import type { RequestEngine } from './request-engine.ts'
import type { Cancelable } from '../api/types/index.ts'

export interface AnnotateOptions extends Cancelable {
  /** Default: the newest version. */
  readonly versionId?: string
  /** Allows shortening or removing GOVERNANCE retention. */
  readonly bypassGovernance?: boolean
}

/** The annotations of one version. */
export interface AnnotatedVersion extends Annotations {
  readonly versionId: string
  /** The position of the version, which is unique. */
  readonly seq: Seq
  /** The owner of the version. */
  readonly owner: Actor
}

interface AnnotateTarget {
  readonly bucket: string
  readonly key: string
  readonly annotation: Annotation
}

/** Finds the version first, so that the result is about it even if a newer version is added meanwhile. */
export async function annotate(
  requests: RequestEngine,
  context: StoreContext,
  { bucket, key, annotation: given }: AnnotateTarget,
  { versionId: id, bypassGovernance, signal }: AnnotateOptions,
): Promise<AnnotatedVersion> {
  signal?.throwIfAborted()
  const annotation = annotationOf(given)
  await requests.assertRoom()
  const { row, annotations } = await attempting(context, { bucket, key }, async (attempt) => {
    const found = await withSnapshot({ requests, context: attempt }, (snapshot) =>
      findObject(snapshot, bucket, key, id),
    )
    const version = parseVersionId(versionId(found.row))
    const command = { bucket, key, version, annotation, ...(bypassGovernance && { bypassGovernance }) }
    await requests.submit('AnnotateObject', command, attempt)
    return found
  })
  const { [annotation.kind]: _before, ...others } = annotations
  return {
    versionId: versionId(row),
    seq: row.seq,
    owner: row.owner,
    ...others,
    ...(annotation.value && { [annotation.kind]: annotation.value }),
  }
}
