import { whenThere } from '../base/soon.ts'
import { checkKey, checkMetadata } from '../naming/names.ts'
import { checkWriteConditions } from '../reads/conditions.ts'
import { checkObjectCount, checkObjectSize, checkRoom, loadQuota, type QuotaState } from '../reads/quota.ts'
import { storedBytes } from '../views/usage.ts'
import { checkedCreation, loadNewVersion, type NewVersionState, placeVersion } from './new-version.ts'
import { owned } from './ownership.ts'
import type { Rule } from './rule.ts'

type State = NewVersionState & { readonly quota: QuotaState | undefined }

/**
 * @throws `NoSuchBucket`, `NoSuchKey`, `QuotaExceeded`, `PreconditionFailed`, `KeyTooLongError`, `MetadataTooLarge`; as `checkCreation`.
 */
export const putObject: Rule<'PutObject', State> = {
  load(rows, command, _hashing, { by }) {
    return whenThere(loadNewVersion(rows, command, by), (state) =>
      whenThere(loadQuota(rows, command.bucket, state.bucket), (quota) => ({ quota, ...state })),
    )
  },

  decide(state, { bucket, key, facts, conditions }, _meta, { at }) {
    checkKey(key)
    checkMetadata(facts.metadata)
    const place = placeVersion(state, bucket)
    checkWriteConditions(state.newest, conditions, key)
    checkObjectSize(state.quota, facts.size)
    checkRoom(state.quota, storedBytes(facts.content))
    checkObjectCount(state.quota, state.bucket, state.nullVersion)
    const added = checkedCreation(state, facts, at)
    return [{ type: 'VersionAdded', data: { bucket, key, ...place, ...owned(facts, state), ...added } }]
  },
}
