/** What two versions of an object differ in, apart from their ids and times. */
import type { ObjectAspect } from '../api/types/index.ts'
import type { Content, ObjectFacts } from '../events/index.ts'
import { isSameJson } from '../schema/same-json.ts'
import type { Annotations } from '../settings/annotation.ts'
import type { ObjectVersionRow } from '../views/version-row.ts'

/** A version with its annotations. */
export interface AnnotatedObject {
  readonly row: ObjectVersionRow
  readonly annotations: Annotations
}

/** In a fixed order; empty if clients get the same of both. Bytes that were written twice differ. */
export function aspectsOf(before: AnnotatedObject, after: AnnotatedObject): readonly ObjectAspect[] {
  const { row: a, annotations: then } = before
  const { row: b, annotations: now } = after
  const differs: ObjectAspect[] = []
  if (a.seq !== b.seq) {
    if (!isSameContent(a.facts.content, b.facts.content)) differs.push('bytes')
    if (!isSameJson(writtenWith(a.facts), writtenWith(b.facts))) differs.push('metadata')
    if (a.owner.id !== b.owner.id) differs.push('owner')
  }
  for (const kind of ['tags', 'acl', 'retention', 'legalHold'] as const) {
    if (!isSameJson(then[kind], now[kind])) differs.push(kind)
  }
  return differs
}

function isSameContent(a: Content, b: Content): boolean {
  if (a.kind === 'blob' && b.kind === 'blob') return a.blob.id === b.blob.id
  if (a.kind === 'parts' && b.kind === 'parts') return a.upload === b.upload
  return a.kind === b.kind
}

const writtenWith = ({ metadata, storageClass, checksum, encryption }: ObjectFacts) => ({
  metadata,
  storageClass,
  checksum,
  encryption,
})
