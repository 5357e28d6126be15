import { StorageError } from '../base/errors.ts'
import { checkKey, checkMetadata } from '../naming/names.ts'
import type { VersionRow } from '../views/version-row.ts'
import { versionTable } from '../views/tables.ts'
import { checkWriteConditions } from '../reads/conditions.ts'
import { checkedCreation, loadNewVersion, type NewVersionState, placeVersion } from './new-version.ts'
import { owned } from './ownership.ts'
import type { Rule } from './rule.ts'

type State = NewVersionState & { readonly source: VersionRow | undefined }

/** The copy shares the bytes of its source. @throws as `PutObject`, and `NoSuchVersion` when the source is gone. */
export const copyObject: Rule<'CopyObject', State> = {
  async load(rows, command, _hashing, { by }) {
    const { bucket, key, version } = command.source
    return {
      ...(await loadNewVersion(rows, command, by)),
      source: await rows.get(versionTable.key(bucket, key, version)),
    }
  },

  decide(state, { bucket, key, source, metadata, checksum, conditions, creation }, _meta, { at }) {
    checkKey(key)
    checkMetadata(metadata)
    const place = placeVersion(state, bucket)
    checkWriteConditions(state.newest, conditions, key)
    if (state.source === undefined || state.source.deleteMarker) {
      throw new StorageError('NoSuchVersion', 'The source of the copy is gone.', { details: { Key: source.key } })
    }
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
