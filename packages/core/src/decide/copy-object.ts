import { StorageError } from '../base/errors.ts'
import { checkKey, checkMetadata } from '../naming/names.ts'
import type { CommandShapes } from '../commands/command.ts'
import { objectErased } from '../content/manifests.ts'
import type { VersionRow } from '../views/version-row.ts'
import { isKept } from '../views/contents.ts'
import type { Rows } from '../views/row-reader.ts'
import { pastVersionTable, versionTable } from '../views/tables.ts'
import { checkWriteConditions } from '../reads/conditions.ts'
import { checkedCreation, loadNewVersion, type NewVersionState, placeVersion } from './new-version.ts'
import { owned } from './ownership.ts'
import type { Rule } from './rule.ts'

type State = NewVersionState & {
  readonly source: VersionRow | undefined
  /** Whether the bytes of the source were erased. */
  readonly isErased: boolean
}

/**
 * The copy shares the bytes of its source. @throws as `PutObject`; `NoSuchVersion` when the source is gone; `ObjectErased`
 * when its bytes are.
 */
export const copyObject: Rule<'CopyObject', State> = {
  async load(rows, command, _hashing, { by }) {
    return {
      ...(await loadNewVersion(rows, command, by)),
      ...(await loadSource(rows, command.source)),
    }
  },

  decide(
    state,
    { bucket, key, source: { at: _then, ...source }, metadata, checksum, conditions, creation },
    _meta,
    { at },
  ) {
    checkKey(key)
    checkMetadata(metadata)
    const place = placeVersion(state, bucket)
    checkWriteConditions(state.newest, conditions, key)
    if (state.source === undefined || state.source.deleteMarker) {
      throw new StorageError('NoSuchVersion', 'The source of the copy is gone.', { details: { Key: source.key } })
    }
    if (state.isErased) throw objectErased()
    const { size, etag, content, partsCount } = state.source.facts
    const facts = {
      size,
      etag,
      content,
      metadata,
      ...(checksum && { checksum }),
      ...(partsCount && { partsCount }),
      ...owned(creation, state),
      ...checkedCreation(state, creation, at),
    }
    return [{ type: 'VersionAdded', data: { bucket, key, ...place, ...facts, copiedFrom: source } }]
  },
}

async function loadSource(
  rows: Rows,
  { bucket, key, version, at }: CommandShapes['CopyObject']['source'],
): Promise<Pick<State, 'source' | 'isErased'>> {
  const live = await rows.get(versionTable.key(bucket, key, version))
  if (live !== undefined || at === undefined) return { source: live, isErased: false }
  const source = await rows.get(pastVersionTable.key(bucket, key, version))
  if (source?.until === undefined || source.deleteMarker) return { source, isErased: false }
  return { source, isErased: !(await isKept(rows, source.facts.content, source.until)) }
}
