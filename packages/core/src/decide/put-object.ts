import { checkKey, checkMetadata } from '../naming/names.ts'
import { checkWriteConditions } from '../reads/conditions.ts'
import { checkedCreation, loadNewVersion, type NewVersionState, placeVersion } from './new-version.ts'
import { owned } from './ownership.ts'
import type { Rule } from './rule.ts'

/**
 * @throws `NoSuchBucket`, `NoSuchKey`, `PreconditionFailed`, `KeyTooLongError`, `MetadataTooLarge`; as `checkCreation`.
 */
export const putObject: Rule<'PutObject', NewVersionState> = {
  load: (rows, command, _hashing, { by }) => loadNewVersion(rows, command, by),

  decide(state, { bucket, key, facts, conditions }, _meta, { at }) {
    checkKey(key)
    checkMetadata(facts.metadata)
    const place = placeVersion(state, bucket)
    checkWriteConditions(state.newest, conditions, key)
    const added = checkedCreation(state, facts, at)
    return [{ type: 'VersionAdded', data: { bucket, key, ...place, ...owned(facts, state), ...added } }]
  },
}
