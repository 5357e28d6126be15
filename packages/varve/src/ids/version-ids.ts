/** Version ids, as `objects.put` and S3 clients know them, from events and back. */
import { callArguments, parseVersionId as parse, schema, type Seq, versionId } from '@varve/core'

/** What decides the id of a version: an event that adds one has its place, and says whether it is the null version. */
export interface IdentifiedVersion {
  /** The position of the event that added the version. */
  readonly seq: Seq
  /** The epoch of that event, if it has one. */
  readonly epoch?: string | undefined
  /** It was added while versioning was not enabled. @default false */
  readonly nullVersion?: boolean
}

const identified = schema.object<IdentifiedVersion>({
  seq: schema.integer({ min: 1 }),
  epoch: schema.optional(callArguments.epoch),
  nullVersion: schema.optional(schema.boolean),
})

/** The id of a version: `null`, or a text made from its position and its epoch. @throws StorageError `InvalidArgument` */
export function versionIdOf(version: IdentifiedVersion): string {
  const { seq, epoch, nullVersion = false } = schema.checked('version', identified, version)
  return versionId({ seq, epoch, nullVersion })
}

/**
 * The position of the event that added a version; `null` for the id `null`, which many versions have had.
 * @throws StorageError `InvalidArgument` for an id that no store can have made
 */
export const parseVersionId = (id: string): Seq | null => parse(id)?.seq ?? null
